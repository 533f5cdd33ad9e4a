"""Record the results of the firmware's `image` module for the cases in host_tests/data/image_cases.npz.

    .venv/bin/python scripts/dev/recording/record_image.py write FOLDER    record_on_camera.py, and what it reads
    .venv/bin/python scripts/dev/recording/record_image.py read PRINTED    packs what record_on_camera.py printed

Between the two, run FOLDER/record_on_camera.py with firmware 5.0, on a camera or emulated, and save its output as PRINTED.
Its first argument is the path of the other files of FOLDER (by default the working folder).

The calls also work with 4.8.1. Methods of a blob that exist only there are recorded if the firmware has them. Floats are
recorded as the bits of a float32.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import recorder
from PIL import Image, ImageDraw
from recorder import Array

TARGET = recorder.DATA / "image_cases.npz"
RED, GREEN, BLUE = (20, 80, 25, 127, 0, 127), (10, 90, -128, -20, -10, 127), (0, 70, -60, 70, -128, -20)


def pictures() -> dict[str, tuple[str, Array]]:
    """Name: (format, pixels as (height, width))."""
    photo = np.asarray(recorder.photograph("astronaut").resize((64, 48), Image.Resampling.BOX))
    random = np.random.default_rng(21)
    drawn = Image.new("RGB", (75, 51), (90, 90, 90))
    draw = ImageDraw.Draw(drawn)
    for number in range(24):
        x, y, w, h = (int(v) for v in random.integers([-8, -8, 2, 2], [72, 48, 24, 18]))
        color = [(220, 30, 30), (30, 200, 60), (40, 60, 230), (250, 250, 250), (5, 5, 5)][number % 5]
        (draw.ellipse if number % 3 else draw.rectangle)((x, y, x + w, y + h), fill=color)
    shapes = np.clip(np.asarray(drawn) + random.integers(-12, 13, (51, 75, 3)), 0, 255)
    y, x = np.mgrid[:43, :61]
    gray = np.clip(3 * x - 2 * y + 60 * np.sin(x / 7) * np.cos(y / 5) + random.integers(-20, 21, (43, 61)), 0, 255)
    dots = random.random((37, 50)) < 0.35
    dots[10:22, 20:41] = True
    dots[27:29] = False
    mask = (np.hypot(x - 30, y - 22) < 19) * 200
    return {
        "photo": ("RGB565", _rgb565(photo)),
        "shapes": ("RGB565", _rgb565(shapes)),
        "gray": ("GRAYSCALE", gray.astype(np.uint8)),
        "dots": ("BINARY", dots.astype(np.uint8)),
        "mask": ("GRAYSCALE", mask.astype(np.uint8)),
        "odd": ("GRAYSCALE", ((x + 2 * y) % 5 * 60).astype(np.uint8)[:7, :9]),
    }


def _rgb565(rgb: Array) -> Array:
    r, g, b = (rgb[..., channel].astype(np.uint16) for channel in range(3))
    return (r >> 3) << 11 | (g >> 2) << 5 | b >> 3


def cases() -> Iterator[tuple[str, str]]:
    """(picture, call): `img` is a new copy of the picture; the other pictures are available by name."""
    for picture in ("photo", "shapes", "gray", "dots"):
        color = picture in ("photo", "shapes")
        bands = f"[{RED}]" if color else "[(100, 180)]" if picture == "gray" else "[(1, 1)]"
        several = f"[{RED}, {GREEN}, {BLUE}]" if color else "[(0, 60), (200, 255)]" if picture == "gray" else "[(0, 0)]"
        for thresholds in (bands, several):
            yield picture, f"img.binary({thresholds})"
            yield picture, f"img.binary({thresholds}, invert=True)"
        yield picture, f"img.binary({bands}, zero=True)"
        yield picture, f"img.binary({bands}, zero=True, mask=mask)"
        yield picture, f"img.binary({bands}, mask=mask)"
        yield picture, f"img.binary({bands}, to_bitmap=True)"
        yield picture, f"img.binary({several}, to_bitmap=True, copy=True)"
        yield picture, "img.binary([])"
        for operation in ("erode", "dilate"):
            yield picture, f"img.binary({bands}).{operation}(1)"
            yield picture, f"img.binary({bands}).{operation}(2, threshold=5)"
            yield picture, f"img.{operation}(1, threshold=3, mask=mask)"
        yield picture, f"img.binary({bands}).erode(6)"
        yield picture, f"img.binary({bands}).open(1)"
        yield picture, f"img.binary({bands}).close(1)"
        yield picture, "img.dilate(0)"
        yield picture, "img.invert()"
        for size in (0, 1, 2, 3):
            yield picture, f"img.mean({size})"
            yield picture, f"img.gaussian({size})"
        yield picture, "img.mean(2, threshold=True, offset=5)"
        yield picture, "img.mean(1, threshold=True, offset=-3, invert=True, mask=mask)"
        yield picture, "img.gaussian(1, unsharp=True)"
        yield picture, "img.gaussian(2, unsharp=True, mask=mask)"
        yield picture, "img.gaussian(1, threshold=True, offset=4)"
        yield picture, "img.gaussian(2, threshold=True, offset=-4, invert=True)"
        yield picture, "img.gaussian(1, mul=1.3, add=2.6)"
        yield picture, "img.gaussian(5)"
        for options in ("", "roi=(10, 5, 40, 30)", "bins=8", f"thresholds={bands}", f"thresholds={several}, invert=True",
                        "difference=other"):
            yield picture, f"img.get_statistics({options})"
        for options in ("bins=16", f"roi=(-4, 3, 30, 20), thresholds={several}, bins=7", "difference=other, bins=5"):
            yield picture, f"img.get_histogram({options})"
        yield picture, "img.get_histogram()"
        for share in (0.0, 0.1, 0.5, 0.93, 1.0):
            yield picture, f"img.get_histogram().get_percentile({share})"
        yield picture, "img.get_histogram().get_threshold()"
        yield picture, "img.get_histogram(bins=32, roi=(10, 10, 50, 25)).get_threshold()"
        yield picture, "img.get_histogram(bins=9).get_statistics()"
        for options in ("", "merge=True", "merge=True, margin=4",
                        "x_stride=1, y_stride=1, area_threshold=1, pixels_threshold=1",
                        "roi=(13, 7, 45, 33), area_threshold=4, pixels_threshold=4", "x_stride=5, y_stride=4",
                        "invert=True", "pixels_threshold=60, area_threshold=90",
                        "x_hist_bins_max=6, y_hist_bins_max=200, merge=True",
                        "threshold_cb=lambda b: V(b.w) < 20", "merge=True, margin=9, merge_cb=lambda a, b: V(a.w) > V(b.w)"):
            yield picture, f"img.find_blobs({several}, {options})"
        yield picture, f"img.find_blobs({bands})"
    for color in ("(250, 120, 30)", "127"):
        for options in ("thickness=1", "thickness=2", "thickness=5", "fill=True"):
            for ellipse in ("(50, 30, 30, 12, 0)", "(50, 30, 30, 12, 90)", "(48, 33, 28, 11, 30)", "(48, 33, 12, 25, 70)",
                            "(20, 60, 30, 18, 135)", "(90, 5, 18, 18, 45)", "(40, 40, 20, 9, -20)"):
                picture = "gray" if color == "127" else "photo"
                yield picture, f"img.draw_ellipse({ellipse}, color={color}, {options})"
    yield "gray", "img.draw_ellipse((40, 30, 0, 9, 0))"
    yield "gray", "img.draw_ellipse((40, 30, 10, 9, 0), thickness=0)"
    yield "dots", "img.draw_ellipse((30, 20, 20, 9, 10), color=1, fill=True)"
    for call in ("erode(1)", "dilate(2)", "mean(3)", "gaussian(3)", "gaussian(1)", "mean(1)"):
        yield "odd", f"img.{call}"
    for picture, options in (("photo", "quality=90"), ("photo", "quality=30"), ("gray", "quality=80"),
                             ("photo", "roi=(10, 20, 40, 30)"), ("dots", "")):
        yield picture, f"img.to_jpeg(copy=True, {options})"
    for picture in ("photo", "gray"):
        yield picture, "[img.to_jpeg().format(), img.width(), img.height(), img.format(), len(img) == img.size()]"
    yield "photo", "[img.compress(quality=40).format(), img.format(), img.bytearray()[:2], img[0], str(img)[:30]]"


# ---- the code that runs on the camera ----

ON_CAMERA = '''
import binascii, image, json, struct, sys
here = sys.argv[1] if len(sys.argv) > 1 else "."
with open(here + "/calls.json") as file:
    made = json.load(file)


def fresh(name):
    width, height, pixformat = made["pictures"][name]
    with open(here + "/" + name + ".raw", "rb") as file:
        return image.Image(width, height, getattr(image, pixformat), buffer=bytearray(file.read()))


def V(value):
    return value() if callable(value) else value


FIELDS = (
    "x y w h cx cy pixels rotation code count perimeter roundness x_hist_bins y_hist_bins corners min_corners cxf cyf "
    "elongation area density compactness rect rotation_deg extent solidity convexity major_axis_line minor_axis_line "
    "enclosing_circle enclosed_ellipse",
    "mean median mode stdev min max lq uq l_mean a_mean a_median a_mode a_stdev a_min a_max a_lq a_uq b_mean b_median "
    "b_mode b_stdev b_min b_max b_lq b_uq",
    "bins l_bins a_bins b_bins",
    "value l_value a_value b_value",
)


def plain(value):
    if isinstance(value, float):
        return {"f": binascii.hexlify(struct.pack(">f", value)).decode()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "rect") and not hasattr(value, "mean"):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return binascii.hexlify(value).decode()
    for fields in FIELDS:
        fields = fields.split()
        if hasattr(value, fields[0]):
            return {field: plain(V(getattr(value, field))) for field in fields if hasattr(value, field)}
    return str(value)


for number, (name, call) in enumerate(made["calls"]):
    names = {key: fresh(key) for key in made["pictures"]}
    names.update(img=fresh(name), V=V, image=image)
    names["other"] = fresh(name).dilate(1)
    try:
        result = eval(call, names)
    except Exception as error:
        print(number, "E", type(error).__name__, error)
        continue
    if isinstance(result, image.Image):
        print(number, "P", result.width(), result.height(), result.format(), binascii.hexlify(result.bytearray()).decode())
    else:
        print(number, "V", json.dumps(plain(result)))
print("done")
'''


def _packed(pixformat: str, pixels: Array) -> bytes:
    if pixformat != "BINARY":
        return pixels.astype("<u2" if pixformat == "RGB565" else np.uint8).tobytes()
    width = (pixels.shape[1] + 31) // 32 * 32
    bits = np.zeros((pixels.shape[0], width), dtype=np.uint8)
    bits[:, : pixels.shape[1]] = pixels
    return np.packbits(bits, axis=1, bitorder="little").tobytes()


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = pictures()
    sizes = {name: [pixels.shape[1], pixels.shape[0], pixformat] for name, (pixformat, pixels) in made.items()}
    (folder / "calls.json").write_text(json.dumps({"pictures": sizes, "calls": list(cases())}), encoding="utf-8")
    for name, (pixformat, pixels) in made.items():
        (folder / f"{name}.raw").write_bytes(_packed(pixformat, pixels))
    (folder / "record_on_camera.py").write_text(ON_CAMERA, encoding="utf-8")


def read(printed: Path) -> None:
    """Store `index` (JSON), the pictures, and for each resulting picture its difference from the original one."""
    made = pictures()
    raw = {name: np.frombuffer(_packed(*picture), dtype=np.uint8) for name, picture in made.items()}
    arrays: dict[str, Array] = {f"picture_{name}": data for name, data in raw.items()}
    lines = [line.split(" ", 2) for line in printed.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    recorded: list[dict[str, Any]] = []
    for (picture, call), (number, kind, rest) in zip(cases(), lines, strict=True):
        assert int(number) == len(recorded), f"call {len(recorded)} is missing"
        if kind == "E":
            raise ValueError(f"{call} of {picture}: {rest}")
        entry: dict[str, Any] = {"picture": picture, "call": call}
        if kind == "V":
            entry["value"] = json.loads(rest)
        else:
            width, height, pixformat, pixels = rest.split(" ")
            data = np.frombuffer(bytes.fromhex(pixels), dtype=np.uint8)
            entry["image"] = [int(width), int(height), int(pixformat)]
            entry["xor"] = len(data) == len(raw[picture])
            arrays[f"result_{number}"] = data ^ raw[picture] if entry["xor"] else data
        recorded.append(entry)
    sizes = {name: [pixels.shape[1], pixels.shape[0], pixformat] for name, (pixformat, pixels) in made.items()}
    text = json.dumps({"pictures": sizes, "cases": recorded}, separators=(",", ":"))
    with zipfile.ZipFile(TARGET, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in {"index": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getvalue(), zipfile.ZIP_DEFLATED, 9)  # a fixed date
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    recorder.main(write, read)
