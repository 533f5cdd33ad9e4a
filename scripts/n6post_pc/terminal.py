"""Print text safely to a terminal.

Labels and the names of files, models and operators are untrusted: they may contain control sequences. `guarded` cleans
everything that a command prints, `console` everything that it prints with rich.
"""

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

STDOUT = "standard output"  # its name in errors

# Control characters except tab and line feed, characters that change the text direction, and lone surrogates.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Escape control characters as in Python source: ESC becomes \x1b."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


class _Named:
    """Wraps a stream. Its errors name it, as those of other files do."""

    def __init__(self, stream: Any) -> None:
        self.raw = stream

    def _call(self, name: str, *arguments: Any) -> Any:
        try:
            return getattr(self.raw, name)(*arguments)
        except OSError as error:
            error.filename = STDOUT
            raise

    def write(self, text: Any) -> int:
        written: int = self._call("write", text)
        return written

    def flush(self) -> None:
        self._call("flush")

    @property
    def buffer(self) -> Any:
        return _Named(self.raw.buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


class _Cleaned(_Named):
    """Cleans the text that is written."""

    def write(self, text: str) -> int:
        return super().write(clean(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


def _raw(stream: Any) -> Any:
    return stream.raw if isinstance(stream, _Cleaned) else stream


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Context manager: clean everything that is printed to stdout and stderr."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_Cleaned(_raw(stream)) for stream in before)  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def for_scripts() -> TextIO:
    """The stream for the output of a user's script: cleaned on a terminal, unchanged in a file or pipe."""
    stream: TextIO = sys.stdout
    if stream is None or stream.isatty():
        return stream
    named: Any = _Named(_raw(stream))
    raw: TextIO = named
    return raw


def console(stderr: bool = False) -> "Console":
    """A rich console that cleans text and does not interpret it: no markup, no emoji, no highlights."""
    from rich.console import Console, ConsoleOptions, RenderHook, RenderResult
    from rich.segment import Segment

    class Cleaned:
        def __init__(self, inside: Any) -> None:
            self.inside = inside

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for text, style, control in console.render(self.inside, options):
                yield Segment(text if control else clean(text), style, control)

    class Hook(RenderHook):
        def process_renderables(self, renderables: list[Any]) -> list[Any]:
            return [Cleaned(one) for one in renderables]

    stream = sys.stderr if stderr else sys.stdout
    # Write to the raw stream: the wrapper would also clean rich's own color codes.
    file: Any = _Named(stream.raw) if isinstance(stream, _Cleaned) else None
    made = Console(file=file, stderr=stderr, highlight=False, markup=False, emoji=False)
    made.push_render_hook(Hook())
    return made
