"""What need not be tested again: host_tests/proven.txt says which files have not changed since a whole run.

What a test with the mark `proof(*files)` tests is in these files and in its own. While they are as they were when
`scripts/test.py --all` last passed, it is left out; with the fixture `whole` it tries a sample instead. What has changed is
tested whole, in every run. `--all` tests everything and then writes proven.txt: a hash for each such set of files.
"""

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROVEN = ROOT / "host_tests" / "proven.txt"
everything = False  # whether --all is given


@cache
def state(*patterns: str) -> str:
    """One hash of all files that the patterns match, as from the top of the project: of their names and contents."""
    found = hashlib.sha256()
    for pattern in patterns:
        files = [file for file in ROOT.glob(pattern) if file.is_file() and "__pycache__" not in file.parts]
        if not files:
            raise ValueError(f"{pattern}: no such file")
        for file in sorted(files):
            found.update(f"{file.relative_to(ROOT).as_posix()} {file.stat().st_size}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]


@cache
def proven() -> frozenset[str]:
    """The states that the last whole run has tested."""
    text = PROVEN.read_text(encoding="utf-8") if PROVEN.exists() else ""
    return frozenset(line.split()[0] for line in text.splitlines())


def write(tested: dict[str, str]) -> None:
    """Keep these as the proven ones: {state: a test file}."""
    lines = [f"{state}  {file}\n" for state, file in sorted(tested.items(), key=lambda one: (one[1], one[0]))]
    PROVEN.write_text("".join(lines), encoding="utf-8", newline="\n")
