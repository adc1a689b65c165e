"""What knows nothing of tables: threads, warnings, whole files, extras, checks of parameters."""
