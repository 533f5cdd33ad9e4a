"""Made-up cases for everything public, judged: `python3 scripts/dev/fuzz.py --cases 20000 --seed 1 [--jobs 2]`.

Judged is each answer: a ValueError or TypeError that was raised on purpose and has a sentence, or a result that an
independent reference confirms (host_tests/reference.py, plain numpy, exact arithmetic: never the library itself). Never
another exception, NaN, a rect outside the frame, a wrong order, more than was asked for, or a result that changes when the
model's memory does.

The seed and a case's number make the case: `--case K` runs one of them and shows it. A failure prints the command that
repeats it and does not end the run; the exit code is 1 then. `--area NAME` makes every case one of that area.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import _venv

if __name__ == "__main__":
    _venv.enter()

import argparse
import multiprocessing
import signal
import time

for folder in ("host_tests", "stubs", "lib", "scripts/dev"):
    sys.path.insert(0, str(ROOT / folder))

from fuzzing import areas
from fuzzing.core import Finding, Outcome, described, report, told

CHUNK = 500  # cases that a worker takes at a time


def chunk(work):
    first, last, seed, area, most = work
    return areas.FUZZER.run(range(first, last), seed, most, area)


def chunks(first, cases, seed, area, most, jobs):
    """The outcomes of the chunks of a run, in their order."""
    works = [(at, min(at + CHUNK, first + cases), seed, area, most) for at in range(first, first + cases, CHUNK)]
    if jobs == 1:
        yield from map(chunk, works)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(chunk, works)


def run(first, cases, seed, area=None, most=20, jobs=1, every=0.0):
    """All cases, or as many as it takes to find `most` failures, or until somebody interrupts it.

    With `every`, failures go to stderr as soon as they are known, and a line each so many seconds.
    """
    outcome = Outcome()
    start = said = time.perf_counter()
    try:
        for part in chunks(first, cases, seed, area, most, jobs):
            outcome.add(part)
            now = time.perf_counter()
            if every:
                for failure in part.failures:
                    print(told(failure, seed, area), file=sys.stderr, flush=True)
                if now - said > every:
                    said = now
                    done = f"{outcome.cases:,} of {cases:,}, {outcome.cases / (now - start):.0f} a second"
                    print(f"{done}, {len(outcome.failures)} failed", file=sys.stderr, flush=True)
            if len(outcome.failures) >= most:
                break
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    del outcome.failures[most:]
    return outcome


def one(case, seed, area, calm):
    """A single case, shown."""
    outcome = areas.FUZZER.run([case], seed, 1, area) if not calm else Outcome()
    try:
        name, what, dice = areas.FUZZER.one(seed, case, calm, area)
        said = f"case {case} of seed {seed} ({name}): {what}"
    except Finding as finding:
        name, dice = finding.place
        said = f"case {case} of seed {seed} ({name}) fails: {finding}"
        outcome.failures = outcome.failures or [None]
    print(described(dice.told))
    print(said)
    return 1 if outcome.failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000, help="how many (20,000)")
    parser.add_argument("--seed", type=int, default=1, help="which (1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (0): goes on with a long run")
    parser.add_argument("--case", type=int, help="only the case of this number, shown with all that it is made of")
    parser.add_argument(
        "--calm", default="", help="choices of that case that fall to the simplest, as a failure prints them"
    )
    parser.add_argument("--area", choices=areas.AREAS, help="only cases of this area")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--failures", type=int, default=20, help="how many are enough (20)")
    arguments = parser.parse_args()
    if arguments.case is not None:
        calm = [int(number) for number in arguments.calm.split(",") if number]
        return one(arguments.case, arguments.seed, arguments.area, calm)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is ended tells what it has seen
    start = time.perf_counter()
    outcome = run(arguments.first, arguments.cases, arguments.seed, arguments.area, arguments.failures, arguments.jobs, 30.0)
    print(report(outcome, arguments.seed, time.perf_counter() - start, arguments.area))
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
