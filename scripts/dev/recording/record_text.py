"""Record outputs of text recognizers and what their authors read in them, for host_tests/families/vectors/test_text_line.py.

It needs an environment of its own: pip install torch opencv-python-headless rapidocr-onnxruntime. CHECKOUT is a checkout of
sirius-ai/LPRNet_Pytorch with its weights and its photographs of plates. FONTS is a folder with fonts (.ttf):

    B/bin/python scripts/dev/recording/record_text.py CHECKOUT FONTS

lprnet      LPRNet's output [plates, 68, 18] for every 80th photograph (logits, the blank last), and for others in int8
ppocr       PP-OCRv4's mobile recognizer (in rapidocr-onnxruntime) on drawn texts: [texts, 40, classes] (softmax, the blank
            first, the space last). Of its 6,625 classes those are kept that have .002 or more somewhere. Texts are sharp,
            blurred, turned, noisy or of low contrast in turn

Beside them are the texts of the pictures, and what the authors' decoders read in exactly the numbers that are stored:
Greedy_Decode_Eval of LPRNet, and rapidocr's CTCLabelDecode, with its scores. It prints how many texts are right in all of
LPRNet's 1,000 plates and in 500 drawn texts. Nothing of the networks, the code and the photographs is stored.
"""

import ast
import random
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import recorder
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from recorder import Array

KINDS = "sharp", "blurred", "turned", "noisy", "low contrast"


# --- LPRNet ---
def authors_text(output: Array, characters: list[str]) -> str:
    """What Greedy_Decode_Eval of test_LPRNet.py makes of [classes, steps]: it has no function of its own for a text."""
    best = [int(class_id) for class_id in output.argmax(axis=0)]
    blank, last, found = len(characters) - 1, best[0], []
    if last != blank:
        found.append(last)
    for class_id in best:
        if class_id not in (last, blank):
            found.append(class_id)
        last = class_id
    return "".join(characters[class_id] for class_id in found)


def plates(checkout: Path) -> tuple[list[str], Array, list[str]]:
    """The characters, the outputs [plates, 68, 18] and the plates' names."""
    import torch

    sys.path.insert(0, str(checkout))
    from model.LPRNet import build_lprnet

    source = (checkout / "data" / "load_data.py").read_text(encoding="utf-8")
    characters = ast.literal_eval(source[source.index("CHARS = ") + 8 : source.index("]") + 1])
    net = build_lprnet(8, False, len(characters), 0.5)
    net.load_state_dict(torch.load(checkout / "weights" / "Final_LPRNet_model.pth", map_location="cpu"))
    outputs, names = [], []
    for file in sorted((checkout / "data" / "test").glob("*.jpg")):
        pixels = cv2.resize(cv2.imdecode(np.fromfile(file, np.uint8), 1), (94, 24)).astype(np.float32)
        planes = np.ascontiguousarray(((pixels - 127.5) * 0.0078125).transpose(2, 0, 1))
        with torch.no_grad():
            outputs.append(net.eval()(torch.from_numpy(planes[None]))[0].numpy())
        names.append(file.stem.split("-")[0].split("_")[0])
    return characters, np.array(outputs), names


# --- PP-OCR ---
def drawn(kind: str, fonts: list[Path], choose: random.Random, noise: np.random.Generator) -> tuple[str, Array]:
    """A text, and its picture (48, 320) in -1 to 1."""
    text = "".join(choose.choice("0123456789ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(choose.randint(4, 9)))
    font = ImageFont.truetype(choose.choice(fonts), 34)
    width = int(font.getbbox(text)[2]) + 24
    ink, ground = (110, 140) if kind == "low contrast" else choose.choice([(20, 235), (235, 20)])
    picture = Image.new("L", (width, 48), ground)
    ImageDraw.Draw(picture).text((12, 24), text, fill=ink, font=font, anchor="lm")
    if kind == "turned":
        picture = picture.rotate(choose.uniform(-6, 6), Image.Resampling.BICUBIC, fillcolor=ground)
    if kind == "blurred":
        picture = picture.filter(ImageFilter.GaussianBlur(choose.uniform(1.5, 3)))
    pixels = np.asarray(picture, np.float32)
    if kind == "noisy":
        pixels = pixels + noise.normal(0, 40, pixels.shape)
    shown = cv2.resize(pixels.clip(0, 255).astype(np.uint8), (min(width, 320), 48))
    padded = np.zeros((48, 320), np.float32)
    padded[:, : shown.shape[1]] = shown / 127.5 - 1
    return text, padded


def texts(fonts: Path) -> tuple[list[str], Array, list[str]]:
    """The characters, the outputs [500, 40, 6625] and the texts."""
    import onnxruntime
    import rapidocr_onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    file = Path(rapidocr_onnxruntime.__file__).parent / "models" / "ch_PP-OCRv4_rec_infer.onnx"
    session = onnxruntime.InferenceSession(str(file), options)
    characters = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    choose, noise = random.Random(5), np.random.default_rng(5)
    files = sorted(file for file in fonts.rglob("*.ttf") if "ExtraLight" not in file.name)
    outputs, written = [], []
    for at in range(500):
        text, pixels = drawn(KINDS[at % len(KINDS)], files, choose, noise)
        outputs.append(session.run(None, {"x": np.repeat(pixels[None, None], 3, 1)})[0][0])
        written.append(text)
    return characters, np.array(outputs), written


def decoded(outputs: Array, characters: list[str]) -> list[tuple[str, float]]:
    from rapidocr_onnxruntime.ch_ppocr_rec.utils import CTCLabelDecode

    found: Any = CTCLabelDecode(character=list(characters))(outputs)
    return list(found[0] if isinstance(found, tuple) else found)


def kept(outputs: Array, characters: list[str]) -> tuple[Array, list[str]]:
    """Only the classes that have .002 or more somewhere, the blank and the space."""
    classes = [0, *(at for at in range(1, len(characters) + 1) if outputs[:, :, at].max() >= 0.002), len(characters) + 1]
    return outputs[:, :, classes], [characters[at - 1] for at in classes[1:-1]]


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        above, row[0] = row[0], at
        for to, against in enumerate(other, 1):
            above, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, above + (letter != against))
    return row[-1]


def report(name: str, written: list[str], read: list[str]) -> None:
    wrong = sum(distance(one, other) for one, other in zip(written, read, strict=True))
    equal = sum(one == other for one, other in zip(written, read, strict=True))
    print(f"{name}: {equal} of {len(read)} texts right, characters {1 - wrong / sum(map(len, written)):.4f}")


def record(checkout: Path, fonts: Path) -> None:
    characters, outputs, names = plates(checkout)
    report("lprnet", names, [authors_text(one, characters) for one in outputs])
    data: dict[str, Array] = {}
    index: dict[str, Any] = {}
    for case, dtype, some in (("lprnet", "float16", slice(0, None, 80)), ("lprnet int8", "int8", slice(1, None, 40))):
        ((values, scale, zero_point),) = recorder.quantized([outputs[some]], dtype)
        data[case] = values
        index[case] = {
            "scale": scale,
            "zero_point": zero_point,
            "characters": characters,
            "written": names[some],
            "read": [authors_text(one, characters) for one in values],
        }
    characters, outputs, written = texts(fonts)
    read = decoded(outputs, characters)
    for at, kind in enumerate(KINDS):
        report(f"ppocr {kind}", written[at::5], [one[0] for one in read[at::5]])
    few, letters = kept(outputs[:20], characters)
    data["ppocr"] = np.where(few < 0.001, 0, few).astype(np.float16)
    index["ppocr"] = {
        "characters": letters,
        "written": written[:20],
        "read": decoded(data["ppocr"].astype(np.float32), letters),
    }
    recorder.write(recorder.DATA / "text.npz.xz", {**data, "index": recorder.as_json(index)})


if __name__ == "__main__":
    recorder.main(record)
