"""The sub-commands of ``untie``: one file each, and what they share."""
