"""Where the site's pages are, and the scripts that build and check it."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def script(path):
    """Return a script of the folder `docs` as a module."""
    spec = spec_from_file_location(Path(path).stem, DOCS / path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
