"""What the commands have in common: their help, what they say of a mistake, how far they are, and their exit codes."""

import argparse
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

FINE, FINDINGS, WRONG = 0, 1, 2  # exit codes: nothing to say, something was found, wrong use

BAR_AFTER = 2  # seconds


class UserError(Exception):
    """What whoever runs the command can put right, as a sentence. The command ends with exit code 2."""


def parser(prog: str, description: str, examples: Sequence[str] = ()) -> argparse.ArgumentParser:
    """A parser whose help shows the paragraphs of `description`, and examples: command lines that begin behind `prog`."""
    return argparse.ArgumentParser(prog=prog, **shown(prog, description, examples))


def shown(prog: str, description: str, examples: Sequence[str]) -> dict[str, Any]:
    """The arguments of a parser, or of a subcommand's, for such a help."""
    width = max(shutil.get_terminal_size().columns - 2, 20)  # as argparse has it for the options
    paragraphs = [textwrap.fill(text, width, break_on_hyphens=False) for text in description.split("\n\n")]
    # A command line stays one line, however long: it is there to be copied.
    epilog = "\n".join(["examples:", *(f"  {prog} {example}".rstrip() for example in examples)]) if examples else None
    told = "\n\n".join(paragraphs)
    return {"description": told, "epilog": epilog, "formatter_class": argparse.RawDescriptionHelpFormatter}


class Bar:
    """How far it is: on a terminal, on stderr, and only once it takes longer than BAR_AFTER seconds."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._started = total, what, time.monotonic()
        self._progress: Any = None

    def show(self, done: int) -> None:
        if self._progress is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < BAR_AFTER:
                return
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            # What the command prints on the same terminal goes above the bar.
            self._progress = Progress(
                TextColumn(self._what), MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(),
                console=Console(stderr=True), redirect_stdout=sys.stdout.isatty(), transient=True)  # fmt: skip
            self._task = self._progress.add_task("", total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """The items, one after the other, each shown as done when the next is asked for."""
        try:
            for number, item in enumerate(items):
                self.show(number)
                yield item
        finally:
            self.close()
