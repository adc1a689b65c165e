"""How experiments run: jobs, a cache of their results, workers, and what is recorded."""
