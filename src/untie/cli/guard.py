"""Errors -> one message and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
import warnings
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from untie._util.messages import UnpreparedWarning, message_of
from untie.cli.streams import UserError, tell

DEBUG = "UNTIE_DEBUG"
"""Set, this variable of the environment brings the traceback back."""

MISTAKE, FAILURE, STOPPED, PIPE_CLOSED = 2, 1, 130, 141

BY_SIGNAL = 128
"""The exit code of a command that a signal ended is this and the signal's number."""


_OF_TYPER: tuple[type[Exception], ...] = (
    typer.Exit,
    typer.Abort,
    *(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"),
)
"""The errors that typer itself explains; where they live depends on its version."""


_signals: list[int] = []
"""The signals that asked the command to end, besides Ctrl-C."""


def stop_cleanly_when_terminated() -> None:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does.

    Containers and schedulers send the first, and a terminal that is closed the second.
    """

    def stop(number: int, _: Any) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)  # what is being cleaned up is not left half clean
        _signals.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):  # Windows has only the first
        number = getattr(signal, name, None)
        # Who started us may want it ignored, as nohup does.
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, stop)


class GuardedGroup(TyperGroup):
    """Sub-commands whose errors become messages."""

    def invoke(self, ctx: Any) -> Any:
        """Run a sub-command."""
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # here, where a closed pipe or a full disk can still be told
            except _OF_TYPER:
                raise
            except (Exception, KeyboardInterrupt) as error:
                _explain(error)
            return result


def _show_warning(message: Any, category: Any, *_: Any, **__: Any) -> None:
    """Print what a warning says, not where in the package it comes from."""
    if issubclass(category, UnpreparedWarning):
        return  # commands prepare their tables; such a column is learned from because it is named
    from untie.cli.options import in_options  # for which nothing else here waits

    tell(f"untie: note: {in_options(message_of(message))}")


def _explain(error: BaseException) -> NoReturn:
    if is_interrupt(error):
        code = BY_SIGNAL + _signals[0] if _signals else STOPPED
        _stop("stopped; no half-written file was left.", code)
    if isinstance(error, OSError):
        _stop_for_system(error)
    if isinstance(error, UserError | ValueError | TypeError | ImportError):
        _stop(_in_short(error), MISTAKE)
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        advice = "use fewer columns (--columns) or a machine with more"
        _stop(f"there is not enough memory{detail}; {advice}.", FAILURE)
    name = type(error).__name__
    _stop(f"failed, which should not happen: {name}: {error}. {DEBUG}=1 shows where.", FAILURE)


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
    from untie.cli.options import in_options

    return in_options(message_of(error))


def _stop_for_system(error: OSError) -> NoReturn:
    is_whole = _give_up_output()
    if error.errno == errno.EPIPE:  # whoever read our output has enough
        raise typer.Exit(PIPE_CLOSED)
    where = f": {error.filename}" if error.filename else ""
    text = f"{error.strerror}{where}" if error.strerror else str(error)
    if error.errno == errno.ENOSPC:
        left = "Nothing was left half written" if is_whole else "Standard output has a part of it"
        text += f". {left}; make room, or write elsewhere."
    known = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
    _stop(text, MISTAKE if isinstance(error, known) else FAILURE)


def _give_up_output() -> bool:
    """Drop what standard output does not take, which Python would try to write once more.

    Returns whether it took everything.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _stop(message: str, code: int) -> NoReturn:
    if os.environ.get(DEBUG):
        traceback.print_exc()
    tell(f"untie: {message}")
    raise typer.Exit(code)
