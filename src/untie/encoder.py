"""TableEncoder: a table in, vectors out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from untie._encoder_base import EncoderBase, Form
from untie._learn.learning import ChoiceRecipe
from untie._learn.parameters import choice_recipe
from untie._table.names import expand_names
from untie._table.orders import without_order
from untie._util.checks import knows_owners
from untie.preparer import Preparer, named_categories, prepared_weights, unfitted_preparer


class TableEncoder(EncoderBase):
    """Learn vectors and similarities of a table's rows and values, without labels.

    It takes a table as it is: numbers and dates are binned, and ids, free text and constants left
    out (`preparer`). Every value then gets a vector from how often it occurs and what it occurs
    with, and the vector of a row is the sum of its values' vectors. Similar rows are near.

    `fit` tries two representations of the values, clusters at most 2,000 distinct rows with each,
    and keeps the one whose clusters describe the table best (`gains_` compares them; the first is
    kept unless the second is clearly better):

    - "couplings": values that occur in similar contexts are near. All values of the table are put
      into two trees, by what they occur with and by how often they occur; values that share
      branches are near. That is 70% of the variance; in the rest, every value has a direction of
      its own, as in one-hot encoding.
    - "relevance": the directions alone. Rare values, and columns that depend on others, count more.

    In both, redundant columns share one weight, such as near copies or a hierarchy City > State >
    Region (:func:`untie.explain.families` lists them). An exact copy of a column shares its weight
    and has no columns of its own in `transform`. A column of more than 500 values has no part in
    the trees. In a column with an order (`ordered`), four fifths of the weight go to the ranks of
    its values among the rows, so that neighbors in the order are near. Where a third of the
    columns or more have an order, every column counts the same, and there is nothing to compare.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default=None
        Number of clusters that the vectors should separate; typically 2 to 20. "auto" chooses as
        :func:`untie.choose_k` does, by the clusters of some rows, and learns again for the number
        chosen, which takes a second or so more; `k_choice_` has the evidence. None
        reads a number off the spectrum of the counts (at most 20), which costs next to nothing and
        is good enough for vectors; rare values may raise it (`min_frequency` merges them).
    preparer : "auto", Preparer or None, default="auto"
        Prepares the table before it is learned from, and new rows in `transform`. "auto" is
        ``Preparer()``; pass a `Preparer` with other options, such as ``Preparer(bins=10)``, of
        which a clone is fitted. ``preparer_.decisions()`` shows what was done to each column. It
        takes one more pass over the rows. None takes every column and cell as it is: for categories
        that were prepared before, and for `partial_fit` and `fit_counts`, which need it.
    n_components : int, default=None
        If given, `transform` returns the best representation in this many dimensions, at most the
        number of values; typically 2 to 64. It takes one more eigenproblem, makes vectors of many
        values short, and loses what the other dimensions hold.
    column_weights : mapping from columns to numbers, default=None
        Factors on the weights of columns, such as ``{"age": 2, "zip": 0}``; 1 where none is given.
        Typically 0.5 to 3: with 2, a column has twice the variance, compared to others. A column of
        0 is supplementary: it is counted and described, but nothing is learned from it, and its
        values have no columns in `transform`. The columns of an array, which have no names, are x0,
        x1, ..., or are named by their positions. A pattern such as "A*" means all columns that
        match it. That of a column of several answers is for all of them. It costs nothing.
    ordered : "auto", False, sequence of str or mapping from columns to values, default="auto"
        Columns whose values have an order that counts. "auto": binned columns, other columns of
        ranges such as "up to 25" and "26 to 40", ordered types (pandas ordered categoricals,
        polars Enums, ordered dictionaries of Arrow; of lazy tables, polars' types and what
        `Preparer` returns), and scales: whole numbers up to 10 in a column whose name says so
        (grade, rating, stage, ...), or the same five to seven numbers from 0 or 1 on, or 0 to 10,
        in four columns or more, such as the answers of a questionnaire, or halves or tenths that
        four columns or more share. A list names columns of few numbers or dates besides, also by
        patterns such as "A*"; a mapping has the values in their order, or False for none:
        ``{"size": ["S", "M", "L"], "region": False}``. Missing cells, merged values and a few words
        among ranges ("refused") are put in the middle. Counts (`fit_counts`) have no types, so name
        their columns. False finds no order. It costs next to nothing.
    missing : {"value", "neutral"}, default="value"
        What a missing cell is. "value": a value like others, as its being missing often means
        something. "neutral": it is not counted, and is put at the mean of its column, as a value
        that was not seen in `fit`. Where whole blocks of columns are missing together
        (:func:`untie.explain.missing_together`), "value" makes clusters of them.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What `transform` does about a value not seen in `fit`. An ignored one is neutral: it
        gets its column's mean vector. The other choices mean what they mean in
        :class:`~sklearn.preprocessing.OneHotEncoder`.
    min_frequency : int or float, default=None
        Values with less weight (int) or a lower share of it (float) are merged; typically 5 to 50,
        or 0.001 to 0.01. Merging saves time and memory, and rare values are no longer
        distinguished.
    max_categories : int, default=None
        Maximum number of values per column, the merged rare ones included; typically 20 to 1,000. A
        `Preparer` has merged all but 100 before, unless it is told otherwise. Learning takes time
        and memory that grow with the square of the number of all values or faster; columns with
        more than 500 values are approximated (see `kernel_errors`).
    sparse_output : bool, default=False
        Whether `transform` returns a sparse array: it saves memory for columns with more than 500
        values, whose vectors are mostly 0, and takes more otherwise.
    dtype : dtype, default=numpy.float64
        Type of the vectors: numpy.float64, or numpy.float32, which takes half the memory and keeps
        7 digits. Learning is in float64 either way.
    random_state : int, RandomState or None, default=0
        For the starts of the clusters that are compared; nothing else is drawn, and
        ``n_clusters="auto"`` has draws of its own. None is the seed 0.
    verbose : bool, default=False
        Whether `fit` writes to standard error what it does, and how long each step took. It changes
        nothing else.

    Attributes
    ----------
    preparer_ : Preparer or None
        The fitted preparer, if there is one.
    categories_ : list of arrays
        The values of each column; None is missing.
    infrequent_categories_ : list of arrays or None
        The values of each column that are merged.
    vocabulary_ : Vocabulary
        The values that the model sees, rare ones merged.
    counts_ : Counts
        How often they occur together, and each alone.
    n_clusters_ : int
        The number of clusters in use.
    k_choice_ : KChoice or None
        How the number was chosen, for ``n_clusters="auto"``.
    omega_ : array of shape (n_coordinates,)
        The learned weights; `weights` gives them names.
    loss_curve_ : list of float
        The paper's objective at these weights.
    n_iter_ : int
        Number of steps.
    gains_ : dict
        How well the clusters of "couplings" and "relevance" describe the table, in nats per row
        more than no clusters at all (-inf: the vectors have fewer distinct rows than clusters).
        The one in use comes first. Empty where there was nothing to compare: many columns have an
        order, or no more distinct rows than clusters.
    n_features_in_ : int
        Number of columns of the table, that of the weights excluded.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    Preparer : What `preparer` does.
    TableClusterer : Clusters of the rows, with these vectors.
    UNTIE : The method of the paper that the idea is from.
    choose_k : Chooses the number of clusters.
    count_table : Counts chunks of rows for `fit_counts`.
    load_model : Reads what `save` wrote.

    Examples
    --------
    >>> import pandas as pd
    >>> from untie import TableEncoder
    >>> melons = pd.DataFrame({
    ...     "texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
    ...     "root": ["straight", "straight", "curled", "slight", "curled", "slight"],
    ... })
    >>> TableEncoder(n_clusters=2).fit_transform(melons).shape
    (6, 5)

    Similar rows are near, whatever the number of clusters:

    >>> from untie.datasets import load
    >>> X, y = load("dermatology")
    >>> encoder = TableEncoder().fit(X)
    >>> encoder.similarity(X.head(3)).round(2).argsort()[:, -1].tolist()
    [0, 1, 2]
    """

    _kind = "encoder"

    @knows_owners(preparer=Preparer)
    def __init__(
        self,
        n_clusters: int | str | None = None,
        *,
        preparer: Preparer | str | None = "auto",
        n_components: int | None = None,
        column_weights: Any = None,
        ordered: Any = "auto",
        missing: str = "value",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        sparse_output: bool = False,
        dtype: Any = np.float64,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.preparer = preparer
        self.n_components = n_components
        self.column_weights = column_weights
        self.ordered = ordered
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.random_state = random_state
        self.verbose = verbose

    def _recipe(self) -> ChoiceRecipe:
        return choice_recipe(self)

    def _recipe_of_prepared(self, recipe: ChoiceRecipe, preparer: Preparer) -> ChoiceRecipe:
        weights = prepared_weights(preparer, recipe.column_weights)
        if isinstance(recipe.ordered, Mapping | list | tuple):
            for name in expand_names(recipe.ordered, preparer.columns_):
                preparer._used(name, "ordered")
        ordered = without_order(recipe.ordered, named_categories(preparer))
        return replace(recipe, column_weights=weights, ordered=ordered)

    def _form(self) -> Form:
        return Form("compact", self.n_components, self.sparse_output, self.dtype)

    def _new_preparer(self) -> Preparer | None:
        return unfitted_preparer(self.preparer)
