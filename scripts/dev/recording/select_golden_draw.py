#!/usr/bin/env python3
"""Copy a selection of the recorded drawings into host_tests/data/draw_cases.npz.

    python3 scripts/dev/recording/select_golden_draw.py [--golden DIR] [--out FILE]

The full set (1.6 MB) is not part of the project. With this selection, stubs/image can be compared with the
firmware without it. The selection has every small case, and one large case for each kind of parameter, on
RGB565 and on GRAYSCALE.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import io
import json
import zipfile
from typing import Any

import numpy as np

ROOT = _venv.ROOT

# Groups of small cases that are copied completely.
WHOLE = {"construct", "wrap", "to_ndarray", "pixels", "tables"}

LEFT_OUT = {"gray_from_rgb565"}  # large

# Of the other groups: the part of an id after `nn_r_` and the like.
PARTS = {
    "nearest": ["neg", "x0.3", "roi_x2.3_neg", "alpha7", "alpha127", "hmirror", "vflip", "aspect_keep",
                "from_rgb_x2_alpha"],
    "bilinear": ["neg_x2.7", "roi_x2.3_neg", "narrow", "from_rgb_x2.5"],
    "bilinear_palette": ["rand_alpha128", "roi_neg_frac"],
    "palette": ["both_alpha77", "alphapal_alpha90", "x2.6_roi_both"],
    "mask": ["tuple_alpha", "binary", "palette_alpha255", "image_src_opaque"],
}
SHAPES = ["rect_t3", "rect_out", "rect_degenerate", "rect_colors", "line_5_5_50_40_t1", "line_55_10_5_30_t4",
          "line_-20_-10_90_60_t1", "circle_30_24_10_t3", "circle_30_24_6_t3_fill", "circle_60_44_12_t2", "cross"]
TEXTS = ["str_prop_r", "str_newline_g", "str_clip_r", "str_all_glyphs"]


def wanted(case: dict[str, Any]) -> bool:
    name, group = case["id"], case["group"]
    if name in LEFT_OUT:
        return False
    if group in WHOLE or name.endswith("_errors"):
        return True
    if group == "shapes":
        return name[:-2] in SHAPES
    if group == "strings":
        return name in TEXTS
    return name.split("_", 2)[2] in PARTS[group]


def _same(a: "np.ndarray[Any, Any]", b: "np.ndarray[Any, Any]") -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def select(golden: Path) -> dict[str, "np.ndarray[Any, Any]"]:
    """The selected cases as `index` (JSON) and their arrays. Equal inputs of different groups are stored once."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    chosen = [case for case in json.loads((golden / "index.json").read_text(encoding="utf-8")) if wanted(case)]
    archives = {name: np.load(golden / name) for name in {case["file"] for case in chosen}}

    def take(file: str, key: str) -> str:
        array = archives[file][key]
        name = key
        while name in arrays and not _same(arrays[name], array):
            name += "'"
        arrays[name] = array
        return name

    for case in chosen:
        file = case.pop("file")
        for step in case["steps"]:
            if "key" in step:
                step["key"] = take(file, step["key"])
        loaded = {step["name"]: step["key"] for step in case["steps"] if step["op"] == "load"}
        for output in case["outputs"]:
            output["key"] = take(file, output["key"])
            if output["name"] in loaded:
                # Most pixels do not change, so the difference compresses to a third of the size.
                output["xor"] = loaded[output["name"]]
                arrays[output["key"]] = arrays[output["key"]] ^ arrays[output["xor"]]
    text = json.dumps(chosen, separators=(",", ":"))
    return {"index": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}


def write(path: Path, arrays: dict[str, "np.ndarray[Any, Any]"]) -> None:
    """np.savez_compressed with fixed dates, so that the same recordings give the same file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue(), zipfile.ZIP_DEFLATED, 9)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--golden", type=Path, default=ROOT.parent / "shared" / "golden" / "draw")
    parser.add_argument("--out", type=Path, default=ROOT / "host_tests" / "data" / "draw_cases.npz")
    options = parser.parse_args()
    if not (options.golden / "index.json").is_file():
        print(f"no recordings in {options.golden}", file=sys.stderr)
        return 1
    arrays = select(options.golden)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write(options.out, arrays)
    count = len(json.loads(bytes(arrays["index"])))
    print(f"{count} cases, {options.out.stat().st_size / 1000:.0f} KB in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
