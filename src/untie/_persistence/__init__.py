"""Estimators <-> files: one description of each writes, checks and reads it."""
