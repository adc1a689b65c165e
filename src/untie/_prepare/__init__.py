"""Any table -> a table of categories, and what was done to each of its columns."""
