"""stubs/image compared with recordings of the firmware's `image` module, and tests of behavior that they do not cover.

The recordings are the selection in data/draw_cases.npz, and all of ../shared/golden/draw if that folder exists.
"""

import builtins
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import image
import numpy as np
import omv
import pytest
from ulab import _host as ulab_host
from ulab import numpy as ulab_numpy

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "draw"
SELECTED = Path(__file__).resolve().parents[1] / "data" / "draw_cases.npz"

Case = dict[str, Any]


def _cases() -> Iterator[tuple[str, Case, str]]:
    """(name, case, archive of its arrays) of every available recording."""
    with np.load(SELECTED) as archive:
        for case in json.loads(bytes(archive["index"])):
            yield "selected", case, str(SELECTED)
    if GOLDEN.is_dir():
        for case in json.loads((GOLDEN / "index.json").read_text(encoding="utf-8")):
            yield "golden", case, str(GOLDEN / case["file"])


CASES = list(_cases())
_archives: dict[str, dict[str, Any]] = {}


def _arrays(path: str) -> dict[str, Any]:
    if path not in _archives:
        with np.load(path) as archive:
            _archives[path] = dict(archive)
    return _archives[path]


def _argument(value: Any, names: dict[str, Any]) -> Any:
    """Convert an argument from JSON to an object: lists are tuples; dicts are names, constants or expressions."""
    if isinstance(value, list):
        return tuple(_argument(item, names) for item in value)
    if not isinstance(value, dict):
        return value
    if "var" in value:
        return names[value["var"]]
    if "expr" in value:
        return eval(value["expr"], names)
    flags = 0
    for name in value["const"]:
        flags |= getattr(image, name)
    return flags


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def _loaded(pixels: "np.ndarray[Any, Any]", pixformat: str) -> image.Image:
    height, width = pixels.shape
    return image.Image(width, height, getattr(image, pixformat), buffer=bytearray(pixels.tobytes()))


def _step(step: Case, names: dict[str, Any], arrays: dict[str, Any]) -> None:
    if step["op"] == "array":
        names[step["name"]] = ulab_host.wrap(arrays[step["key"]].copy())
    elif step["op"] == "load":
        names[step["name"]] = _loaded(arrays[step["key"]], step["format"])
    elif step["op"] == "image":
        names[step["name"]] = image.Image(step["w"], step["h"], getattr(image, step["format"]))
    elif step["op"] == "eval":
        exec(f"{step['name']} = {step['expr']}", names)
        if "value" in step:
            assert _plain(eval(step["name"], names)) == step["value"], step
    else:
        target = names[step["on"]]
        arguments = [_argument(value, names) for value in step.get("args", [])]
        keywords = {key: _argument(value, names) for key, value in step.get("kwargs", {}).items()}
        result = getattr(target, step["method"])(*arguments, **keywords)
        if step.get("returns") == "self":
            assert result is target
        elif "returns" in step:
            assert _plain(result) == step["returns"], step


def _run(case: Case, arrays: dict[str, Any]) -> dict[str, Any]:
    """Execute a recording's steps, check values and exceptions, and return its names."""
    names: dict[str, Any] = {"np": ulab_numpy, "image": image}
    for step in case["steps"]:
        if "error" in step:
            with pytest.raises(getattr(builtins, step["error"])):
                _step(step, names, arrays)
        else:
            _step(step, names, arrays)
    return names


def _output(value: Any, kind: str) -> "np.ndarray[Any, Any]":
    if kind in ("rgb565", "gray"):
        assert value.format() == (image.RGB565 if kind == "rgb565" else image.GRAYSCALE)
        pixels = np.frombuffer(value.bytearray(), dtype="<u2" if kind == "rgb565" else np.uint8)
        return pixels.reshape(value.height(), value.width())
    array: np.ndarray[Any, Any] = np.frombuffer(value, dtype=np.uint8) if kind == "bytes" else value._np
    return array


def _expected(output: Case, arrays: dict[str, Any]) -> "np.ndarray[Any, Any]":
    """Decode an array. The selection stores most pictures as the difference from the picture before the drawing."""
    expected: np.ndarray[Any, Any] = arrays[output["key"]]
    if "xor" in output:
        expected = expected ^ arrays[output["xor"]]
    return expected


def _box(changed: "np.ndarray[Any, Any]") -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1])


@pytest.mark.parametrize(
    ("case", "archive"),
    [pytest.param(case, archive, id=f"{where}-{case['id']}") for where, case, archive in CASES
     if case["group"] != "strings"],
)
def test_images_draw_convert_and_refuse_exactly_as_recorded(case: Case, archive: str) -> None:
    arrays = _arrays(archive)
    names = _run(case, arrays)
    for output in case["outputs"]:
        expected = _expected(output, arrays)
        got = _output(names[output["name"]], output["kind"])
        assert got.dtype == expected.dtype
        assert got.shape == expected.shape
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("case", "archive"),
    [pytest.param(case, archive, id=f"{where}-{case['id']}") for where, case, archive in CASES
     if case["group"] == "strings"],
)
def test_text_covers_the_recorded_area_in_the_recorded_colors(case: Case, archive: str) -> None:
    arrays = _arrays(archive)
    got = _output(_run(case, arrays)["im"], case["outputs"][0]["kind"])
    expected = _expected(case["outputs"][0], arrays)
    background = arrays[case["steps"][0]["key"]]
    assert _box(got != background) == _box(expected != background)
    assert set(got[got != background]) == set(expected[expected != background])


def test_each_letter_fills_its_recorded_rows_and_columns() -> None:
    case, archive = next((case, archive) for _, case, archive in CASES if case["id"] == "str_all_glyphs")
    got = _output(_run(case, _arrays(archive))["im"], "gray")
    expected = _expected(case["outputs"][0], _arrays(archive))
    for y in (0, 16):
        for x in range(0, 640, 8):
            cell, recorded = got[y : y + 10, x : x + 8], expected[y : y + 10, x : x + 8]
            assert cell.any() == recorded.any()
            if recorded.any():
                assert _box(cell) == _box(recorded)


@pytest.mark.shared
def test_all_recordings_were_found() -> None:
    assert sum(where == "golden" for where, _, _ in CASES) == 377


# ---- behavior that the recordings do not cover ----


def test_an_image_over_a_buffer_shares_its_memory() -> None:
    owner = bytearray(40)
    picture = image.Image(5, 4, image.RGB565, buffer=owner)
    owner[0:2] = b"\xff\xff"
    assert picture.get_pixel((0, 0)) == (255, 255, 255)
    picture.set_pixel((1, 0), (255, 0, 0))
    assert owner[2:4] == b"\x00\xf8"
    assert picture.bytearray() is owner


def test_an_image_may_start_at_an_odd_byte() -> None:
    owner = bytearray(21)
    picture = image.Image(5, 2, image.RGB565, buffer=memoryview(owner)[1:])
    picture.draw_rectangle((0, 0, 5, 2), color=0x1234, fill=True)
    assert owner == b"\0" + b"\x34\x12" * 10
    view = picture.bytearray()
    view[0] = 0
    assert owner[1] == 0


def test_drawing_an_image_on_itself_reads_the_old_pixels() -> None:
    picture = image.Image(4, 1, image.GRAYSCALE, buffer=bytearray([1, 2, 3, 4]))
    picture.draw_image(picture, 1, 0)
    assert bytes(picture.bytearray()) == bytes([1, 1, 2, 3])


def test_a_saved_picture_file_reads_back_unchanged(tmp_path: Path) -> None:
    picture = image.Image(31, 17, image.RGB565)
    picture.draw_circle((15, 8, 7), color=(200, 30, 90), thickness=2)
    for name in ("a.png", "a.bmp"):
        path = str(tmp_path / name)
        assert picture.save(path) is picture
        again = image.Image(path)
        assert again.format() == image.RGB565
        assert again.bytearray() == picture.bytearray()
    gray = picture.to_grayscale(copy=True)
    gray.save(str(tmp_path / "g.png"), roi=(10, 5, 12, 6))
    part = image.Image(str(tmp_path / "g.png"))
    assert (part.width(), part.height(), part.format()) == (12, 6, image.GRAYSCALE)
    assert part.get_pixel((0, 0)) == gray.get_pixel((10, 5))


def test_files_that_are_not_pictures_are_refused(tmp_path: Path) -> None:
    (tmp_path / "note.png").write_text("no picture", encoding="utf-8")
    with pytest.raises(OSError, match="not a picture"):
        image.Image(str(tmp_path / "note.png"))
    with pytest.raises(OSError):
        image.Image(str(tmp_path / "absent.png"))
    with pytest.raises(OSError, match="extension"):
        image.Image(4, 4, image.GRAYSCALE).save(str(tmp_path / "a.gif"))


def test_conversions_without_a_copy_use_the_same_memory() -> None:
    owner = bytearray(b"\xff\xff\x00\x00")
    picture = image.Image(2, 1, image.RGB565, buffer=owner)
    assert picture.to_grayscale() is picture
    assert (picture.format(), picture.size()) == (image.GRAYSCALE, 2)
    assert owner[:2] == b"\xff\x00"


def test_an_image_cannot_grow_in_place() -> None:
    with pytest.raises(OSError, match="fit"):
        image.Image(2, 1, image.GRAYSCALE).to_rgb565()


def test_a_copy_can_be_cropped_and_scaled() -> None:
    picture = image.Image(4, 2, image.GRAYSCALE, buffer=bytearray(range(8)))
    part = picture.copy(roi=(1, 0, 2, 2), x_scale=2, y_scale=1)
    assert (part.width(), part.height()) == (4, 2)
    assert bytes(part.bytearray()) == bytes([1, 1, 2, 2, 5, 5, 6, 6])


def test_shapes_and_pixels_of_a_binary_image_are_bits() -> None:
    picture = image.Image(33, 2, image.BINARY)
    picture.draw_rectangle((31, 0, 2, 2), fill=True)
    assert bytes(picture.bytearray()) == b"\0\0\0\x80\x01\0\0\0" * 2
    assert picture.get_pixel((32, 1)) == 1
    assert picture.get_pixel((30, 1)) == 0
    assert picture.get_pixel((32, 1), rgbtuple=True) == (255, 255, 255)
    assert [sum(row) for row in picture] == [2, 2]


def test_clear_with_a_mask_blackens_only_the_set_pixels() -> None:
    picture = image.Image(3, 1, image.GRAYSCALE, buffer=bytearray([9, 9, 9]))
    mask = image.Image(2, 1, image.GRAYSCALE, buffer=bytearray([127, 128]))
    assert bytes(picture.clear(mask=mask).bytearray()) == bytes([9, 0, 9])


def test_namedtuples_are_accepted_as_rectangles_but_not_as_points() -> None:
    class Rect(NamedTuple):
        x: int
        y: int
        w: int
        h: int

    class Point(NamedTuple):
        x: int
        y: int

    picture = image.Image(8, 8, image.GRAYSCALE)
    picture.draw_rectangle(Rect(1, 1, 3, 3), color=255)
    with pytest.raises(TypeError):
        picture.draw_string(Point(1, 1), "a")  # the firmware expects a plain tuple here


# Call, exception, its message or the returned value, from an emulated firmware 4.8.1.
CALLS_OF_4_8_1: list[tuple[str, type[Exception] | None, Any]] = [
    ("draw_line((1, 2, 8, 5))", None, "self"),
    ("draw_line([1, 2, 8, 5])", None, "self"),
    ("draw_line(1, 2, 8, 5)", None, "self"),
    ("draw_line(1, 2, 8, 5, 255, 2)", None, "self"),
    ("draw_line((1, 2, 8, 5, 9))", ValueError, "requested length 4 but object has length 5"),
    ("draw_line((1, 2, 8))", ValueError, "requested length 4 but object has length 3"),
    ("draw_line(1, 2, 8)", OSError, "Not enough positional arguments!"),
    ("draw_line((1, 2, 8, 5), color=None)", TypeError, "object 'NoneType' isn't a tuple or list"),
    ("draw_line((1, 2, 8, 5), thickness=None)", TypeError, "can't convert NoneType to int"),
    ("draw_line((1, 2, 8, 5), thickness=1.5)", TypeError, "can't convert float to int"),
    ("draw_line(R(1, 2, 8, 5))", OSError, "Not enough positional arguments!"),
    ("draw_line((1.0, 2, 8, 5))", TypeError, "can't convert float to int"),
    ("draw_rectangle((1, 2, 8, 5), fill=True)", None, "self"),
    ("draw_rectangle(1, 2, 8, 5, (9, 9, 9), 1, True)", None, "self"),
    ("draw_rectangle((1, 2, 8, 5, 6))", ValueError, "requested length 4 but object has length 5"),
    ("draw_rectangle(R(1, 2, 8, 5))", OSError, "Not enough positional arguments!"),
    ("draw_rectangle((1, 2, 8, 5), fill=None)", TypeError, "can't convert NoneType to int"),
    ("draw_rectangle((1, 2, 8, 5), fill='yes')", TypeError, "can't convert str to int"),
    ("draw_rectangle((1, 2, 8, 5), color=(1, 2))", ValueError, "requested length 3 but object has length 2"),
    ("draw_circle((5, 5, 3))", None, "self"),
    ("draw_circle(5, 5, 3)", None, "self"),
    ("draw_circle((5, 5, 3, 9))", ValueError, "requested length 3 but object has length 4"),
    ("draw_circle((5, 5))", ValueError, "requested length 3 but object has length 2"),
    ("draw_circle(5, 5)", OSError, "Not enough positional arguments!"),
    ("draw_cross((5, 5))", None, "self"),
    ("draw_cross(5, 5)", None, "self"),
    ("draw_cross((5, 5, 5))", ValueError, "requested length 2 but object has length 3"),
    ("draw_cross(P(5, 5))", OSError, "Not enough positional arguments!"),
    ("draw_cross((5, 5), size=2)", None, "self"),
    ("draw_string((1, 2), 'a')", ValueError, "requested length 3 but object has length 2"),
    ("draw_string((1, 2, 'a'))", None, "self"),
    ("draw_string(1, 2, 'a')", None, "self"),
    ("draw_string(1, 2, 'a', (9, 9, 9), 2)", None, "self"),
    ("draw_string([1, 2, 'a'])", None, "self"),
    ("draw_string((1, 2, 'a'), color=(9, 9, 9), scale=2)", None, "self"),
    ("draw_string((1, 2, 'a', 3))", ValueError, "requested length 3 but object has length 4"),
    ("draw_string((1, 2, 3))", TypeError, "can't convert 'int' object to str implicitly"),
    ("draw_string((1, 2.5, 'a'))", TypeError, "can't convert float to int"),
    ("draw_string((1, 2, 'a'), color=None)", TypeError, "object 'NoneType' isn't a tuple or list"),
    ("draw_string((1, 2, 'a'), scale=None)", TypeError, "can't convert NoneType to float"),
    ("draw_string((1, 2, 'a'), mono_space=None)", TypeError, "can't convert NoneType to int"),
    ("draw_string((1, 2, 'a'), scale=0)", OSError, "Error: 0 < scale!"),
    ("draw_string((1, 2, b'a'))", None, "self"),
    ("draw_string(1, 2)", OSError, "Not enough positional arguments!"),
    ("draw_string()", TypeError, "function missing 1 required positional arguments"),
    ("draw_string(P(1, 2), 'a')", OSError, "Not enough positional arguments!"),
    ("get_pixel((1, 2))", None, (0, 0, 0)),
    ("get_pixel(1, 2)", None, (0, 0, 0)),
    ("get_pixel((1, 2), rgbtuple=False)", None, 0),
    ("get_pixel(1, 2, False)", None, 0),
    ("get_pixel((1, 2, 3))", ValueError, "requested length 2 but object has length 3"),
    ("get_pixel((1, 2), rgbtuple=None)", TypeError, "can't convert NoneType to int"),
    ("set_pixel((1, 2), color=7)", None, "self"),
    ("set_pixel(1, 2, 7)", None, "self"),
    ("set_pixel((1, 2), 7)", None, "self"),
    ("set_pixel(1, 2, (9, 9, 9))", None, "self"),
    ("set_pixel((1, 2), color=None)", TypeError, "object 'NoneType' isn't a tuple or list"),
    ("set_pixel((1, 2, 3), 7)", ValueError, "requested length 2 but object has length 3"),
]


class Box(NamedTuple):
    x: int
    y: int
    w: int
    h: int


class Spot(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(("call", "error", "result"), CALLS_OF_4_8_1, ids=[call for call, _, _ in CALLS_OF_4_8_1])
def test_drawing_methods_take_only_the_arguments_of_4_8_1(
    older_firmware: None, call: str, error: type[Exception] | None, result: Any
) -> None:
    picture = image.Image(16, 12, image.RGB565)
    names = {"picture": picture, "R": Box, "P": Spot}
    if error is None:
        got = eval("picture." + call, names)
        assert got is picture if result == "self" else got == result
    else:
        with pytest.raises(error, match=re.escape(result)):
            eval("picture." + call, names)
        assert not any(picture.bytearray())


def test_arguments_that_firmware_4_8_1_silently_ignores_are_refused(older_firmware: None) -> None:
    picture = image.Image(16, 12, image.RGB565)
    for call in (
        "draw_string((1, 2, 'a'), paint=7)", "draw_cross((5, 5), 7, 5, 1, 9)", "draw_line((1, 2, 3, 4), 7, color=8)",
    ):  # fmt: skip
        with pytest.raises(TypeError, match="extra arguments, which 4.8.1 silently ignores"):
            eval("picture." + call, {"picture": picture})


def test_both_firmwares_draw_the_same_with_either_form_of_arguments() -> None:
    def drawn(calls: str) -> bytes:
        picture = image.Image(40, 30, image.RGB565)
        for call in calls.split("; "):
            eval("picture." + call, {"picture": picture})
        return bytes(picture.bytearray())

    new = drawn("draw_line((1, 2, 30, 9), color=7, thickness=3); draw_string((5, 9), 'ab', color=(9, 200, 90), scale=2)")
    omv._host_set_version(4, 8, 1)
    try:
        assert drawn("draw_line(1, 2, 30, 9, 7, 3); draw_string(5, 9, 'ab', (9, 200, 90), 2)") == new
        assert drawn("draw_line((1, 2, 30, 9), 7, 3); draw_string((5, 9, 'ab'), (9, 200, 90), scale=2)") == new
    finally:
        omv._host_set_version()


def test_missing_options_and_methods_raise_clear_errors() -> None:
    picture, source = image.Image(8, 8, image.GRAYSCALE), image.Image(4, 4, image.GRAYSCALE)
    for hint in (image.TRANSPOSE, image.BICUBIC, image.AREA):
        with pytest.raises(NotImplementedError):
            picture.draw_image(source, x_scale=0.7, hint=hint)
    with pytest.raises(NotImplementedError):
        picture.draw_string((0, 0), "a", string_rotation=90)
    with pytest.raises(AttributeError, match=r"the stand-in has no Image\.find_hog"):
        picture.find_hog()  # type: ignore[attr-defined]


def test_area_and_bicubic_without_scaling_copy_the_pixels() -> None:
    source = image.Image(4, 4, image.GRAYSCALE, buffer=bytearray(range(16)))
    for hint in (image.AREA, image.BICUBIC, image.BILINEAR):
        assert image.Image(4, 4, image.GRAYSCALE).draw_image(source, hint=hint).bytearray() == source.bytearray()


def test_a_pil_copy_has_the_same_colors() -> None:
    picture = image.Image(2, 1, image.RGB565)
    picture.set_pixel((1, 0), (255, 128, 7))
    assert picture.to_pil().getpixel((1, 0)) == picture.get_pixel((1, 0)) == (255, 130, 0)
    assert image.Image(2, 1, image.BINARY).set_pixel((0, 0), 1).to_pil().getpixel((0, 0)) == 255


@pytest.mark.parametrize("scale", [1.1, 2.5, 3.7, 9.3])
def test_interpolated_gray_lies_between_its_neighbors_up_to_white(scale: float) -> None:
    white = image.Image(9, 7, image.GRAYSCALE, buffer=bytearray(b"\xff" * 63))
    size = int(9 * scale), int(7 * scale)
    drawn = image.Image(*size, image.GRAYSCALE)
    drawn.draw_image(white, 0, 0, x_scale=scale, y_scale=scale, hint=image.BILINEAR)
    assert bytes(drawn.bytearray()) == b"\xff" * (size[0] * size[1])
