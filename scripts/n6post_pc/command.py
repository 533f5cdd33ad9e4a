"""Shared parts of the commands: argument parsers, errors, progress bars and exit codes."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import terminal

T = TypeVar("T")

FINE, FINDINGS, WRONG = 0, 1, 2  # exit codes: success, findings, wrong use

BAR_AFTER = 2  # seconds after which a progress bar is shown


class UserError(Exception):
    """An error that the user can fix. The command prints the message and ends with exit code 2."""


def parser(prog: str, description: str, examples: Sequence[str] = ()) -> argparse.ArgumentParser:
    """A parser with a description of several paragraphs and examples, which are command lines without `prog`."""
    return argparse.ArgumentParser(prog=prog, **shown(prog, description, examples))


def shown(prog: str, description: str, examples: Sequence[str]) -> dict[str, Any]:
    """The keyword arguments for such a parser, or for that of a subcommand."""
    width = max(shutil.get_terminal_size().columns - 2, 20)  # the width that argparse uses for options
    paragraphs = [textwrap.fill(text, width, break_on_hyphens=False) for text in description.split("\n\n")]
    # Examples are not wrapped, so that they can be copied.
    epilog = "\n".join(["examples:", *(f"  {prog} {example}".rstrip() for example in examples)]) if examples else None
    text = "\n\n".join(paragraphs)
    return {"description": text, "epilog": epilog, "formatter_class": argparse.RawDescriptionHelpFormatter}


def quoted(path: Path) -> str:
    """The path as one word of a command line, for the shell of this system."""
    return subprocess.list2cmdline([str(path)]) if os.name == "nt" else shlex.quote(str(path))


class Bar:
    """A progress bar on stderr. It is shown on a terminal only, and only after BAR_AFTER seconds."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._started = total, what, time.monotonic()
        self._progress: Any = None

    def show(self, done: int) -> None:
        if self._progress is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < BAR_AFTER:
                return
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            # The command's output on the same terminal is printed above the bar.
            self._progress = Progress(
                TextColumn(self._what), MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(),
                console=terminal.console(stderr=True), redirect_stdout=sys.stdout.isatty(), transient=True)  # fmt: skip
            self._task = self._progress.add_task("", total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items and count each as done when the next one is requested."""
        try:
            for number, item in enumerate(items):
                self.show(number)
                yield item
        finally:
            self.close()
