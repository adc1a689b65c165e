"""(epsilon, gamma) curves: by how much objects are more similar to their class than to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie_paper.arrays import FloatArray
from untie_paper.evaluation._blocks import PairBlocks, distance_blocks, similarity_blocks
from untie_paper.evaluation._labels import Labels, read_labels


@dataclass(frozen=True, eq=False)
class GoodnessCurve:
    """The margins of a similarity, and the two ways to read their distribution.

    A similarity is (epsilon, gamma)-good if all but a share epsilon of the objects have a
    margin of at least gamma.

    Parameters
    ----------
    margins : array of shape (n_objects,)
        For each object its mean similarity to the others of its class, minus that to the
        objects of other classes; the largest first.
    n_left_out : int
        Number of objects that are alone in their class, which have no margin.

    References
    ----------
    M.-F. Balcan and A. Blum, On a theory of learning with similarity functions, ICML 2006.

    Examples
    --------
    >>> curve = GoodnessCurve(np.array([0.5, 0.25, -0.25]), n_left_out=0)
    >>> curve.gamma([0.0, 0.5])
    array([-0.25,  0.25])
    >>> curve.epsilon([0.0, 0.3]).round(2)
    array([0.33, 0.67])
    """

    margins: FloatArray
    n_left_out: int

    def epsilon(self, gamma: Any) -> Any:
        """Return the share of objects whose margin is below each gamma.

        Parameters
        ----------
        gamma : float or array
            Margins to reach.

        Returns
        -------
        float or array
        """
        wanted = np.asarray(gamma, dtype=float)
        if np.isnan(wanted).any():
            raise ValueError(f"gamma must be a number, got {gamma!r:.60}.")
        ascending = self.margins[::-1]
        below = np.searchsorted(ascending, wanted, side="left")
        share = below / len(ascending)
        return float(share) if np.ndim(gamma) == 0 else share

    def gamma(self, epsilon: Any) -> Any:
        """Return the largest margin that all but a share epsilon of the objects reach.

        Parameters
        ----------
        epsilon : float or array
            Shares of objects that may fail, from 0 to below 1.

        Returns
        -------
        float or array
        """
        share = np.asarray(epsilon, dtype=float)
        if not ((share >= 0) & (share < 1)).all():
            raise ValueError(f"epsilon must be at least 0 and below 1, got {epsilon!r:.60}.")
        n = len(self.margins)
        # A share such as 1/6 is not exact: the product may miss the whole number by rounding.
        position = np.ceil((1.0 - share) * n - 1e-9).astype(np.intp)
        reached = self.margins[np.maximum(position, 1) - 1]
        return float(reached) if np.ndim(epsilon) == 0 else reached

    def points(self) -> tuple[FloatArray, FloatArray]:
        """Return the points of the curve, to be drawn.

        Returns
        -------
        epsilon, gamma : arrays of shape (n_points,)
            Of every object with a margin of 0 or more: the share of objects that do worse, and
            its margin. Both fall.
        """
        positive = self.margins[self.margins >= 0]
        return np.asarray(self.epsilon(positive)), positive


def goodness_curve(
    X: Any, y: Any, *, distance: Any = None, similarity: Any = None, scale: bool = True
) -> GoodnessCurve:
    """Return the (epsilon, gamma) curve of a similarity or a distance.

    As printed in the paper, the expectations run over both objects, which gives one number for
    all; by the definition that it cites, the first object is fixed and the mean runs over the
    second alone. This follows the definition.

    The time grows with the square of the number of objects. Memory does not: similarities are made
    in blocks of rows.

    Parameters
    ----------
    X : array of shape (n_objects, n_dimensions), table or square matrix
        Vectors; or whatever the measure takes; or the measure's values themselves.
    y : array-like of shape (n_objects,)
        The class of each object; at least two classes.
    distance : "euclidean", "precomputed", object or callable, optional
        As in `precision_at_k`. A distance is turned into a similarity by its sign. Euclidean if
        neither is given.
    similarity : "precomputed", object or callable, optional
        An object has a method ``similarity(A, B)``, such as a fitted encoder.
    scale : bool, default=True
        Whether to scale similarities so that the pairs of different objects range from 0 to 1,
        without which the curves of two measures can't be compared. If all pairs are equal, all
        margins are 0.

    Returns
    -------
    GoodnessCurve
        The margins; objects that are alone in their class have none and are left out.

    See Also
    --------
    precision_at_k : How many of the nearest objects are of the same class.

    Examples
    --------
    >>> vectors = [[0.0], [0.1], [0.9], [1.0]]
    >>> curve = goodness_curve(vectors, ["a", "a", "b", "b"])
    >>> curve.margins.round(3)
    array([0.944, 0.944, 0.833, 0.833])
    >>> curve.epsilon(0.9), round(curve.gamma(0.0), 3)
    (0.5, 0.833)
    """
    if distance is not None and similarity is not None:
        raise ValueError("Pass either distance or similarity, not both.")
    if similarity is not None:
        blocks, sign = similarity_blocks(X, similarity), 1.0
    else:
        blocks, sign = distance_blocks(X, "euclidean" if distance is None else distance), -1.0
    classes = read_labels(y, "y", blocks.n_objects)
    class_sizes = np.bincount(classes)
    has_company = class_sizes[classes] > 1
    if len(class_sizes) < 2 or not has_company.any():
        raise ValueError(
            "A margin needs an object of the same class and one of another, but "
            + ("all are of one class." if len(class_sizes) < 2 else "each is alone in its class.")
        )
    margins, spread = _margins(blocks, classes)
    margins = sign * margins[has_company]
    if scale:
        # Scaling moves and stretches all similarities; a difference of means only stretches.
        margins = margins / spread if spread > 0 else np.zeros_like(margins)
    return GoodnessCurve(np.sort(margins)[::-1], int(np.count_nonzero(~has_company)))


def _margins(blocks: PairBlocks, classes: Labels) -> tuple[FloatArray, float]:
    """Return each object's margin (any number for those alone), and the range of all pairs."""
    n, class_sizes = blocks.n_objects, np.bincount(classes)
    is_of_class = np.eye(len(class_sizes))[classes]
    margins = np.empty(n)
    lowest, highest = np.inf, -np.inf
    for start, block in blocks:
        rows = np.arange(len(block))
        own = classes[start : start + len(block)]
        block[rows, start + rows] = np.inf
        lowest = min(lowest, float(block.min()))
        block[rows, start + rows] = -np.inf
        highest = max(highest, float(block.max()))
        block[rows, start + rows] = 0.0
        sums = block @ is_of_class
        same = sums[rows, own] / np.maximum(class_sizes[own] - 1, 1)
        sums[rows, own] = 0.0
        margins[start : start + len(block)] = same - sums.sum(axis=1) / (n - class_sizes[own])
    return margins, highest - lowest
