import io
import os
import subprocess
import sys
import time

import pytest

from command_cases import start, write_people
from untie.cli.streams import visible, write_for_programs

try:
    import fcntl
    import resource
except ImportError:  # on Windows, whose tests do not start processes
    pass

ENOUGH = 60
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zürich, 東京 🙂", "Zürich, 東京 🙂"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        ("a\rb\x7f\x9b", "a\\rb\\x7f\\x9b"),
        ("lone \ud800", "lone \\ud800"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text, shown):
    assert visible(text) == shown


def test_programs_get_every_character_and_the_line_ends_that_cells_have():
    """As on Windows, where a pipe has an encoding of a few languages and other line ends."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252", newline="\r\n")
    write_for_programs(stream)
    stream.write('東京,"two\nlines"\n')
    stream.flush()
    assert raw.getvalue().decode("utf-8") == '東京,"two\nlines"\n'


@pytest.mark.integration
def test_a_slow_reader_gets_every_line():
    """Without a buffer, what a pipe does not take at once would be lost."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    process = start("datasets", "mushroom", stdout=writing, env=UNBUFFERED)
    os.close(writing)
    pieces = []
    with open(reading, "rb", buffering=0) as pipe:
        while piece := pipe.read(3000):
            pieces.append(piece)
            if len(pieces) % 50 == 0:
                time.sleep(0.001)
    _, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == 0, err
    assert b"".join(pieces).count(b"\n") == 5645


@pytest.mark.integration
def test_a_full_disk_is_told_without_a_buffer(tmp_path):
    output = tmp_path / "out.csv"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    with open(output, "wb") as file:
        process = start("datasets", "mushroom", stdout=file, env=UNBUFFERED, preexec_fn=limit)
        _, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == 1
    assert err.startswith(b"untie: File too large")


@pytest.mark.integration
def test_closed_streams(people, tmp_path):
    output = tmp_path / "out.csv"

    def run(*arguments, closed):
        call = [sys.executable, "-m", "untie", *map(str, arguments)]
        script = 'exec "$@" ' + closed
        return subprocess.run(
            ["sh", "-c", script, "sh", *call], capture_output=True, timeout=ENOUGH, check=False
        )

    done = run("datasets", "zoo", closed=">&-")
    assert (done.returncode, done.stderr) == (0, b"")

    done = run("cluster", people, "--k", 2, "-o", output, "--format", "csv", closed=">&- 2>&-")
    assert done.returncode == 0
    assert len(output.read_text().splitlines()) == 121

    done = run("cluster", people, "--k", 2, "--format", "csv", closed="2>&-")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 121  # remarks are not among them

    done = run("cluster", "-", closed="<&-")
    assert done.returncode == 2
    assert done.stderr == b"untie: Standard input is closed; name a file, or pipe one in.\n"


@pytest.mark.integration
def test_ctrl_c_while_libraries_are_read():
    """A signal in the middle of imports ends the command as one later does."""
    code = (
        "import sys, builtins, untie.__main__ as command\n"
        "real = builtins.__import__\n"
        "def interrupted(name, *rest, **more):\n"
        "    if name == 'untie.cli.app': raise KeyboardInterrupt\n"
        "    return real(name, *rest, **more)\n"
        "builtins.__import__ = interrupted\n"
        "command.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=ENOUGH)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
