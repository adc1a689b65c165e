"""The command ``untie``: its sub-commands, and errors -> one message and an exit code."""

import errno
import os
import signal
import sys
import traceback
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from untie._util.about import VERSION
from untie._util.messages import message_of
from untie.cli.commands import COMMANDS
from untie.cli.options import in_options
from untie.cli.streams import UserError, set_up_streams, tell

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


PAPER = ("paper", "untie_paper", "untie_paper.command")
"""A command of another distribution: its name, and the modules that tell of it and have it."""


class Commands(TyperGroup):
    """The sub-commands, whose errors become messages, and ``paper`` where it is installed."""

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

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        own = super().list_commands(ctx)
        return [*own, PAPER[0]] if find_spec(PAPER[1]) else own

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; ``paper`` says how to install it if it is not there."""
        if cmd_name != PAPER[0]:
            return super().get_command(ctx, cmd_name)
        try:
            module = import_module(PAPER[2])
        except ImportError as error:
            return _refusal(f"the command 'paper' needs the distribution untie-paper ({error})")
        return single_command(PAPER[0], module.run, epilog=module.EXAMPLES)


def _show_warning(message: Any, category: Any, *_: Any, **__: Any) -> None:
    """Print what a warning says, not where in the package it comes from."""
    from untie._prepare.unprepared import UnpreparedWarning

    if issubclass(category, UnpreparedWarning):
        return  # commands prepare their tables; such a column is learned from because it is named
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


def single_command(name: str, run: Any, epilog: str | None = None, **settings: Any) -> Any:
    """Return a function as a command of its own."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, epilog=epilog, **settings)(run)
    return typer.main.get_command(alone)


def _refusal(problem: str) -> Any:
    """Return a command that takes any arguments and tells what is wrong."""
    remedy = "pip install untie-paper (or ./reproduction, in a clone of the repository)"

    def refuse() -> None:
        raise UserError(f"{problem}; install it with: {remedy}")

    any_arguments = {"ignore_unknown_options": True, "allow_extra_args": True}
    return single_command(PAPER[0], refuse, context_settings=any_arguments, add_help_option=False)


app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, rich_markup_mode="rich")


for _name, (_run, _examples) in COMMANDS.items():
    app.command(_name, epilog=_examples)(_run)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"untie {VERSION}")
        raise typer.Exit


@app.callback(no_args_is_help=True)
def _untie(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Clusters, vectors and similarities for categorical and mixed tables."""


def main() -> None:
    """Run the command, under its own name however it was started."""
    set_up_streams()
    stop_cleanly_when_terminated()
    app(prog_name="untie")


if __name__ == "__main__":
    main()
