"""scripts/n6post_pc/models/vela.py: Arm's compiler is installed and called correctly, and its tables are read correctly."""

from __future__ import annotations

from pathlib import Path

import fake_vela
import model_files
import pytest
from n6post_pc.command import UserError
from n6post_pc.models import vela

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")


def test_vela_gets_the_options_of_openmvs_build_for_the_ae3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = fake_vela.install(tmp_path, monkeypatch)
    (tmp_path / "my.net.tflite").write_bytes(b"a network")
    verdict = vela.compile_model(vela.compiler(), tmp_path / "my.net.tflite", tmp_path / "compiled.tflite")
    words = arguments.read_text(encoding="utf-8").split("\n")
    options = dict(zip(words[3::2], words[4::2], strict=False))
    # openmv/openmv, ports/alif/alif.mk of 4.8.1 and 5.0.0; the system config is a copy of its RTSS_HP_SRAM_OSPI.
    assert options["--accelerator-config"] == "ethos-u55-256" and options["--memory-mode"] == "Shared_Sram"
    assert options["--optimise"] == "Performance" and options["--system-config"] == "AE3"
    assert (tmp_path / "compiled.tflite").read_bytes() == fake_vela.compiled()
    assert (verdict.on_npu, verdict.on_cpu) == (2, {"Dequantize": 1})
    assert verdict.sram == 835392 and verdict.flash == 2155216  # 815.8125 and 2104.703125 KiB
    assert (verdict.cycles, verdict.macs) == (5211723, 366084828)
    assert verdict.milliseconds == pytest.approx(verdict.cycles / 400e6 * 1000)
    assert verdict.findings() == [] and verdict.as_json()["compiler"] == "ethos-u-vela 5.2.0"


def test_more_sram_than_the_camera_has_is_a_finding() -> None:
    def findings(sram: int, *missing: str) -> list[str]:
        return vela.Verdict(1, {}, sram, 1, 1, 1.0, 1, list(missing)).findings()

    assert findings(4 << 20) == []
    (finding,) = findings((4 << 20) + 1)
    assert "4 MiB" in finding
    (finding,) = findings(1, "TOPK_V2")
    assert "no TOPK_V2" in finding


def test_a_model_that_vela_cannot_compile_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_vela.install(tmp_path, monkeypatch)
    for content, message in ((b"refuse", "Invalid tensor: 'x' has no shape"), (b"crash", "exit code -11")):
        (tmp_path / "net.tflite").write_bytes(content)
        with pytest.raises(ValueError, match=f"Vela cannot compile it: .*{message}"):
            vela.compile_model(vela.compiler(), tmp_path / "net.tflite")


def test_a_failed_installation_is_reported_and_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("N6POST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(UserError, match="Vela cannot be installed: .*ethos-u-vela==5.2.0"):
        vela.compiler()
    assert list((tmp_path / "cache").iterdir()) == []
    printed = capsys.readouterr()
    assert printed.out == "" and "Installing Arm's compiler" in printed.err
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("N6POST_CACHE", str(tmp_path / "file"))
    with pytest.raises(UserError, match="N6POST_CACHE sets another one"):
        vela.compiler()


def test_an_installation_that_no_longer_runs_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_vela.install(tmp_path, monkeypatch)
    python = vela.compiler()
    python.unlink()
    (tmp_path / "net.tflite").write_bytes(b"a network")
    with pytest.raises(UserError, match="remove .* to install it again"):
        vela.compile_model(python, tmp_path / "net.tflite")


def test_the_real_compiler_runs_yolov8n_on_the_npu(shared: Path, tmp_path: Path) -> None:
    folder = vela.cache() / f"vela-{vela.VERSION}"
    if not folder.is_dir():
        pytest.skip(f"needs Vela in {folder}: n6post inspect MODEL --npu u55 installs it")
    model = shared / "models" / "yolov8n_192.tflite"
    verdict = vela.compile_model(vela.compiler(), model, tmp_path / "compiled.tflite")
    # Everything runs on the NPU except the conversion of the output to float.
    assert verdict.on_cpu == {"Dequantize": 1} and verdict.on_npu > 250
    assert verdict.milliseconds == pytest.approx(verdict.cycles / 400e6 * 1000)
    # One layer alone reads and writes 432 KiB. The network has 366 million multiply-adds.
    assert 432 << 10 < verdict.sram < vela.SRAM and verdict.macs == pytest.approx(366e6, rel=0.01)
    compiled = (tmp_path / "compiled.tflite").read_bytes()
    assert compiled[4:8] == b"TFL3" and b"ethos-u" in compiled and len(compiled) < model.stat().st_size
    # The NPU's commands and weights are aligned to 16 bytes in the file. In a ROMFS, the file itself must be aligned, too.
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    buffers = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(compiled, 0)).buffers
    large = [compiled.index(bytes(one.data)) for one in buffers if one.data is not None and len(one.data) > 4096]
    assert len(large) == 2 and all(at % 16 == 0 for at in large)
    (tmp_path / "broken.tflite").write_bytes(model_files.runnable()[:-40])
    with pytest.raises(ValueError, match="Vela cannot compile it"):
        vela.compile_model(vela.compiler(), tmp_path / "broken.tflite")
