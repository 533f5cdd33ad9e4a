"""The dice, the possible outcomes of a check, and the loop that runs cases. Nothing here depends on an area."""

from __future__ import annotations

import linecache
import random
import re
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

LIB = str(Path(__file__).resolve().parents[3] / "lib" / "n6post")

# How a result was checked.
REFUSED = "refused"  # a ValueError or TypeError, raised on purpose and with a message
CONFIRMED = "confirmed"  # an independent reference has the same result
BOUNDED = "bounded"  # without a reference: within its bounds, and unchanged after the model's memory was overwritten

SECONDS = 60  # limit of a case, in this process' CPU time


class Finding(Exception):  # noqa: N818  (a result is wrong, not this program)
    """A wrong result. `place`: the area and the dice of its case."""

    place: tuple[str, Dice]


class Dice:
    """The source of a case's random choices, which are the same for the same seed and case.

    `calm`: the numbers of choices that are replaced by the first, simplest possibility. This makes a failure smaller, and
    the smaller form can be repeated.
    """

    def __init__(self, seed: int, case: int, calm: Iterable[int] = ()) -> None:
        self.key = seed, case
        self.calm = frozenset(calm)
        self.count = 0
        self.told: dict[str, Any] = {}
        self._random = random.Random(seed * 0x1_0000_0001 + case).random
        self._array: np.random.Generator | None = None

    @property
    def array(self) -> np.random.Generator:
        """A generator for the numbers of tensors. It is created on first use, because that takes longer than many cases."""
        if self._array is None:
            self._array = np.random.Generator(np.random.PCG64(self.key[0] * 0x1_0000_0001 + self.key[1]))
        return self._array

    def share(self) -> float:
        """A number in 0 <= x < 1."""
        drawn = self._random()
        self.count += 1
        return 0.0 if self.calm and self.count - 1 in self.calm else drawn

    def chance(self, part: float) -> bool:
        return self.share() > 1.0 - part

    def pick(self, what: Sequence[T]) -> T:
        return what[int(self.share() * len(what))]

    def whole(self, low: int, high: int) -> int:
        return low + int(self.share() * (high - low + 1))

    def between(self, low: float, high: float) -> float:
        return low + self.share() * (high - low)

    def tell(self, **what: Any) -> None:
        """Add values to the report of this case."""
        self.told.update(what)

    def some(self, **what: tuple[float, Any]) -> dict[str, Any]:
        """A part of these options, name=(how often, possible values)."""
        return {name: self.pick(values) for name, (often, values) in what.items() if self.chance(often)}


ABSURD = ("expected scores from 0 to 1", "expected boxes in or near the input", "expected class scores from 0 to 1, got")


def require(fact: Any, what: str, *values: Any) -> None:
    """Raise a Finding unless `fact` is true. The values are formatted only then.

    A refusal is right, too, if random numbers are no scores or boxes at all: ModelBinding.guard.
    """
    if not fact and not (what.startswith("refused ") and str(values[-1]).startswith(ABSURD)):
        raise Finding(what % values if values else what)


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def same(what: str, got: Any, wanted: Any) -> None:
    """Raise a Finding unless both are equal."""
    require(_listed(got) == _listed(wanted), what + " %r, expected %r", got, wanted)


def close(what: str, got: Any, wanted: Any, part: float = 0.0, reach: Any = 0.0) -> None:
    """Raise a Finding unless the numbers are equal but for `reach` and this part of them."""
    near = np.shape(got) == np.shape(wanted) and np.allclose(got, wanted, rtol=part, atol=reach)
    require(near, what + " %r, expected %r", got, wanted)


# --- refusals ----------------------------------------------------------------------------------------------------------
def attempt(call: Callable[..., T], *arguments: Any, **options: Any) -> tuple[T | None, str]:
    """(the result of a call, "") or (None, the message of its refusal).

    A refusal is a ValueError or TypeError that the library raises on purpose, with a `raise` statement and a message made of
    words. Exceptions from numpy, ulab or Python, and all other exceptions, are Findings.
    """
    try:
        return call(*arguments, **options), ""
    except (ValueError, TypeError) as error:
        return None, sentence(error)
    except Finding:
        raise
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}\n{_last_lines(error)}") from error


def sentence(error: Exception) -> str:
    """The message of a refusal. Any other exception is a Finding."""
    text = str(error)
    if not on_purpose(error):
        raise Finding(f"{type(error).__name__} that was not raised on purpose: {text}\n{_last_lines(error)}") from error
    if not re.search(r"[a-z]{2}.* .*\w", text):
        raise Finding(f"a {type(error).__name__} without a message: {text!r}") from error
    return text


def on_purpose(error: Exception) -> bool:
    """Whether a `raise` in the library raised it, or the call had an argument that the function does not have."""
    last: TracebackType | None = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if last is None:
        return False
    name = last.tb_frame.f_code.co_filename
    if not name.startswith(LIB):
        return isinstance(error, TypeError) and "argument" in str(error) and "fuzzing" in name
    return linecache.getline(name, last.tb_lineno).strip().startswith("raise ")


def _last_lines(error: Exception) -> str:
    return "".join(traceback.format_exception(error)[-4:]).rstrip()


# --- running -----------------------------------------------------------------------------------------------------------
Area = Callable[[Dice], str]


@dataclass(frozen=True)
class Failure:
    case: int
    area: str
    what: str
    told: str
    calm: tuple[int, ...] = ()


@dataclass
class Outcome:
    """By area: how many cases, how many of each outcome and of "failed", and the CPU time in seconds."""

    tallies: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return sum(tally["cases"] for tally in self.tallies.values())

    def add(self, other: Outcome) -> None:
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, Counter()).update(tally)
        self.failures += other.failures


class Fuzzer:
    """Areas with their frequencies."""

    def __init__(self, areas: Mapping[str, tuple[float, Area]], prepare: Callable[[Dice], None] = lambda dice: None) -> None:
        self.areas = areas
        self.prepare = prepare  # before each case
        self._names = list(areas)
        self._ends = np.cumsum([weight for weight, _ in areas.values()]).tolist()

    def area_of(self, dice: Dice) -> str:
        at = dice.share() * self._ends[-1]
        return next(name for name, end in zip(self._names, self._ends, strict=True) if at < end)

    def one(self, seed: int, case: int, calm: Iterable[int] = (), area: str | None = None) -> tuple[str, str, Dice]:
        """(area, outcome, dice) of one case. A Finding is raised with the area and the dice as its `place`."""
        name, dice = area or "", Dice(seed, case, calm)
        try:
            chosen = self.area_of(Dice(seed, case))
            dice.share()  # for the choice of the area, which is never simplified
            name = area or chosen
            self.prepare(dice)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                return name, self.areas[name][1](dice), dice
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except Finding as finding:
            finding.place = name, dice
            raise
        except Exception as error:
            accident = Finding(f"{type(error).__name__}: {error}\n{_last_lines(error)}")
            accident.place = name, dice
            raise accident from error

    def run(self, cases: Iterable[int], seed: int, most: int = 20, area: str | None = None) -> Outcome:
        """Run these cases. Stop after `most` failures."""
        outcome = Outcome({name: Counter() for name in self.areas if area in (None, name)})
        with np.errstate(all="ignore"), _timed_out():
            for case in cases:
                start = time.process_time()
                try:
                    name, what, _ = self.one(seed, case, area=area)
                except Finding as finding:
                    (name, dice), what = finding.place, "failed"
                    failure = Failure(case, name, str(finding), described(dice.told))
                    outcome.failures.append(self.smaller(failure, seed, area))
                seconds: Any = time.process_time() - start
                outcome.tallies[name].update({"cases": 1, what: 1, "seconds": seconds})
                if len(outcome.failures) >= most:
                    break
        return outcome

    def smaller(self, failure: Failure, seed: int, area: str | None, seconds: float = 2.0) -> Failure:
        """Simplify as many choices of a failure as possible within two seconds."""
        until = time.perf_counter() + seconds
        kind = failure.what.split("\n")[0][:24]
        at, count = 1, 10**9
        while at < count and time.perf_counter() < until:
            calm = (*failure.calm, at)
            try:
                _, _, dice = self.one(seed, failure.case, calm, area)
            except Finding as finding:
                dice = finding.place[1]
                if str(finding).startswith(kind):
                    failure = Failure(failure.case, failure.area, str(finding), described(dice.told), calm)
            count = min(count, dice.count)
            at += 1
        return failure


@contextmanager
def _timed_out() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Finding(f"took more than {SECONDS} seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, before)


def described(told: Mapping[str, Any]) -> str:
    return "\n".join(f"    {name} = {_short(value)}" for name, value in told.items())


def _short(value: Any) -> str:
    with np.printoptions(threshold=24, edgeitems=4, linewidth=110):
        text = (f"{value.dtype} {value.shape} " if isinstance(value, np.ndarray) else "") + repr(value)
    return text if len(text) < 700 else text[:690] + " ..."


def told(failure: Failure, seed: int, area: str | None = None) -> str:
    """A failure with the command that repeats it."""
    calm = f" --calm {','.join(map(str, failure.calm))}" if failure.calm else ""
    only = f" --area {area}" if area else ""
    command = f"  python3 scripts/dev/fuzz.py --seed {seed} --case {failure.case}{only}{calm}"
    return "\n".join([f"case {failure.case} ({failure.area}): {failure.what}", failure.told, command, ""])


def report(outcome: Outcome, seed: int, seconds: float, area: str | None = None) -> str:
    """Each failure, and the table of areas."""
    lines = [told(failure, seed, area) for failure in outcome.failures]
    columns = ("cases", REFUSED, CONFIRMED, BOUNDED, "failed")
    lines.append(f"{'area':<12}" + "".join(f"{name:>11}" for name in (*columns, "ms a case")))
    whole: Counter[str] = sum(outcome.tallies.values(), Counter())
    for name, tally in [*outcome.tallies.items(), ("all", whole)]:
        each = 1000 * tally["seconds"] / max(tally["cases"], 1)
        lines.append(f"{name:<12}" + "".join(f"{tally[column]:>11,}" for column in columns) + f"{each:>11.2f}")
    failed = f"{len(outcome.failures)} failed" if outcome.failures else "none failed"
    rate = f"{whole['cases'] / max(whole['seconds'], 1e-9):.0f} per second of CPU time"
    lines.append(f"\n{whole['cases']:,} cases of seed {seed} in {seconds:.0f} s, {rate}: {failed}")
    return "\n".join(lines)
