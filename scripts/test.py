"""Run every check of the project: `python3 scripts/test.py [--fast] [pytest arguments]`.

The first run installs the packages that it needs into `.venv`. Then it runs ruff, mypy (over lib, as MicroPython code),
stubtest (the types of the public names against the code), mypy again (over the camera examples, as their authors would) and
pytest. All of them run, whatever the first ones find. The last lines say which tests were skipped and why. The exit code is
0 only if all checks pass.

All checks take 5 to 10 minutes on two cores.

--fast      under a minute: the same lint and types, and all tests that are not marked `slow`
-h, --help  show this text

Everything else is passed to pytest, whose own options `.venv/bin/python -m pytest --help` lists. Examples:

  python3 scripts/test.py
  python3 scripts/test.py --fast
  python3 scripts/test.py host_tests/results/test_mask_iou.py
  python3 scripts/test.py -k "mask and not draw" -n 2
"""

import sys

import _venv

if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.rstrip())
        sys.exit()
    _venv.enter("test")

import importlib.metadata
import os
import shutil
import subprocess
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

ROOT = _venv.ROOT
TYPINGS = ROOT / "build" / "typings"
RESULTS = ROOT / "build" / "tests.xml"  # what pytest writes of each test
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts" / "examples").glob("*.py"))

# Debian package -> the program it is looked for by
DEBIAN = {"qemu-system-arm": "qemu-system-arm", "gcc-arm-none-eabi": "arm-none-eabi-gcc",
          "binutils-arm-none-eabi": "arm-none-eabi-objcopy"}

def copy_typings() -> None:
    """Copy the type stubs of MicroPython's own modules from the environment to where mypy accepts them.

    mypy takes no folder of site-packages as `mypy_path`. The packages' version of the standard library (stdlib/) is left
    out: with it mypy could not read what stubs/ imports, above all numpy.
    """
    shutil.rmtree(TYPINGS, ignore_errors=True)
    for package in ("micropython-stm32-stubs", "micropython-stdlib-stubs"):
        for file in importlib.metadata.files(package) or ():
            if file.suffix == ".pyi" and file.parts[0] not in ("stdlib", "stubs"):
                target = TYPINGS / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path(str(file.locate())), target)


def report_missing() -> None:
    missing = [package for package, program in DEBIAN.items() if shutil.which(program) is None]
    if missing:
        print(f"Not installed: {' '.join(missing)} (apt-get install them).\n"
              "  Skipped without them: running the kernels' machine code on an emulated Cortex-M55\n"
              "  (host_tests/kernels/test_kernels_machine_code.py). Everything else runs.")


def skipped() -> list[str]:
    """A line for each reason for which tests were skipped."""
    if not RESULTS.exists():
        return []
    reasons = Counter(found.get("message", "") for found in xml.etree.ElementTree.parse(RESULTS).iter("skipped"))
    return [f"  {count} {'test' if count == 1 else 'tests'}: {reason}" for reason, count in reasons.most_common()]


def run(what: str, *command: str, **environment: str) -> bool:
    print(f"\n== {what}: {' '.join(command)}", flush=True)
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=os.environ | environment).returncode == 0


def main() -> int:
    arguments = sys.argv[1:]
    fast = "--fast" in arguments
    if fast:
        arguments.remove("--fast")
        arguments = ["-m", "not slow", *arguments]
    report_missing()
    copy_typings()
    RESULTS.unlink(missing_ok=True)
    passed = {
        "ruff": run("style", "-m", "ruff", "check", "."),
        "mypy": run("types", "-m", "mypy"),
        "stubtest": run("public types", "scripts/dev/stubtest.py"),
        # With a user's settings, which are none but the path. A cache of its own: another setting would empty it.
        "examples": run(
            "types of the examples", "-m", "mypy", "--config-file=", "--cache-dir=.mypy_cache/examples", *EXAMPLES,
            MYPYPATH=os.pathsep.join(("lib", "stubs")),
        ),  # fmt: skip
        # -n auto: a worker a core. A later -n on the command line wins.
        "pytest": run("tests", "-m", "pytest", "-n", "auto", "--dist", "loadgroup", f"--junitxml={RESULTS}", *arguments),
    }
    if reasons := skipped():
        print("\nSkipped:", *reasons, sep="\n")
    failed = [name for name, ok in passed.items() if not ok]
    print(f"\nFailed: {', '.join(failed)}" if failed else f"\nAll of {', '.join(passed)} pass.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
