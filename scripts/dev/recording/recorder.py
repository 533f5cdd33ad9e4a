"""What the recorders share: photographs, networks in LiteRT, numbers as they are stored, their files and the command line.

It needs numpy and Pillow, and scikit-image and ai-edge-litert for what uses them.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data"
sys.path.insert(0, str(ROOT / "scripts"))

from n6post_pc.demo.recorded import Array, Tensor

BILINEAR = Image.Resampling.BILINEAR


# --- pictures ---
def photograph(name: str) -> Image.Image:
    """A photograph of scikit-image: "astronaut"."""
    with Image.open(photograph_file(name)) as opened:
        return opened.convert("RGB")


def photograph_file(name: str) -> Path:
    package = importlib.util.find_spec("skimage")
    assert package and package.origin
    return next(Path(package.origin).parent.glob(f"data/{name}.*"))


def stretched(picture: Image.Image, size: tuple[int, int]) -> Array:
    return np.asarray(picture.resize(size, BILINEAR))


def letterboxed(
    picture: Image.Image, size: tuple[int, int], whole: Callable[[float], int] = round, centered: bool = True
) -> Array:
    """The picture with its aspect ratio, and bars of gray 114."""
    ratio = min(size[0] / picture.width, size[1] / picture.height)
    width, height = whole(picture.width * ratio), whole(picture.height * ratio)
    canvas = Image.new("RGB", size, (114, 114, 114))
    place = ((size[0] - width) // 2, (size[1] - height) // 2) if centered else (0, 0)
    canvas.paste(picture.resize((width, height), BILINEAR), place)
    return np.asarray(canvas)


def collage(
    tile: Image.Image, places: Iterable[tuple[int, int, int, int, bool]], side: int, color: tuple[int, int, int]
) -> Image.Image:
    """Copies of a picture on a square of this color: (side, x, y, degrees, mirrored) of each."""
    canvas = Image.new("RGB", (side, side), color)
    for width, x, y, degrees, mirrored in places:
        one = tile.resize((width, width), Image.Resampling.LANCZOS)
        one = one.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=tile.getpixel((2, 2)))
        canvas.paste(ImageOps.mirror(one) if mirrored else one, (x, y))
    return canvas


# --- networks ---
class Network:
    """A .tflite in LiteRT. `plain` keeps all tensors, and computes without XNNPACK."""

    def __init__(self, file: Path | bytes, plain: bool = False) -> None:
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        options: dict[str, Any] = {"model_content": file} if isinstance(file, bytes) else {"model_path": str(file)}
        if plain:
            resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
            options |= {"experimental_preserve_all_tensors": True, "experimental_op_resolver_type": resolver}
        self.interpreter = Interpreter(**options)
        self.interpreter.allocate_tensors()
        (self.input,) = self.interpreter.get_input_details()
        self.outputs = self.interpreter.get_output_details()
        self.size = int(self.input["shape"][2]), int(self.input["shape"][1])

    def run(self, pixels: Array, low: float = 0.0) -> list[Array]:
        """The outputs for pixels (height, width, 3). Of bytes, a float input gets numbers from `low` to 1, and int8 the
        bytes minus 128, as on a camera; all other numbers are in the input's own units.
        """
        if pixels.dtype == np.uint8 and self.input["dtype"] == np.float32:
            pixels = pixels / np.float32(255) * np.float32(1 - low) + np.float32(low)
        elif pixels.dtype == np.uint8 and self.input["dtype"] == np.int8:
            pixels = pixels.astype(np.int16) - 128
        self.interpreter.set_tensor(self.input["index"], np.ascontiguousarray(pixels[None].astype(self.input["dtype"])))
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(out["index"]) for out in self.outputs]

    def operators(self) -> list[dict[str, Any]]:
        return self.interpreter._get_ops_details()  # type: ignore[no-any-return]

    def behind(self, index: int) -> dict[str, Any]:
        """The description of a tensor; of a tensor of integers, if only a DEQUANTIZE is between the two."""
        for operator in self.operators():
            if operator["op_name"] == "DEQUANTIZE" and index in operator["outputs"]:
                index = int(operator["inputs"][0])
        return next(one for one in self.interpreter.get_tensor_details() if one["index"] == index)

    def tensor(self, described: dict[str, Any]) -> Tensor:
        scale, zero_point = described["quantization"]
        return Tensor(self.interpreter.get_tensor(described["index"]).copy(), float(scale), int(zero_point))


# --- numbers ---
def quantized(several: list[Array], dtype: str = "int8", low: float = 0.0, high: float = 0.0) -> list[Tensor]:
    """Arrays with one scale, which covers all of their numbers, `low` and `high`. Floats: 11 significant bits."""
    if dtype.startswith("float"):
        return [Tensor(one.astype(np.float16)) for one in several]
    info = np.iinfo(dtype)
    low, high = min(low, *(float(one.min()) for one in several)), max(high, *(float(one.max()) for one in several))
    scale = float(np.float32((high - low) / (info.max - info.min)))
    zero_point = round(info.min - low / scale)
    return [
        Tensor(np.clip(np.round(one / scale) + zero_point, info.min, info.max).astype(dtype), scale, zero_point)
        for one in several
    ]


def integers(values: Array, scale: float, zero_point: int) -> Tensor:
    """The int8 tensor of a dequantized float tensor. ValueError unless it gives the same floats, bit for bit."""
    if values.dtype == np.int8:
        return Tensor(values, scale, zero_point)
    raw = np.round(values / np.float32(scale)) + zero_point
    if raw.min() < -128 or raw.max() > 127:
        raise ValueError("not a dequantized int8 tensor: out of range")
    tensor = Tensor(raw.astype(np.int8), scale, zero_point)
    if not np.array_equal(real(tensor), values):
        raise ValueError(f"not a dequantized int8 tensor: off by up to {np.abs(real(tensor) - values).max()}")
    return tensor


def real(tensor: Tensor) -> Array:
    """The numbers that a tensor stands for, as float32."""
    return tensor.dequantized().values.astype(np.float32)


def byte_planes(values: Array) -> Array:
    """The bytes of the numbers as [low and high, *shape], which compresses better."""
    values = np.ascontiguousarray(values)
    return np.moveaxis(values.view(np.uint8).reshape(*values.shape, values.itemsize), -1, 0)


# --- files and the command line ---
def as_json(value: Any) -> Array:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def write(target: Path, arrays: dict[str, Array]) -> None:
    """An .npz in an .xz stream. The same arrays always give the same file."""
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    target.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{target.name}: {target.stat().st_size} bytes")


def main(*steps: Callable[..., None]) -> None:
    """Call a function with paths from the command line, one for each parameter. Of several functions, the first argument
    is the name of one.
    """
    parser = argparse.ArgumentParser(
        description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(metavar="STEP", required=True) if len(steps) > 1 else None
    for step in steps:
        command = commands.add_parser(step.__name__, description=step.__doc__) if commands else parser
        for name, parameter in inspect.signature(step).parameters.items():
            optional = parameter.default is None
            command.add_argument(name, type=lambda text: Path(text).resolve(), nargs="?" if optional else None)
        command.set_defaults(step=step)
    arguments = vars(parser.parse_args())
    arguments.pop("step")(**arguments)
