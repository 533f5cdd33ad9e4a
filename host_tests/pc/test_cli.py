"""scripts/n6post_pc/cli.py: exit codes and messages of commands that fail."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import model_files
import pytest
from n6post_pc import cli
from PIL import Image as PilImage

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

ROOT = Path(__file__).parents[2]


def command(body: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command with this body in a separate Python."""
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


def test_a_file_that_cannot_be_opened_is_reported_without_a_traceback() -> None:
    done = command("    open('/nowhere/at/all.txt')")
    assert done.returncode == 2 and done.stderr == "n6post made: /nowhere/at/all.txt: No such file or directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
@pytest.mark.parametrize("body", [
    "    print('x' * 100)\n    return 0", "    print('x' * 10_000_000)\n    return 0",
    "    from n6post_pc import terminal\n    terminal.console().print('x' * 100_000)\n    return 0",
])  # fmt: skip
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_reported_once(body: str, unbuffered: str) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = command(body, stdout=full, env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 2 and done.stderr == "n6post made: standard output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without its signal")
def test_a_signal_that_ends_a_command_lets_it_remove_its_files() -> None:
    for name, ignored in (("SIGTERM", False), ("SIGHUP", False), ("SIGHUP", True)):
        body = (
            f"    import os, signal\n    try:\n        os.kill(os.getpid(), signal.{name})\n        print('goes on')\n"
            "    finally:\n        print('removed')\n    return 0"
        )
        hang_up = signal.SIG_IGN if ignored else signal.SIG_DFL  # nohup ignores it, also if it started these tests
        done = command(body, preexec_fn=lambda hang_up=hang_up: signal.signal(signal.SIGHUP, hang_up))
        assert (done.returncode, done.stdout) == ((0, "goes on\nremoved\n") if ignored else (130, "removed\n"))


def test_a_command_is_called_as_this_one_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for called, expected in (
        ("/usr/bin/n6post", "n6post optimize"), ("scripts/build.py", "python3 scripts/optimize_model.py"),
        ("../inspect_model.py", "python3 ../optimize_model.py"),
    ):  # fmt: skip
        monkeypatch.setattr(sys, "argv", [called])
        assert cli.spelled("optimize").replace(os.sep, "/") == expected


def test_names_that_the_terminal_cannot_encode_are_escaped() -> None:
    for encoding in ("utf-8:strict", "ascii:strict"):
        body = "    print('\\udcff.jpg', 'gr\\xf6\\xdfe.jpg')\n    return 0"  # ASCII: the terminal may have no more
        done = command(body, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
        assert done.returncode == 0 and done.stdout.startswith("\\udcff.jpg gr"), done.stderr


def test_a_missing_package_is_installed_from_the_checkout() -> None:
    done = command("    raise ModuleNotFoundError(name='uvicorn')")
    root = Path(__file__).resolve().parents[2]
    assert done.returncode == 2 and done.stderr.endswith(f"not installed: pip install -e '{root}[studio]'\n")


def test_other_errors_keep_their_traceback() -> None:
    done = command("    return 1 / 0")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("words", [
    ("run", "best.pt", "photo.png"), ("run", "net.tflite", "photo.png", "--compare", "best.pt"), ("inspect", "best.pt"),
    ("optimize", "best.pt"),
    ("build", "--romfs", "--model", "best.pt"), ("build", "--romfs", "--add", "best.PTH"),
    ("host", "script.py", "--picture", "photo.png", "--model", "best.pt"),
], ids=" ".join)  # fmt: skip
def test_for_weights_instead_of_a_model_the_error_links_to_the_export_page(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("best.pt", "best.PTH"):
        Path(name).write_bytes(b"PK\x03\x04" + bytes(100))  # PyTorch keeps weights in a zip
    Path("net.tflite").write_bytes(model_files.runnable())
    Path("script.py").write_text("", encoding="utf-8")
    PilImage.new("RGB", (64, 64)).save("photo.png")
    try:
        code = cli.call(words[0], list(words[1:]), f"n6post {words[0]}")
    except SystemExit as leaving:  # argparse
        code = int(leaving.code or 0)
    errors = capsys.readouterr().err
    assert code == 2 and not Path("build").exists()
    assert re.search(r"best\.(pt|PTH): trained weights, .* \(docs/first-hour\.md#export\)", errors), errors


def test_n6post_without_a_command_lists_all_commands_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("usage: n6post COMMAND")
    listed = [line.split()[0] for line in printed.err.splitlines() if line.startswith("  ")]
    assert listed[: len(cli.COMMANDS)] == list(cli.COMMANDS)


def test_help_prints_the_same_text_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([])
    expected = capsys.readouterr().err
    for option in ("-h", "--help"):
        assert cli.main([option]) == 0
        assert capsys.readouterr() == (expected, "")


def test_the_error_names_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspekt"]) == 2
    assert capsys.readouterr().err.startswith("n6post: there is no command 'inspekt'\n")
