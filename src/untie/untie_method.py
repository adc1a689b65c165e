"""UNTIE: the method of Zhu, Cao and Yin."""

from typing import Any, Self

from untie._encoder_base import EncoderBase, Form
from untie._learn.learning import KernelRecipe
from untie._learn.parameters import kernel_recipe
from untie._learn.spaces.couplings import PAPER_COUPLINGS
from untie._learn.spaces.kernels import PAPER_KERNELS, PAPER_NORMALIZATION


class UNTIE(EncoderBase):
    """Learn vectors of categorical rows by the method of Zhu, Cao and Yin.

    Couplings give every value vectors: how often it occurs (intra), and what it occurs with
    (inter). Kernels make spaces of them, and heterogeneity learning finds the weight omega of every
    coordinate of these spaces. The vector of a row is the sum of its values' vectors.

    The objective as printed is smallest at omega = 0, so its minimum is no answer.
    ``solver="exact"`` minimizes it with a price that gives it one, from counts alone;
    `from_paper` has the printed protocol. `TableEncoder` has the same idea with other spaces, takes
    tables with numbers and dates, and makes better clusters on most tables.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default=None
        Number of clusters that the vectors should separate; the paper takes the number of classes.
        "auto" chooses from 2 to 10 as :func:`untie.choose_k` does, and learns again. None reads a
        number off the spectrum of the counts (at most 20), which costs next to nothing.
    couplings : str, function or sequence of them, default=("intra", "inter")
        Coupling spaces: "intra", "inter", "joint", "matching", or functions
        ``(counts, attribute) -> array of shape (n_values, n_dimensions)``; typically one or two.
        Each multiplies the kernels, in time and memory.
    kernels : str or sequence, default="paper"
        A named set ("paper", "F1" to "F6") or a list of kernels such as
        ``[Gaussian(0.5), Polynomial(2)]`` or of functions of `Pairs`; typically 3 to 14. Per column
        and coupling, each takes two arrays of n_values^2 numbers, and time in proportion.
    normalization : {"diagonal", "cosine", "variance"}, None or function, default="diagonal"
        The scale that kernel matrices are brought to: by the norm of their diagonal (the paper's),
        to a diagonal of 1, to a variance of 1, not at all, or by a function of a matrix and the
        values' shares. All cost about the same.
    solver : {"exact", "lp", "adam", "adagrad", "relevance", "discount", "uniform"}, default="exact"
        How the weights are found. "exact" and "lp": the paper's objective with what gives it one
        answer (a price, or bounds), from the counts alone, in a few steps. "adam" and "adagrad":
        the objective as printed, from batches of rows; they need rows in memory and up to
        `max_iter` steps. The others have a formula and are the fastest: "relevance" weighs rare
        values and columns that depend on others more, and copies of a column once; "discount"
        counts copies once; "uniform" weighs all the same.
    tau : float, default=8.0
        Price of leaving equal weights ("exact"); typically 2 to 16. Large values keep them nearly
        equal, small ones favor few kernel columns and cost quality: on the paper's tables,
        clusters were worse below 2 (docs/how_it_works/method.md, 4.4).
    learning_rate : float, default=1e-3
        Step size ("adam", "adagrad"); typically 1e-4 to 1e-2. No step makes a weight larger, so
        rate and number of steps decide where the weights end (docs/how_it_works/method.md, 4.1).
    batch_size : int, default=20
        Rows per step ("adam", "adagrad"); typically 20 to 200, and more than `n_clusters`. A step
        takes an eigenproblem of this size.
    max_iter : int, default=1000
        Maximum number of steps. "exact" takes 2 to 8 in the benchmarks; "adam" and "adagrad" mostly
        take them all, and time grows in proportion.
    tol : float, default=1e-6
        Relative change of the loss at which a solver stops; typically 1e-8 to 1e-3. A larger one
        saves steps and gives rougher weights.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What `transform` does about a value not seen in `fit`. An ignored one is neutral: it
        gets its column's mean vector. The other choices mean what they mean in
        :class:`~sklearn.preprocessing.OneHotEncoder`.
    min_frequency : int or float, default=None
        Values with less weight (int) or a lower share of it (float) are merged; typically 5 to 50,
        or 0.001 to 0.01. Learning takes time and memory that grow with the square of the number of
        values or faster; columns with more than 500 values are approximated (see `kernel_errors`).
    missing : {"value", "neutral"}, default="value"
        What a missing cell is. "value": a value like others. "neutral": it is not counted, and is
        put at the mean of its column.
    output : {"compact", "full"}, default="compact"
        "compact": one column per value; "full": the coordinates that were weighed, one column per
        value and kernel space, as in the paper, up to 29 times as many. All distances and inner
        products are the same. A column with more than 500 values has shared axes besides or
        instead; see `kernel_errors`.
    random_state : int, RandomState or None, default=0
        For the batches of "adam" and "adagrad"; the other solvers draw nothing. None is the seed 0.
    verbose : bool, default=False
        Whether `fit` writes to standard error what it does, and how long each step took. It changes
        nothing else.

    Attributes
    ----------
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
        The solver's objective, step by step.
    n_iter_ : int
        Number of steps.
    gains_ : dict
        Empty: there is nothing to compare.
    preparer_ : None
        The method takes categories as they are.
    n_features_in_ : int
        Number of columns of the table, that of the weights excluded.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    TableEncoder : Vectors of any table.
    Preparer : Makes any table categorical first.
    TableClusterer : Clusters of the rows; takes a `UNTIE` as `encoder`.
    load_model : Reads what `save` wrote.

    References
    ----------
    C. Zhu, L. Cao, J. Yin, "Unsupervised Heterogeneous Coupling Learning for Categorical
    Representation", IEEE TPAMI, 2020; arXiv:2007.10720. docs/how_it_works/departures.md
    says where this class departs from it, and why.

    Examples
    --------
    >>> import pandas as pd
    >>> from untie import UNTIE
    >>> melons = pd.DataFrame({
    ...     "texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
    ...     "root": ["straight", "straight", "curled", "slight", "curled", "slight"],
    ... })
    >>> UNTIE(n_clusters=2).fit(melons).value_similarity("root").round(1)
              curled  slight  straight
    curled       8.1     5.0       6.2
    slight       5.0     8.1       6.2
    straight     6.2     6.2       7.5
    """

    _kind = "untie"

    def __init__(
        self,
        n_clusters: int | str | None = None,
        *,
        couplings: Any = PAPER_COUPLINGS,
        kernels: Any = PAPER_KERNELS,
        normalization: Any = PAPER_NORMALIZATION,
        solver: str = "exact",
        tau: float = 8.0,
        learning_rate: float = 1e-3,
        batch_size: int = 20,
        max_iter: int = 1000,
        tol: float = 1e-6,
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        missing: str = "value",
        output: str = "compact",
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.couplings = couplings
        self.kernels = kernels
        self.normalization = normalization
        self.solver = solver
        self.tau = tau
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.missing = missing
        self.output = output
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(cls, n_clusters: int, **parameters: Any) -> Self:
        """Return an encoder with the printed protocol, whatever the defaults become.

        Parameters
        ----------
        n_clusters : int
            Number of clusters; the paper takes the number of classes.
        **parameters
            Parameters to set otherwise than the protocol; `random_state` and `verbose` are the only
            ones that it leaves open.

        Returns
        -------
        UNTIE
            Not fitted. It needs rows in memory and takes up to 1,000 steps.

        References
        ----------
        Zhu, Cao and Yin, arXiv:2007.10720.

        Examples
        --------
        >>> from untie import UNTIE
        >>> UNTIE.from_paper(3, random_state=1).solver
        'adam'
        """
        protocol = {
            "couplings": ("intra", "inter"),
            "kernels": "paper",
            "normalization": "diagonal",
            "solver": "adam",
            "tau": 8.0,
            "learning_rate": 1e-3,
            "batch_size": 20,
            "max_iter": 1000,
            "tol": 1e-6,
            "handle_unknown": "ignore",
            "min_frequency": None,
            "missing": "value",
            "output": "compact",
        }
        return cls(n_clusters, **{**protocol, **parameters})

    def _recipe(self) -> KernelRecipe:
        return kernel_recipe(self)

    def _form(self) -> Form:
        return Form(self.output)
