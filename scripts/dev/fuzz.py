"""Fuzz the public API and check every result: `python3 scripts/dev/fuzz.py --cases 20000 --seed 1 [--jobs 2]`.

A call may raise a ValueError or TypeError on purpose, with a message. Any other result is compared with an independent
reference (host_tests/reference.py, plain numpy, exact arithmetic; never the library itself). These are failures: any other
exception, NaN, a rect outside the frame, a wrong order, too many results, and a result that changes with the model's
memory.

The seed and the number determine a case: `--case K` runs one case and shows it. A failure prints the command that
repeats it and does not end the run; the exit code is then 1. `--area NAME` runs only cases of that area.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import multiprocessing
import signal
import time

for folder in ("host_tests", "stubs", "lib", "scripts/dev"):
    sys.path.insert(0, str(ROOT / folder))

from fuzzing import areas
from fuzzing.core import Finding, Outcome, described, report, told

CHUNK = 500  # cases that a worker runs at a time


def chunk(work):
    first, last, seed, area, most = work
    return areas.FUZZER.run(range(first, last), seed, most, area)


def chunks(first, cases, seed, area, most, jobs):
    """The outcomes of a run's chunks, in order."""
    works = [(at, min(at + CHUNK, first + cases), seed, area, most) for at in range(first, first + cases, CHUNK)]
    if jobs == 1:
        yield from map(chunk, works)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(chunk, works)


def run(first, cases, seed, area=None, most=20, jobs=1, every=0.0):
    """Run all cases, until `most` failures are found or the user interrupts it.

    With `every`, print failures to stderr as soon as they are found, and a progress line every so many seconds.
    """
    outcome = Outcome()
    start = shown = time.perf_counter()
    try:
        for part in chunks(first, cases, seed, area, most, jobs):
            outcome.add(part)
            now = time.perf_counter()
            if every:
                for failure in part.failures:
                    print(told(failure, seed, area), file=sys.stderr, flush=True)
                if now - shown > every:
                    shown = now
                    done = f"{outcome.cases:,} of {cases:,}, {outcome.cases / (now - start):.0f} a second"
                    print(f"{done}, {len(outcome.failures)} failed", file=sys.stderr, flush=True)
            if len(outcome.failures) >= most:
                break
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    del outcome.failures[most:]
    return outcome


def one(case, seed, area, calm):
    """Run and show a single case."""
    outcome = areas.FUZZER.run([case], seed, 1, area) if not calm else Outcome()
    try:
        name, what, dice = areas.FUZZER.one(seed, case, calm, area)
        shown = f"case {case} of seed {seed} ({name}): {what}"
    except Finding as finding:
        name, dice = finding.place
        shown = f"case {case} of seed {seed} ({name}) fails: {finding}"
        outcome.failures = outcome.failures or [None]
    print(described(dice.told))
    print(shown)
    return 1 if outcome.failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000, help="number of cases (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default 1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default 0), to continue a long run")
    parser.add_argument("--case", type=int, help="run only the case with this number and show its choices")
    parser.add_argument(
        "--calm", default="", help="choices of that case that are replaced by the simplest one, as printed by a failure"
    )
    parser.add_argument("--area", choices=areas.AREAS, help="run only cases of this area")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes (default 1)")
    parser.add_argument("--failures", type=int, default=20, help="stop after this number of failures (default 20)")
    arguments = parser.parse_args()
    if arguments.case is not None:
        calm = [int(number) for number in arguments.calm.split(",") if number]
        return one(arguments.case, arguments.seed, arguments.area, calm)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # an interrupted run prints its results so far
    start = time.perf_counter()
    outcome = run(arguments.first, arguments.cases, arguments.seed, arguments.area, arguments.failures, arguments.jobs, 30.0)
    print(report(outcome, arguments.seed, time.perf_counter() - start, arguments.area))
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
