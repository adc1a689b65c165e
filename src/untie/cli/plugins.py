"""Commands that other distributions bring, loaded when they or the help are asked for."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from untie.cli.guard import GuardedGroup, UserError
from untie.cli.lazy import single_command

GROUP = "untie.commands"
"""Entry points of this group name modules with `run` and `EXAMPLES`, like those of our own."""

REMEDIES = {"paper": "pip install untie-paper (or ./reproduction, in a clone of the repository)"}
"""What brings the commands that we know of."""


class PluggedGroup(GuardedGroup):
    """Our own commands, and those of installed plugins."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, our own first."""
        own = super().list_commands(ctx)
        return [*own, *sorted({plugin.name for plugin in entry_points(group=GROUP)} - set(own))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; one that cannot run says why, and what to do, when it is run."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for plugin in entry_points(group=GROUP, name=cmd_name):
            return _load(plugin)
        if cmd_name in REMEDIES:
            return _refusal(cmd_name, "is not installed", REMEDIES[cmd_name])
        return None


def _load(plugin: EntryPoint) -> Any:
    try:
        module = plugin.load()
        return single_command(plugin.name, module.run, epilog=module.EXAMPLES)
    except Exception as error:  # whatever it is, the other commands must work
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        again = f"pip install --force-reinstall {plugin.dist.name if plugin.dist else plugin.name}"
        problem = f"cannot be loaded ({reason})"
        return _refusal(plugin.name, problem, REMEDIES.get(plugin.name, again))


def _refusal(name: str, problem: str, remedy: str) -> Any:
    """Return a command that takes any arguments and tells what is wrong."""

    def refuse() -> None:
        raise UserError(f"the command {name!r} {problem}; install it with: {remedy}")

    any_arguments = {"ignore_unknown_options": True, "allow_extra_args": True}
    return single_command(
        name,
        refuse,
        help="Cannot be loaded; run it to see why.",
        context_settings=any_arguments,
        add_help_option=False,
    )
