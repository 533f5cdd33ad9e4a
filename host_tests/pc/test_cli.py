"""scripts/n6post_pc/cli.py: how a command ends where the world is not as it should be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def command(body: str, **options: object) -> subprocess.CompletedProcess[str]:
    """A command that does this, in a Python of its own."""
    code = f"""
import sys, types
sys.path.insert(0, {str(ROOT / "scripts")!r})
from n6post_pc import cli
def main(arguments, prog):
{body}
module = types.ModuleType("n6post_pc.made_up")
module.main = main
sys.modules["n6post_pc.made_up"] = module
cli.COMMANDS["made"] = ("made_up", "", "")
sys.exit(cli.call("made", [], "n6post made"))
"""
    settings = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, errors="surrogateescape", timeout=60, **settings
    )


def test_a_file_that_cannot_be_opened_is_named_without_a_traceback() -> None:
    done = command("    open('/nowhere/at/all.txt')")
    assert done.returncode == 2 and done.stderr == "n6post made: /nowhere/at/all.txt: No such file or directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_is_said_once() -> None:
    with open("/dev/full", "w") as full:
        done = command("    print('x' * 100)\n    return 0", stdout=full)
    assert done.returncode == 2 and done.stderr == "n6post made: [Errno 28] No space left on device\n"


def test_a_name_that_the_terminal_cannot_show_is_shown_nevertheless() -> None:
    for encoding in ("utf-8:strict", "ascii:strict"):
        body = "    print('\\udcff.jpg', 'größe.jpg')\n    return 0"
        done = command(body, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
        assert done.returncode == 0 and done.stdout.startswith("\\udcff.jpg gr"), done.stderr


def test_other_errors_keep_their_traceback() -> None:
    done = command("    return 1 / 0")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
