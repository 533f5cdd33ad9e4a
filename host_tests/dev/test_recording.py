"""scripts/dev/recording: recorder.py writes the files of host_tests/data as they are, and the recorders use what it has."""

from __future__ import annotations

import ast
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest
import recorded_split_heads
from n6post_pc import paths
from n6post_pc.demo.recorded import arrays

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "scripts" / "dev" / "recording").glob("*.py"))
sys.path.append(str(SCRIPTS[0].parent))

import recorder  # noqa: E402

FILES = [
    *sorted((ROOT / "host_tests" / "data").glob("*.npz.xz")),
    paths.STREET, paths.YARD, paths.RECORDED.parent / "gallery.npz.xz",
]  # fmt: skip
QUANTIZED_HERE = [
    case
    for case in recorded_split_heads.cases()
    if "." not in case and "float" not in case  # not of an exported file, whose name has a version
]


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.name))
def test_file_that_is_written_again_has_the_same_bytes(file: Path, tmp_path: Path) -> None:
    recorder.write(tmp_path / file.name, arrays(file))
    # Compared unpacked, because another liblzma may pack in another way.
    assert lzma.decompress((tmp_path / file.name).read_bytes()) == lzma.decompress(file.read_bytes())


@pytest.mark.parametrize("case", QUANTIZED_HERE)
def test_maps_are_quantized_again_as_they_were_recorded(case: str) -> None:
    head, shared = recorded_split_heads.head_of(case), recorded_split_heads.described(case)["shared"]
    own = [[one] for one in (*head.boxes, *head.scores, *head.extras)]
    together = {"own": own, "kinds": [head.boxes, head.scores], "strides": zip(head.boxes, head.scores, strict=True)}
    for tensors in together[shared]:
        real = [one.dequantized().values for one in tensors]
        for one, again in zip(tensors, recorder.quantized(real, head.boxes[0].values.dtype.name), strict=True):
            assert again[1:] == one[1:]
            np.testing.assert_array_equal(again.values, one.values)


def test_numbers_that_are_no_dequantized_integers_are_refused() -> None:
    values = np.float32([0.5, 0.25, -1])
    assert recorder.integers(values, 0.25, 3).values.tolist() == [5, 4, -1]
    with pytest.raises(ValueError, match="off by up to 0.1"):
        recorder.integers(values + np.float32(0.1), 0.25, 3)
    with pytest.raises(ValueError, match="out of range"):
        recorder.integers(values * 100, 0.25, 3)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.name))
def test_recorder_has_every_name_that_a_script_uses(script: Path) -> None:
    """Most scripts need packages that the tests do not have, so they are only read."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "recorder":
            assert hasattr(recorder, node.attr), f"line {node.lineno}: recorder.{node.attr}"


def test_command_line_passes_paths_to_the_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = []

    def read(file: Path, other: Path | None = None) -> None:
        calls.append((file, other))

    def nothing() -> None:
        calls.append(())

    for arguments in (["read", "a"], ["read", "a", "b"], ["nothing"]):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["script", *arguments])
        recorder.main(read, nothing)
    assert calls == [(tmp_path / "a", None), (tmp_path / "a", tmp_path / "b"), ()]
    monkeypatch.setattr(sys, "argv", ["script", "a"])
    recorder.main(read)
    assert calls[3] == (tmp_path / "a", None)
    with pytest.raises(SystemExit):
        monkeypatch.setattr(sys, "argv", ["script"])
        recorder.main(read)
