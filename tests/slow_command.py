"""The command, writing so slowly that a test can stop it in the middle."""

import time

from untie._engines import writing as sink
from untie.cli.app import main


def write_slowly(reader, path, *settings):
    with open(path, "w") as file:
        file.write("half of")
        file.flush()
        time.sleep(100)


if __name__ == "__main__":
    sink._write_text = write_slowly
    main()
