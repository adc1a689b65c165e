"""The page of the command, written from its own help at build time."""

import typer
from rich.text import Text

from untie.cli.app import COMMANDS, single_command

PAGE = "reference/command"
MARK = "<!-- the sub-commands -->"


def fill_page(app, docname, content):
    """Put the help of all sub-commands into the page, where its mark is."""
    if docname == PAGE:
        before, after = content[0].split(MARK)
        content[0] = before + "\n\n".join(section(name) for name in COMMANDS) + after


def section(name):
    """Return what one sub-command's help says, as Markdown."""
    command = single_command(name, *COMMANDS[name])
    context = typer.Context(command, info_name=f"untie {name}")
    usage = " ".join([f"untie {name}", *command.collect_usage_pieces(context)])
    parts = [f"## untie {name}", plain(command.help), f"```console\n$ {usage}\n```"]
    for title, entries in panels(command, context).items():
        parts += [f"**{title}**", *entries]
    return "\n\n".join([*parts, examples(command.epilog)])


def panels(command, context):
    """Return the arguments and options under the headings that the help has them under."""
    found = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        is_argument = parameter.param_type_name == "argument"
        title = getattr(parameter, "rich_help_panel", None)
        title = title or ("Arguments" if is_argument else "Options")
        found.setdefault(title, []).append(f"`{record[0]}`\n: {told(parameter, record[1])}")
    return found


def told(parameter, record):
    """Return what is said of a parameter, and its default, which rich would take for a mark."""
    words = parameter.help or ""
    rest = record.removeprefix(words).strip()
    return " ".join(f"{plain(words)} {rest}".split())


def examples(text):
    """Return the examples: commands in a block, sentences below it."""
    lines = [line for line in text.split("\n\n") if not line.startswith("[bold]")]
    commands = [runnable(line) for line in lines if line.startswith("[cyan]")]
    sentences = [plain(line) for line in lines if not line.startswith("[cyan]")]
    block = "\n".join(["```console", *commands, "```"])
    return "\n\n".join(["**Examples**", block, *sentences])


def runnable(line):
    """Return an example with what is said of it as a comment."""
    command, _, remark = line.partition("[/cyan]")
    said = unmarked(remark).strip()
    return f"$ {unmarked(command + '[/cyan]')}" + (f"  # {said}" if said else "")


def unmarked(markup):
    """Return words without the marks of rich."""
    return Text.from_markup(markup or "").plain


def plain(markup):
    """Return words without the marks of rich, with those of Markdown made harmless."""
    text = unmarked(markup)
    return text.replace("*", r"\*").replace("<", r"\<") if "`" not in text else text


def setup(app):
    """Add the hook."""
    app.connect("source-read", fill_page)
    return {"parallel_read_safe": True}
