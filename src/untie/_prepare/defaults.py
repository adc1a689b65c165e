"""What is done to columns unless the user says otherwise."""

BINS = 35
"""Numbers are binned into this many ranges, unless the user says otherwise; odd, so that none has
a border in the middle, which would be cut otherwise when counted from the other end."""

MAX_CATEGORIES = 100
"""A column has at most this many categories, unless the user says otherwise."""
