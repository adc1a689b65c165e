"""The files in `examples`, as modules."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def example(name):
    """Import an example; its `main` is not run."""
    path = Path(__file__).parents[1] / "examples" / f"{name}.py"
    spec = spec_from_file_location(f"example_{name}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
