"""Run every check of the project: `python3 scripts/test.py [--all] [pytest arguments]`.

The first run installs the required packages into `.venv`. Then five checks run: ruff, mypy on lib as MicroPython code,
stubtest (the types of the public names against the code), mypy on the camera examples with a user's settings, and pytest.
Each runs even if another one fails. The last lines list the skipped tests and why they were skipped. The exit code is 0 only
if all checks pass. It takes less than five minutes on two cores.

--all       every test and every case, for the night and before a release: without it, tests whose files have not changed
            since the last such run are left out, and some try a sample (host_tests/proofs.py). It installs more packages.
            If all tests pass, it writes host_tests/proven.txt, which is part of the commit
-h, --help  show this text

All other arguments are passed to pytest (`.venv/bin/python -m pytest --help` lists them). Examples:

  python3 scripts/test.py
  python3 scripts/test.py --all
  python3 scripts/test.py host_tests/results/test_mask_iou.py
  python3 scripts/test.py -k "mask and not draw" -n 2
"""

import sys

import _venv

if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.rstrip())
        sys.exit()
    _venv.enter("all" if "--all" in sys.argv else "test")

import importlib.metadata
import os
import shutil
import subprocess
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

ROOT = _venv.ROOT
TYPINGS = ROOT / "build" / "typings"
RESULTS = ROOT / "build" / "tests.xml"  # pytest's report
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts" / "examples").glob("*.py"))

# Debian package -> a program in it
DEBIAN = {"qemu-system-arm": "qemu-system-arm", "gcc-arm-none-eabi": "arm-none-eabi-gcc",
          "binutils-arm-none-eabi": "arm-none-eabi-objcopy"}
BROWSERS = ("chromium", "google-chrome")

def copy_typings() -> None:
    """Copy the type stubs of MicroPython's own modules to a folder that mypy accepts.

    mypy does not accept a folder in site-packages as `mypy_path`. The packages' own standard library (stdlib/) is left out,
    because with it mypy cannot read numpy and other imports of stubs/.
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
              "  Skipped without them: the tests that run the kernels' machine code on an emulated Cortex-M55\n"
              "  (host_tests/kernels/test_kernels_machine_code.py). All other tests run.")
    if sys.platform == "linux" and not any(map(shutil.which, BROWSERS)):
        print("Not installed: chromium (apt-get install it). Skipped without it: the tests of pages in a browser.")


def skipped() -> list[str]:
    """One line per reason, with the number of tests that were skipped for it."""
    if not RESULTS.exists():
        return []
    reasons = Counter(found.get("message", "") for found in xml.etree.ElementTree.parse(RESULTS).iter("skipped"))
    return [f"  {count} {'test' if count == 1 else 'tests'}: {reason}" for reason, count in reasons.most_common()]


def run(what: str, *command: str, **environment: str) -> bool:
    print(f"\n== {what}: {' '.join(command)}", flush=True)
    # The tests read what the commands print: on every system in UTF-8. host_tests/pc/test_windows.py tests other consoles.
    environment = {"PYTHONUTF8": "1"} | environment
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=os.environ | environment).returncode == 0


def main() -> int:
    report_missing()
    copy_typings()
    RESULTS.unlink(missing_ok=True)
    passed = {
        "ruff": run("style", "-m", "ruff", "check", "."),
        "mypy": run("types", "-m", "mypy"),
        "stubtest": run("public types", "scripts/dev/stubtest.py"),
        # With a user's settings: only the path. It has its own cache, which a run with other settings would empty.
        "examples": run(
            "types of the examples", "-m", "mypy", "--config-file=", "--cache-dir=.mypy_cache/examples", *EXAMPLES,
            MYPYPATH=os.pathsep.join(("lib", "stubs", "stubs/_frozen")),
        ),  # fmt: skip
        # -n auto: one worker per core. An -n on the command line comes later and takes precedence.
        "pytest": run("tests", "-m", "pytest", "-n", "auto", "--dist", "loadgroup", f"--junitxml={RESULTS}", *sys.argv[1:]),
    }
    if reasons := skipped():
        print("\nSkipped:", *reasons, sep="\n")
    failed = [name for name, ok in passed.items() if not ok]
    print(f"\nFailed: {', '.join(failed)}" if failed else f"\nAll of {', '.join(passed)} pass.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
