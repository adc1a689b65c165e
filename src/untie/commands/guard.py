"""Errors -> one message and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

DEBUG = "UNTIE_DEBUG"
"""Set, this variable of the environment brings the traceback back."""

MISTAKE, FAILURE, STOPPED, PIPE_CLOSED = 2, 1, 130, 141


INTERRUPTED = "stopped; no half-written file was left."


class UserError(Exception):
    """Something that the user can set right; its text says how."""


class GuardedGroup(TyperGroup):
    """Sub-commands whose errors become messages."""

    def invoke(self, ctx: Any) -> Any:
        """Run a sub-command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a closed pipe or a full disk can still be told
        except KeyboardInterrupt:
            _stop(INTERRUPTED, STOPPED)
        except OSError as error:
            _stop_for_system(error)
        except (UserError, ValueError, TypeError, ImportError) as error:
            if is_interrupt(error):
                _stop(INTERRUPTED, STOPPED)
            _stop(_in_short(error), MISTAKE)
        except MemoryError as error:
            advice = "use fewer columns (--columns) or values, or a machine with more"
            _stop(f"There is not enough memory{_detail(error)}; {advice}.", FAILURE)
        return result


def is_interrupt(error: BaseException | None) -> bool:
    """Tell whether Ctrl-C stopped a query, which DuckDB reports as an error of its own."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "InterruptException":
            return True
        error = error.__cause__ or error.__context__
    return False


def _in_short(error: BaseException) -> str:
    """Return a message without the pages that DuckDB adds, and that name settings of its own."""
    if "duckdb" in type(error.__cause__).__module__:
        return str(error).partition("\n")[0].strip()
    return str(error)


def _stop_for_system(error: OSError) -> NoReturn:
    if error.errno == errno.EPIPE:  # whoever read our output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED)
    where = f": {error.filename}" if error.filename else ""
    text = f"{error.strerror}{where}" if error.strerror else str(error)
    if error.errno == errno.ENOSPC:
        text += ". Nothing was left half written; make room, or write elsewhere."
    known = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
    _stop(text, MISTAKE if isinstance(error, known) else FAILURE)


def _detail(error: BaseException) -> str:
    return f" ({error})" if str(error) else ""


def _stop(message: str, code: int) -> NoReturn:
    if os.environ.get(DEBUG):
        traceback.print_exc()
    print(f"untie: {message}", file=sys.stderr)
    raise typer.Exit(code)
