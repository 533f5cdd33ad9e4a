"""n6post camera report: what a camera printed, as Markdown to paste into an issue."""

import importlib.metadata
import json
import platform
import re
from collections.abc import Iterator, Sequence

from ..command import UserError
from . import repl

_MARK = "N6POST "
LONGEST = 40_000  # characters of the self-test's lines; an issue may have 65,536 in all

# Runs on the camera. It reads no serial number.
_FACTS = f"""
import json, os, sys
facts = {{}}
try:
    import omv
    facts["Camera"] = omv.board_type()
    facts["Firmware"] = omv.version_string()
except (ImportError, AttributeError):
    facts["Camera"] = "none: " + sys.implementation.name + " on " + sys.platform
try:
    facts["Build"] = os.uname().version + ", " + os.uname().machine
except AttributeError:
    facts["Build"] = sys.version
print({_MARK!r} + json.dumps(facts))
"""


def facts(port: str, installed: bool) -> dict[str, str]:
    """The camera, its firmware, whose n6post runs there, and this PC. UserError if the camera does not answer."""
    for line in repl.ask(port, _FACTS).splitlines():
        if line.startswith(_MARK):
            try:
                found = {str(name): str(text) for name, text in json.loads(line[len(_MARK) :]).items()}
            except (ValueError, AttributeError, RecursionError):
                break
            found["Library"] = "the camera's own n6post" if installed else "the n6post of the PC, over the cable"
            versions = f"Python {platform.python_version()}, mpremote {importlib.metadata.version('mpremote')}"
            found["PC"] = f"{platform.system()}, {versions}"
            return found
    raise UserError(f"the answer of the camera on {port} cannot be read")


def result(lines: Sequence[str]) -> tuple[int, int] | None:
    """(passed, failed) of a self-test, from its last line. None if it has stopped before its end."""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    match = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    return (int(match[1]), int(match[2])) if match else None


def notable(lines: Sequence[str]) -> list[str]:
    """The self-test's failed checks with their errors, what was skipped, and what only silicon can show."""
    found = []
    failed = False
    for line in lines:
        starts = re.match(r"ok  |FAILED  |skipped \d|\d+ passed, ", line)
        failed = line.startswith("FAILED") or failed and not starts
        if failed or line.startswith("skipped ") or "the core saves" in line or "interrupts" in line:
            found.append(line)
    return found


def figures(measured: Sequence[str]) -> str:
    """The benchmark's table as one line of JSON, which scripts/dev/silicon/figures.py merges with those of other cameras."""
    words = dict(re.findall(r"(n6post|firmware) ([^\s,]+)", measured[0]))
    camera = re.search(r", ([^,]+), firmware", measured[0])
    core = re.search(r"(Cortex[^,]*)", measured[0])
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in measured if line.startswith("|")]
    numbers = {name: float(number.replace(",", "")) for name, number, *_ in _named(cells[2:]) if _is_number(number)}
    return json.dumps({"camera": camera[1] if camera else measured[0], "firmware": words.get("firmware", ""),
                       "n6post": words.get("n6post", ""), "core": core[1] if core else "", "unit": cells[0][1],
                       "figures": numbers})  # fmt: skip


def _named(rows: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The rows: a drawing has the name of what is drawn, and the bytes after a start are a row of their own."""
    last = ""
    for row in rows:
        start = re.fullmatch(r"(start: .*); then (\d+) bytes of heap", row[0])
        if start:
            yield start[1], *row[1:]
            yield "heap after the start, bytes", start[2]
        elif row[0].startswith("drawing that"):
            yield f"{last}, drawing", *row[1:]
        else:
            last = row[0]
            yield row


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d,]+(\.\d+)?", text) is not None


def markdown(
    about: dict[str, str], tested: Sequence[str], why_not_tested: str, measured: str, why_not_measured: str
) -> str:
    """The report.

    about             what `facts` returns
    tested            the lines of the self-test
    why_not_tested    why the self-test stopped before its end, or ""
    measured          the benchmark's table in a collapsed block, or ""
    why_not_measured  why there is no table, or ""
    """
    text = ["### Camera", "", *(f"- {name}: {_inline(value)}" for name, value in about.items()), "", "### Self-test", ""]
    outcome = result(tested)
    text.append(f"**{outcome[0]} passed, {outcome[1]} failed**" if outcome else
                f"**Stopped before its end**: {_inline(why_not_tested or 'no reason is known')}")  # fmt: skip
    if lines := notable(tested) if outcome else list(tested[-20:]):
        text += ["", *_fenced(lines)]
    if tested:
        text += ["", "<details><summary>All lines of the self-test</summary>", "", *_fenced(tested), "", "</details>"]
    text += ["", "### Benchmark", "", measured or f"**No table**: {_inline(why_not_measured or 'it was not run')}"]
    return private("\n".join(text))


def private(text: str) -> str:
    """The text without private details: names of ports, which may contain a serial number, and folders of this PC."""
    text = re.sub(r"(?:/dev/[\w./:-]+|\bCOM\d+\b)", "the port", text)
    return re.sub(r"(?<![\w/.])(?:/(?:home|Users|root)/|[A-Za-z]:\\)[^\s'\"`]*[/\\]([^\s'\"`/\\]+)", r".../\1", text)


def _inline(text: str) -> str:
    return " ".join(text.split())


def _fenced(lines: Sequence[str]) -> list[str]:
    """A block of text whose fence is longer than any row of backticks in it."""
    inside = "\n".join(lines)
    if len(inside) > LONGEST:
        left_out = f"... {len(inside) - LONGEST:,} characters left out ..."
        inside = f"{inside[: LONGEST // 2]}\n{left_out}\n{inside[-LONGEST // 2 :]}"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", inside)), default=0))
    return [f"{fence}text", inside, fence]
