"""Build the files of a release and try them as a stranger would: `make release-check`.

Builds the sdist, and the wheel from the sdist; looks at their sizes, and where their README leads;
lets others' tools look at both and at the repository; installs each in an empty environment and
runs the demo there, and the doctests from the wheel. Stops with 1 if anything was found, after
everything was tried.

    python tools/release_check.py                # into dist/
    python tools/release_check.py --tag v0.1.0   # and refuse another version than the tag's
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
ABOUT = ROOT / "src/untie/_util/about.py"
DOCTEST_FLAGS = "NORMALIZE_WHITESPACE ELLIPSIS"

EXPECTED = {
    "pyroma": (
        "Your package does not have author-email data.",
        "the project has no address for mail yet",
    ),
}
"""What a tool misses and can't be had, with the reason."""

UNREACHABLE = ("ConnectionError", "Timeout", "Max retries")
"""Parts of what pip-audit says where its service can't be reached."""

LARGEST_BYTES = 2_500_000
"""What a file may have: tables and figures of the evidence stay in the repository."""


class Findings:
    """What was tried and what was found, printed on the way."""

    def __init__(self) -> None:
        self.bad: list[str] = []

    def tell(self, what: str, problem: str | None, remark: str = "") -> None:
        """Print one line, and the problem if there is one."""
        state = "FOUND" if problem is not None else "ok"
        print(f"{state:5} {what}{f' ({remark})' if remark else ''}", flush=True)
        if problem is not None:
            print(problem, flush=True)
            self.bad.append(what)

    def skip(self, what: str, why: str) -> None:
        """Print what was not done."""
        print(f"-     {what}: not done, as {why}", flush=True)

    def run(self, what: str, call: Sequence[object], folder: Path = ROOT) -> str:
        """Run a command, tell how it ended and return what it printed."""
        code, said = run(call, folder)
        self.tell(what, said if code else None)
        return said


def run(call: Sequence[object], folder: Path) -> tuple[int, str]:
    """Return the exit code of a command and what it printed."""
    done = subprocess.run(
        [str(part) for part in call],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tag", default="", help="the tag that is to be released, as v0.1.0")
    tag = parser.parse_args().tag
    findings = Findings()
    name, version = about()
    check_tag(tag, version, findings)
    shutil.rmtree(DIST, ignore_errors=True)
    findings.run("build of sdist and wheel", [sys.executable, "-m", "build", "--outdir", DIST])
    files = sorted(DIST.glob(f"{name.replace('-', '_')}-{version}*"))
    findings.tell("one sdist and one wheel", None if len(files) == 2 else f"{files}")
    look_at(files, findings)
    for file in files:
        try_file(file, name, version, findings)
    if findings.bad:
        sys.exit(f"{len(findings.bad)} of what was tried failed: {', '.join(findings.bad)}")
    print(f"{name} {version} can be released.")


def about() -> tuple[str, str]:
    """Return the name of the distribution and its version, as the source says them."""
    said = dict(re.findall(r'^([A-Z]+) = "(.+)"$', ABOUT.read_text(), re.M))
    return said["DISTRIBUTION"], said["VERSION"]


def check_tag(tag: str, version: str, findings: Findings) -> None:
    """Compare a tag with the version, and see that the changelog has it; without a tag, nothing."""
    if not tag:
        return
    findings.tell("the tag", None if tag == f"v{version}" else f"{tag} is not v{version}")
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    dated = any(re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", h) for h in headings)
    findings.tell("the changelog", None if dated else f"No date stands behind {version}.")


def look_at(files: Iterable[Path], findings: Findings) -> None:
    """Let others' tools look at the files and at the repository."""
    tool = Path(sys.executable).parent
    wheels = [file for file in files if file.suffix == ".whl"]
    sdists = [file for file in files if file.suffix != ".whl"]
    findings.run("twine check", [tool / "twine", "check", "--strict", *files])
    findings.run("check-wheel-contents", [tool / "check-wheel-contents", *wheels])
    for file in files:
        size = file.stat().st_size
        told = f"{file.name} has {size:,} bytes, more than {LARGEST_BYTES:,}."
        findings.tell(f"size of {file.name}", told if size > LARGEST_BYTES else None)
    for wheel in wheels:
        lost = relative_targets(metadata_of(wheel))
        told = f"They lead nowhere from the page on the index: {', '.join(lost)}"
        findings.tell("links of the README", told if lost else None)
    projects = ["pyproject.toml", "reproduction/pyproject.toml"]
    findings.run("validate-pyproject", [tool / "validate-pyproject", *projects])
    findings.run("sp-repo-review", [tool / "sp-repo-review", "."])
    rate(tool, sdists, findings)
    audit(tool, findings)


def rate(tool: Path, sdists: Iterable[Path], findings: Findings) -> None:
    """Ask pyroma, and let nothing pass but what is expected."""
    sentence, reason = EXPECTED["pyroma"]
    for sdist in sdists:
        _, said = run([tool / "pyroma", "--min", "1", sdist], ROOT)
        lines = re.split(r"^-+$", said, flags=re.M)
        missed = [line.strip() for line in lines[2:-2] if line.strip() not in ("", sentence)]
        rated = "Final rating" in said
        remark = f"but for its remark {sentence!r}: {reason}" if sentence in said else ""
        findings.tell("pyroma", said if missed or not rated else None, remark)


def metadata_of(wheel: Path) -> str:
    """Return what a wheel says of itself: fields, and the README as the index will show it."""
    with ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


def relative_targets(text: str) -> list[str]:
    """Return the links and pictures of Markdown that only hold beside other files.

    Examples
    --------
    >>> relative_targets('[a](docs/a.md), [b](https://b.org), [c](#c), <img src="d.png">')
    ['docs/a.md', 'd.png']
    """
    found = re.findall(r"\]\(([^)\s]+)", text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    return [target for target in found if not re.match(r"https?://|mailto:|#", target)]


def audit(tool: Path, findings: Findings) -> None:
    """Ask for known weaknesses of what the package needs, where the service can be reached."""
    with tempfile.TemporaryDirectory() as folder:
        needed, answer = Path(folder) / "needed.txt", Path(folder) / "answer.json"
        needed.write_text("\n".join(requirements()))
        call = [tool / "pip-audit", "--progress-spinner", "off", "--requirement", needed]
        _, said = run([*call, "--format", "json", "--output", answer], ROOT)
        answers = json.loads(answer.read_text())["dependencies"] if answer.exists() else []
    unknown = [a["name"] for a in answers if "skip_reason" in a]
    if not answers and not any(part in said for part in UNREACHABLE):
        findings.tell("pip-audit", said)
    elif len(unknown) == len(answers):
        why = "knows none of the packages" if answers else "can't be reached"
        findings.skip("pip-audit", f"its service {why}")
    else:
        findings.tell("pip-audit", weaknesses(answers), f"{len(answers)} packages")


def weaknesses(answers: Iterable[Mapping[str, Any]]) -> str | None:
    """Return what pip-audit knows against packages, and which it does not know; None if nothing.

    Examples
    --------
    >>> weaknesses([{"name": "a", "version": "1", "vulns": []}])
    >>> print(weaknesses([{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}]))
    a 1: X-1
    >>> print(weaknesses([{"name": "b", "skip_reason": "not found"}]))
    b: not found
    """
    found = [f"{a['name']}: {a['skip_reason']}" for a in answers if "skip_reason" in a]
    found += [f"{a['name']} {a['version']}: {v['id']}" for a in answers for v in a.get("vulns", ())]
    return "\n".join(found) or None


def requirements() -> list[str]:
    """Return what the package and its extras on one machine need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    found = [*project["dependencies"], *(r for e in extras for r in extras[e])]
    return sorted({r for r in found if not r.startswith(project["name"])})


def try_file(file: Path, name: str, version: str, findings: Findings) -> None:
    """Install a file in an empty environment, far from the clone, and use it."""
    kind = "wheel" if file.suffix == ".whl" else "sdist"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        venv.create(folder / "env", with_pip=True, upgrade_deps=True)
        python = folder / "env/bin/python"
        # The doctests need all that runs on one machine; the demo, what its page says.
        extras = "all" if kind == "wheel" else "pandas,report"
        wanted = [f"{file}[{extras}]", *(["pytest"] if kind == "wheel" else [])]
        install = [python, "-m", "pip", "install", "--quiet", *wanted]
        findings.run(f"{kind}: install with [{extras}]", install, folder)
        compare_versions(kind, python, name, version, folder, findings)
        shutil.copy(ROOT / "examples/demo.py", folder)
        findings.run(f"{kind}: demo", [python, "demo.py"], folder)
        if kind == "wheel":
            doctests(python, folder, findings)


def compare_versions(
    kind: str, python: Path, name: str, version: str, folder: Path, findings: Findings
) -> None:
    """See that all that tells a version tells the same."""
    script = (
        "import untie; from importlib.metadata import version; "
        f"print(untie.__version__, version({name!r}))"
    )
    _, told = run([python, "-c", script], folder)
    _, by_command = run([python.parent / "untie", "--version"], folder)
    right = told.split() == [version, version] and by_command.split() == ["untie", version]
    findings.tell(f"{kind}: versions", None if right else f"{told} {by_command}, not {version}")


def doctests(python: Path, folder: Path, findings: Findings) -> None:
    """Run the examples of the docstrings that need no cluster."""
    call = [python, "-m", "pytest", "-q", "--doctest-modules", "--doctest-ignore-import-errors"]
    call += ["-p", "no:cacheprovider", "-o", f"doctest_optionflags={DOCTEST_FLAGS}"]
    said = findings.run("wheel: doctests", [*call, "--pyargs", "untie"], folder)
    passed = re.search(r"\d+ passed.*", said)
    found = None if passed else said
    findings.tell("wheel: doctests ran", found, passed.group() if passed else "")


if __name__ == "__main__":
    main()
