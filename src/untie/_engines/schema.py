"""One table of several files: they must have the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untie._util.extras import need


def check_same_columns(columns: Sequence[Sequence[str]], paths: Sequence[str]) -> None:
    """Name a file whose columns are not those of the first, in whatever order."""
    for own, path in zip(columns[1:], paths[1:], strict=True):
        differing = sorted(set(own) ^ set(columns[0]))
        if differing:
            name = differing[0]
            has, lacks = (path, paths[0]) if name in own else (paths[0], path)
            raise ValueError(
                f"The files have different columns: {has!r} has {name!r}, {lacks!r} does not. "
                'Scan files of one kind, or choose columns that all have: untie.scan(sql="SELECT '
                "... FROM read_parquet('*.parquet', union_by_name = true)\"), or read_csv."
            )


def one_schema(schemas: Sequence[Any], paths: Sequence[str]) -> Any:
    """Return the schema that holds the rows of all files, or name the file that differs."""
    pa = need("pyarrow")
    check_same_columns([schema.names for schema in schemas], paths)
    result = _without_dictionaries(schemas[0])
    for schema, path in zip(schemas[1:], paths[1:], strict=True):
        try:
            result = pa.unify_schemas(
                [result, _without_dictionaries(schema)], promote_options="permissive"
            )
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise ValueError(
                f"{path!r} has a column of another type than {paths[0]!r}: {error}. Convert the "
                "file, or cast the column in a query: untie.scan(sql=...)."
            ) from error
    return result


def _without_dictionaries(schema: Any) -> Any:
    """Forget which columns are stored by their distinct values: files may differ in that."""
    pa = need("pyarrow")
    fields = [field.remove_metadata() for field in schema]
    return pa.schema(
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in fields
    )
