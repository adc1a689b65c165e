"""A private server of PostgreSQL, which is gone when the tests are over."""

import csv
import getpass
import io
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

_PLACES = [os.environ.get("PATH", ""), *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
INITDB, PG_CTL, PSQL = (
    shutil.which(program, path=os.pathsep.join(_PLACES)) for program in ("initdb", "pg_ctl", "psql")
)

needs_postgres = pytest.mark.skipif(
    None in (INITDB, PG_CTL, PSQL), reason="PostgreSQL is not installed: `make postgres`"
)

TYPES = {
    "string": "TEXT",
    "int64": "BIGINT",
    "double": "DOUBLE PRECISION",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
    "timestamp[us]": "TIMESTAMP",
    "timestamp[us, tz=UTC]": "TIMESTAMPTZ",
}


class Postgres:
    """A server, reached by psql through a socket in its folder."""

    def __init__(self, folder, user):
        self.folder, self.user = folder, user

    def run(self, script):
        """Run a script; return the rows of its last query as texts, None for NULL."""
        done = subprocess.run(
            [
                *(PSQL, "-X", "-q", "-h", self.folder, "-U", self.user, "-d", "postgres"),
                *("--csv", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", "-f", "-"),
            ],
            input=script.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "PGCLIENTENCODING": "UTF8", "PGTZ": "Asia/Tokyo"},
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        cells = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
        return [[None if cell == "\\N" else cell for cell in row] for row in cells]

    def create(self, name, table):
        """Create a table with the rows of an Arrow table."""
        columns = [f"{_quoted(field.name)} {TYPES[str(field.type)]}" for field in table.schema]
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        lines = ["\t".join(map(_copied, row)) for row in rows]
        text = "\n".join([*lines, "\\."])
        self.run(f"CREATE TABLE {name} ({', '.join(columns)});\nCOPY {name} FROM STDIN;\n{text}\n")


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _copied(cell):
    if cell is None:
        return "\\N"
    escapes = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return "".join(escapes.get(letter, letter) for letter in str(cell))


@contextmanager
def running_server():
    """Yield a `Postgres`; as root, the server runs as the user whom its package has made."""
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    account = pwd.getpwnam(user)
    other = {"user": user, "group": account.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    folder = tempfile.mkdtemp(prefix="untie-pg-")  # short: it is part of a socket's name
    os.chown(folder, account.pw_uid, account.pw_gid)

    def run(*command):
        subprocess.run(
            command,
            check=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **other,
        )

    data = f"{folder}/data"
    try:
        run(INITDB, "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run(PG_CTL, "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield Postgres(folder, user)
        finally:
            run(PG_CTL, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
