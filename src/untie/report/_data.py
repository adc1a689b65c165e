"""The head of the page: the table, its rows and columns, and a summary in sentences."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from untie._prepare.note import BINNED, KEPT, LEFT_OUT, SPLIT, Note, Reason
from untie._util.about import VERSION
from untie._util.messages import counted
from untie.report._limits import LISTED_COLUMNS, TEXT, shown
from untie.report._study import Study
from untie.report._table import TableView, count, percent, view

LABEL = "the label: not learned from"

FEW_NUMBERS = "its {:,} numbers are categories; --ordered (in Python ordered=) keeps their order"
"""What is said of a column of numbers that are taken for names."""

LIBRARIES = ("numpy", "scipy", "scikit-learn")


def data_card(study: Study) -> dict[str, Any]:
    """Return the facts, the table of columns and remarks."""
    return {
        "about": _about(study),
        "facts": _facts(study),
        "table": _columns(study),
        "remarks": _remarks(study),
        "of_the_map": _of_the_map(study),
        "made": _made(study),
    }


def _made(study: Study) -> list[tuple[str, str]]:
    """Return what may differ between two runs; nothing else on the page does."""
    others = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return [
        ("Seed", str(study.seed)),
        ("Versions", f"Python {platform.python_version()}, untie {VERSION}, {others}"),
        ("Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
    ]


def _about(study: Study) -> str:
    """Say in one sentence what the table is."""
    heard, n_read = len(study.names) - len(_passive(study)), len(_notes(study))
    said = f"{counted(heard, 'column')} {'was' if heard == 1 else 'were'} learned from"
    if n_read > heard:
        said = f"{heard:,} of the {n_read:,} columns were learned from"
    binned = sum(note.action == BINNED for note in _notes(study))
    if binned:
        said += f", {binned:,} of them cut into ranges"
    share = _share_missing(study)
    what = f"{percent(share)} of their cells are" if share else "none of their cells is"
    said += f"; {what} missing"
    if study.answers is not None:
        is_learned = study.answers.is_learned
        judges = "learned from, so agreement is no evidence"
        judges = judges if is_learned else "not learned from: it judges the groups"
        said += f". {study.answers.called} was {judges}"
    return f"{said}."


def _passive(study: Study) -> list[str]:
    silent = study.encoder._model.passive
    return [name for name, one in zip(study.names, silent, strict=True) if one]


def _share_missing(study: Study) -> float:
    missing = sum(_missing(study, place) for place in range(len(study.names)))
    return missing / (study.encoder.counts_.n * len(study.names))


def _facts(study: Study) -> list[tuple[str, str]]:
    facts = [("Rows", count(study.n_rows))]
    if study.weights is not None:
        what = "Weight of the rows" if study.is_weighted else "Rows that are learned from"
        facts.append((what, count(float(study.weights.sum()))))
    notes, passive = _notes(study), _passive(study)
    heard = len(study.names) - len(passive)
    facts.append(("Columns", f"{len(notes):,} read, {heard:,} learned from"))
    if passive:
        facts.append(("Passive", f"{len(passive):,}, not learned from: {_listed(passive)}"))
    label = None if study.answers is None else study.answers.column
    if study.answers is not None:
        learned = "learned from" if study.answers.is_learned else "not learned from"
        facts.append(("Label", f"{shown(study.answers.name, 40)}, {learned}"))
    for action, what in (
        (BINNED, "Binned into ranges"),
        (SPLIT, "Split into answers"),
        (LEFT_OUT, "Left out"),
    ):
        names = [note.column for note in notes if note.action == action and note.column != label]
        if names:
            facts.append((what, f"{len(names):,}: {_listed(names)}"))
    facts.append(("Distinct values", count(sum(study.encoder.vocabulary_.sizes))))
    share = _share_missing(study)
    facts.append(("Missing cells", percent(share) if share else "none"))
    grouped = [values for values in study.encoder.infrequent_categories_ if values is not None]
    if grouped:
        total = sum(map(len, grouped))
        facts.append(("Rare values merged", f"{total:,} in {counted(len(grouped), 'column')}"))
    n = count(len(study.clusters))
    facts.append(("Clusters", f"none found, {n} shown" if study.verdict.found is False else n))
    return facts


def _columns(study: Study) -> TableView:
    places = {name: place for place, name in enumerate(study.names)}
    answers = study.answers
    label = None if answers is None or answers.is_learned else answers.column
    lines = []
    for note in {note.column: note for note in _notes(study)}.values():
        line = {"column": note.column}
        line["what_was_done"] = LABEL if note.column == label else _done(note)
        place = places.get(note.column)
        lines.append(line if place is None else line | _values(study, place))
    kinds = "column:text what_was_done:long values:count missing:share most_frequent:text "
    kinds += "its_share:share"
    names = [part.partition(":")[0] for part in kinds.split()]
    columns = {name: [line.get(name) for line in lines[:LISTED_COLUMNS]] for name in names}
    return view("columns", "The columns, and what was done to them", kinds, columns)


def _values(study: Study, place: int) -> dict[str, Any]:
    """Return what is known of the values of a column that was learned from."""
    counts = study.encoder.counts_
    frequencies = counts.parts[place]
    best = int(frequencies.argmax())
    return {
        "values": len(frequencies),
        "missing": _missing(study, place) / counts.n,
        "most_frequent": study.encoder.vocabulary_.labels(place)[best],
        "its_share": float(frequencies[best]) / counts.n,
    }


def _missing(study: Study, place: int) -> float:
    """Return the weight of a column's missing cells."""
    position = study.encoder.vocabulary_.positions[place].get(None)
    counts = study.encoder.counts_
    return 0.0 if position is None else float(counts.frequencies[counts.span(place)][position])


def _notes(study: Study) -> tuple[Note, ...]:
    if study.preparer is not None:
        return study.preparer.notes_
    return tuple(Note(name, KEPT) for name in study.names)


def _done(note: Note) -> str:
    """Return what a note says, without the column's name, for users of the command too."""
    n = note.argument(Reason.FEW_NUMBERS, "n")
    others = note.without(Reason.FEW_NUMBERS)
    if not n:
        return str(others).removeprefix(f"{note.column}: ")
    return "; ".join(filter(None, [f"{note.action}, {FEW_NUMBERS.format(n)}", others.reason]))


def _remarks(study: Study) -> list[str]:
    """Say what is not shown."""
    remarks = []
    n_notes, n_shown = len(_notes(study)), len(study.main_columns)
    if n_notes > LISTED_COLUMNS:
        remarks.append(f"The first {LISTED_COLUMNS} of {n_notes:,} columns are listed.")
    if n_shown < len(study.names):
        remarks.append(
            f"Of {len(study.names):,} columns at most {n_shown} are shown of single rows and as "
            "heat maps: those that tell rows apart most."
        )
    if _has_long_texts(study):
        remarks.append(f"Names and values of more than {TEXT} characters are cut.")
    return remarks


def _of_the_map(study: Study) -> list[str]:
    """Say which rows the map does not show."""
    remarks = []
    n_able = len(study.able)
    if n_able < study.n_rows:
        n_out, have = study.n_rows - n_able, "have the weight 0"
        if not study.is_weighted:
            have = "have no cells, or the weight 0, so nothing is learned from them"
        remarks.append(f"{n_out:,} of {study.n_rows:,} rows {have}; they are not on the map.")
    if len(study.sample) < n_able:
        remarks.append(
            f"The map shows {len(study.sample):,} of {n_able:,} rows, drawn by chance with "
            "some of every cluster; all other figures are of all rows, unless they say otherwise."
        )
    return remarks


def _has_long_texts(study: Study) -> bool:
    vocabulary = study.encoder.vocabulary_
    texts = (text for place in range(len(study.names)) for text in vocabulary.labels(place))
    names = (note.column for note in _notes(study))
    cells = () if study.answers is None else map(str, study.answers.cells)
    return any(len(text) > TEXT for some in (names, texts, cells) for text in some)


def _listed(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name, 40) for name in names[:most]) + more
