"""Encoders that are neural networks, over wide-and-deep layers; learning them needs PyTorch.

`features.py` and `network.py` need numpy alone, so that a learned encoder works without
PyTorch; `layers.py`, `losses.py`, `training.py` and the two models import it, and are themselves
imported no earlier than in `fit`.
"""
