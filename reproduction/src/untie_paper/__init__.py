"""The paper's evaluation, as experiments on one runner."""
