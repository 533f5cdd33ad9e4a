"""scripts/dev/model_table.py: the table of models in docs/networks.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import ROOT

pytest.importorskip("PIL")
sys.path.insert(0, str(ROOT / "scripts" / "dev"))

import model_table  # noqa: E402
from PIL import Image, ImageDraw  # noqa: E402


def test_the_page_has_the_table_of_the_figures() -> None:
    text = model_table.PAGE.read_text(encoding="utf-8")
    assert text == model_table.page(model_table.load(), text)
    with pytest.raises(ValueError, match="end of the table"):
        model_table.page([], text.replace(model_table.END, ""))


def test_every_figure_has_a_source_and_possible_values() -> None:
    for row in model_table.load():
        assert row["source"].count("/") == 1 and str(row["size"]) in row["file"]
        assert 5 < row["milliseconds"] < 100 and 300 < row["ram"] < 4000 and (row["ap"] is None or 0.3 < row["ap"] < 0.7)
        stages = [row.get("measured", {}).get(name) for name in ("published", "optimized", "tables")]
        cycles = [stage[0] for stage in stages if stage]
        assert cycles == sorted(cycles, reverse=True)


def test_a_row_shows_times_in_milliseconds_and_leaves_out_what_is_not_known() -> None:
    row = {"name": "Net", "size": 64, "file": "net_64.tflite", "milliseconds": 10, "ram": 1500.4, "ap": 0.5, "source": "a/b"}
    assert model_table.table([row]).splitlines()[-1].endswith("/a/b) | 12 | 1,500 |  |  | .500 |  |")
    stages = {"published": [4_000_000, 2048], "optimized": [2_000_000, 1024]}
    row["measured"] = {"input": [64, 64], "smallest": [100, 80], **stages}
    assert "| 10.0, 5.0 | 2, 1 | .500 | 100, 80 |" in model_table.table([row])
    del row["measured"]["input"]  # it could not be optimized
    assert "| 10.0 | 2 | .500 | 100, 80 |" in model_table.table([row])


def test_the_smallest_person_is_the_last_height_at_which_half_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = Image.new("RGB", (810, 1080))
    draw = ImageDraw.Draw(picture)
    for x, y, w, h in model_table.PEOPLE:
        draw.rectangle((x, y, x + w, y + h), fill="white")
    asked = []

    class Finder:
        """Finds what is white and 60 pixels high. Of what is less, the first; for others a false place and a false class."""

        def __init__(self, *_: object) -> None: ...

        def see(self, seen: model_table.Picture, fit: str) -> list[model_table.n6post.Detection]:
            assert fit == "letterbox" and seen.size == (640, 480)
            asked.append(seen)
            white = seen.picture.convert("L").point(lambda value: 255 * (value > 180))
            found = []
            while box := white.getbbox():
                left = box[0]
                column = white.crop((left, 0, left + 1, 480)).getbbox()
                right = next((x for x in range(left, 640) if not white.crop((x, 0, x + 1, 480)).getbbox()), 640)
                part = white.crop((left, 0, right, 480)).getbbox()
                assert column and part
                width, height = right - left, part[3] - part[1]
                if height >= 60 or not found:
                    places = [(left, 0)]
                else:
                    places = [(left + width, 0), (left, 1)]
                for x, class_id in places:
                    rect = (x, part[1], width, height)
                    found.append(model_table.n6post.Detection(rect, 0.9, class_id, "one", None, None))
                white.paste(0, (left, 0, right, 480))
            return found

    monkeypatch.setattr(model_table, "Network", Finder)
    assert model_table.smallest(tmp_path / "net.tflite", picture) == 64
    assert len(asked) % len(model_table.PLACES) == 0
