"""A saved model as a file for a database or a service."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from untie._util.files import whole_file
from untie.cli.streams import UserError
from untie.clusterer import TableClusterer
from untie.export import Exportable, ExportableClusterer, ExportablePreparer
from untie.model_file import load_model


def write_sql(
    path: Path,
    dialect: str,
    output: Path | None,
    others: Mapping[str, Any],
    table: str | None,
    returned: list[str] | None,
    keep: list[str] | None,
    lookup: str | None,
) -> None:
    """Write a model as a script of SQL, to a file or to standard output.

    The script can be run again: it drops the look-up tables that it made before.

    Parameters
    ----------
    path : Path
        The saved model.
    dialect : {"duckdb", "postgres", "spark", "bigquery"}
        The database.
    output : Path or None
        Where to write.
    others : mapping
        Options that mean nothing here, by their names.
    table : str or None
        The table with the rows.
    returned, keep : list of str or None
        What to return.
    lookup : str or None
        How the names of the look-up tables begin; None makes it of the name of the model's file, so
        that the tables of two models do not meet.
    """
    _refuse(others, dialect)
    if table is None:
        raise UserError("Name the table with the rows: --table NAME")
    model = _load(path)
    kept = _split(keep)
    arguments = _result(model, returned) | {"keep": "*" if kept == ["*"] else kept}
    if not isinstance(model, ExportablePreparer):
        arguments["lookup"] = lookup or "untie_" + re.sub(r"\W+", "_", path.stem)
    sql = model.to_sql(dialect, source=table, **arguments)
    script = str(replace(sql, setup=(*sql.teardown, *sql.setup)))
    if output is None:
        sys.stdout.write(script)
        return
    with whole_file(output) as temporary:
        temporary.write_text(script, encoding="utf-8", newline="")


def write_onnx(
    path: Path,
    output: Path | None,
    others: Mapping[str, Any],
    returned: list[str] | None,
    as_text: list[str] | None,
) -> None:
    """Write a model for onnxruntime to a file.

    Parameters
    ----------
    path : Path
        The saved model.
    output : Path or None
        Where to write; needed.
    others : mapping
        Options that mean nothing here, by their names.
    returned : list of str or None
        What to return.
    as_text : list of str or None
        Columns of numbers that come as text.
    """
    _refuse(others, "onnx")
    if output is None:
        raise UserError("Say where to write the model: --output model.onnx")
    model = _load(path)
    made = model.to_onnx(as_text=_split(as_text), **_result(model, returned))
    with whole_file(output) as temporary:
        temporary.write_bytes(made.SerializeToString())


def _load(path: Path) -> Any:
    model = load_model(path)
    if not isinstance(model, Exportable | ExportableClusterer | ExportablePreparer):
        raise UserError(
            f"{str(path)!r} holds a {type(model).__name__}, which cannot be exported; save a "
            "TableClusterer, a TableEncoder or a Preparer."
        )
    return model


def _result(model: Any, returned: list[str] | None) -> dict[str, Any]:
    if returned is None:
        return {}
    if not isinstance(model, TableClusterer):
        raise UserError(
            "--result is for models with clusters; keep one with untie cluster FILE --save MODEL."
        )
    return {"result": _split(returned)}


def _split(given: list[str] | None) -> list[str]:
    return [name.strip() for entry in given or [] for name in entry.split(",")]


def _refuse(others: Mapping[str, Any], to: str) -> None:
    for name, value in others.items():
        if value is not None:
            raise UserError(f"--{name} means nothing with --to {to}; leave it out.")
