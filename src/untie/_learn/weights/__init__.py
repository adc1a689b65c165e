"""Kernel spaces and counts -> omega, by a formula (`weightings`) or by a search (`search`).

A solver is a function that takes a `Problem` and `Settings` and returns a `Solution`. Weights that
need no search are a function of the `Problem` alone.
"""
