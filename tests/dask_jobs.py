"""What runs on the workers of a test's Dask cluster.

It is here and not in the test, as workers must be able to import it: how a test file is imported
depends on how pytest was started, but this folder is always on the path.
"""

import os
import signal
import sys
from contextlib import suppress


def load(part, number, folder):
    """Return a partition; the first worker to see that three were loaded kills itself."""
    if len(list(folder.glob("loaded*"))) >= 3:
        with suppress(FileExistsError), open(folder / "killed", "x") as mark:
            mark.write(str(os.getpid()))
            mark.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"loaded{number}").touch()
    return part


def hide_untie():
    """Make the package look as if it was not installed."""
    for name in list(sys.modules):
        if name.split(".")[0] == "untie":
            del sys.modules[name]
    sys.modules["untie"] = None
