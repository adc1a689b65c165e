"""Write one small model file of every kind, with rows and answers, to tests/data/models.

    python tools/write_model_files.py

The tests load the files of every format. Run this again after a change to what files hold, as long
as the format is in no release; files of a released format are never written again.
"""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
FOLDER = TESTS / "data" / "models"


def refusal(number: int, released: int) -> str | None:
    """Return why the files of a format may not be written, or None if they may."""
    if number > released:
        return None
    return (
        f"Format {number} is in a release, and its files must stay as they are: raise FORMAT, and "
        f"add the upgrade from {number} to UPGRADES, both in src/untie/_persistence/formats.py."
    )


def main() -> None:
    """Write the files of the present format, unless it is in a release."""
    sys.path.insert(0, str(TESTS))
    from saved_models import MODELS, answers, asked_rows
    from untie import save_model
    from untie._persistence.formats import FORMAT, RELEASED

    reason = refusal(FORMAT, RELEASED)
    if reason:
        sys.exit(reason)
    folder = FOLDER / str(FORMAT)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.stem not in MODELS:
            old.unlink()
    for name, make in MODELS.items():
        model, table = make()
        model.fit(table)
        save_model(model, folder / f"{name}.untie")
        columns = asked_rows(table)
        text = json.dumps({"columns": columns, **answers(model, columns)}, indent=1)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        print(f"{name}: {(folder / name).with_suffix('.untie').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
