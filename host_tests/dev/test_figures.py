"""scripts/dev/silicon/figures.py: what cameras have shown, beside the estimates."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts" / "dev" / "silicon"))
import figures  # noqa: E402
import model  # noqa: E402

SEG = "YoloV8Seg, int8 [1,116,2100] and [1,80,80,32]"


def row(camera: str = "OpenMV N6", unit: str = "ms", **numbers: float) -> dict[str, Any]:
    return {"camera": camera, "firmware": "5.0.0", "n6post": "0.8.0", "core": "", "unit": unit, "figures": numbers}


def report_of(found: dict[str, Any]) -> str:
    return f"### Camera\n\n```text\nok\n```\n\n### Benchmark\n\n```json\n{json.dumps(found)}\n```\n"


def test_the_page_has_the_table_of_the_data() -> None:
    assert figures.PAGE.read_text(encoding="utf-8") == figures.page(figures.load())


def test_every_row_of_the_benchmark_with_an_estimate_finds_it() -> None:
    titles = (ROOT / "scripts" / "device" / "benchmark.py").read_text(encoding="utf-8")
    for board in ("N6", "AE3"):
        known = figures.estimates(board)
        assert set(figures.NAMES.values()) <= set(known) and all(low < high for low, high in known.values())
    for work in figures.NAMES:
        title = work.removesuffix(", drawing")
        assert title in titles or title.startswith("Tracker.update, ") and "%d tracks and %d detections" in titles
    assert set(figures.OTHERS.values()) <= set(figures.estimates("N6"))
    assert figures.estimates("N6")["`YoloV8Seg`, masks included"] == (0.48, 1.83)  # as the page says
    assert figures.estimates("AE3")["`YoloV8`"] == (0.18, 0.61)


@pytest.mark.parametrize(("ms", "where"), [(0.47, "below"), (0.48, "inside"), (1.83, "inside"), (3.66, "2.00 times high")])
def test_a_figure_is_compared_with_its_estimate(ms: float, where: str) -> None:
    assert figures.compared(SEG, ms, "N6") == ("0.48 to 1.83", where)


def test_published_figures_of_openmvs_own_classes_are_compared_on_the_page() -> None:
    text = figures.PAGE.read_text(encoding="utf-8")
    low, high = figures.estimates("N6")[figures.OTHERS["FOMO 96, OpenMV's own class"]]
    assert low < 0.95 < high and f"| FOMO 96, OpenMV's own class | 0.95 ms | {low:g} to {high:g} | inside |" in text
    rows = [row for row in figures.load() if "pull/2801" in row.get("source", "")]
    assert [set(row["figures"]) for row in rows] == [set(figures.OTHERS)]


@pytest.mark.parametrize("mark", (figures.BEGIN, figures.END))
def test_a_page_without_a_place_for_the_table_is_refused(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "silicon.md"
    page.write_text(figures.PAGE.read_text(encoding="utf-8").replace(mark, ""), encoding="utf-8")
    monkeypatch.setattr(figures, "PAGE", page)
    with pytest.raises(ValueError, match="expected .*end of the table"):
        figures.page([])


def test_what_has_no_estimate_is_not_compared() -> None:
    assert figures.compared("network x", 5, "N6") == figures.compared(SEG, 5, "H7") == ("", "")
    shown = figures.table([{**row(unit="instructions", **{SEG: 163300}), "from": "a report"}])
    assert "163,300 instructions |  |  |" in shown


def test_a_report_is_merged_and_replaces_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, page = tmp_path / "figures.jsonl", tmp_path / "silicon.md"
    data.write_bytes(figures.DATA.read_bytes())
    page.write_bytes(figures.PAGE.read_bytes())
    monkeypatch.setattr(figures, "DATA", data)
    monkeypatch.setattr(figures, "PAGE", page)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    before = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    monkeypatch.setattr(figures.load, "__defaults__", (data,))
    for ms in (9.0, 0.75):
        file = tmp_path / "report.md"
        file.write_text(report_of(row(**{SEG: ms})), encoding="utf-8")
        figures.main([str(file)])
    after = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    assert after[:-1] == before and after[-1]["figures"] == {SEG: 0.75}
    text = page.read_text(encoding="utf-8")
    assert f"| OpenMV N6, 5.0.0 | {SEG} | 0.75 ms | 0.48 to 1.83 | inside | a report, n6post 0.8.0 |" in text
    assert "| 9 ms |" not in text
    assert text.partition(figures.BEGIN)[0] == figures.PAGE.read_text(encoding="utf-8").partition(figures.BEGIN)[0]
    assert "figures of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected what `camera.py report` prints"),
        ("```json\n{broken\n```\n", "expected what `camera.py report` prints"),
        ("```json\n[1]\n```\n", "expected what `camera.py report` prints"),
        (report_of({"camera": "x", "firmware": "5", "unit": "ms", "figures": {"a": "1"}}), "the figures are no numbers"),
    ],
)
def test_another_file_is_an_error(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.md"
    file.write_text(text, encoding="utf-8")
    before = figures.DATA.read_bytes()
    with pytest.raises(SystemExit):
        figures.main([str(file)])
    assert message in capsys.readouterr().err and figures.DATA.read_bytes() == before


def test_measured_lines_take_the_place_of_bounds() -> None:
    rows = [row(**{"32 bytes of the heap at 0x90001000, cycles": 100.0, "32 bytes of the ROM at 0x70200000, cycles": 200.0}),
            row("OpenMV AE3", **{"32 bytes of the heap at 0x02000000, cycles": 20.0})]  # fmt: skip
    costs = figures.line_costs(rows, "N6")
    assert costs == {0x90001000: 100.0, 0x70200000: 200.0}
    board = model.with_measured(model.N6, costs)
    assert board.memories["PSRAM"].fill == model.Range(80, 125) and board.memories["flash"].fill == model.Range(160, 250)
    assert board.memories["AXISRAM"] == model.N6.memories["AXISRAM"]
    assert board.memories["PSRAM"].write_back == model.N6.memories["PSRAM"].write_back
    other = model.with_measured(model.AE3, figures.line_costs(rows, "AE3"))
    assert other.memories["SRAM"].fill == model.Range(16, 25)
