"""Tables that are read piece by piece: files, queries and the lazy tables of other libraries."""
