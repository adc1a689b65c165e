"""What columns say of each other: explained entropy, redundant columns, weights."""
