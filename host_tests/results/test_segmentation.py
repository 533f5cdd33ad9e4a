"""lib/n6post/results/segmentation.py: the properties and methods of a class map, and how it is drawn."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import omv
import pytest
import reference
from assertions import gray, note_texts, rgb565, says, text_width
from fakes import FakeModel, Framed, Tensor, noise
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.drawing import masks
from n6post.inputs.transform import InputTransform
from n6post.kernels.portable import drawing as portable_drawing
from n6post.pixels.colors import class_color
from n6post.results.segmentation import MapTransform
from n6post.tensors import lazy
from n6post_pc.demo import recorded
from ulab import numpy as ulab_numpy

pytestmark = pytest.mark.both_firmwares

SIZE = (64, 48)  # of the model input
FRAME = (320, 240)


def map_of(classes: Any, size: tuple[int, int] = SIZE, source: Any = None, **options: Any) -> Any:
    """A Segmentation with these class numbers, seen through that input."""
    tensor = Tensor(np.asarray(classes, np.uint8)[None])
    # With a layout the map may have any shape.
    return FakeModel([tensor], size).run(n6post.DeepLab(layout="NHWC", **options), source)


def blobs(height: int, width: int, seed: int = 0, classes: int = 4) -> Any:
    """Class numbers in patches of a few pixels."""
    coarse = np.random.default_rng(seed).integers(0, classes, (height // 3 + 1, width // 4 + 1))
    return coarse.repeat(3, axis=0).repeat(4, axis=1)[:height, :width].astype(np.uint8)


def picture(width: int = FRAME[0], height: int = FRAME[1]) -> image.Image:
    return image.Image(width, height, image.RGB565)


INPUTS: dict[str, Any] = {
    "plain": lambda roi, img: Framed(roi),
    "crop": lambda roi, img: n6post.Crop(img, roi=roi),
    "letterbox": lambda roi, img: n6post.Letterbox(img, roi=roi),
}
ROIS = [(0, 0, 320, 240), (0, 0, 320, 120), (16, 40, 90, 200), (100, 0, 64, 48)]
through_every_input = pytest.mark.parametrize("fit", list(INPUTS))
of_every_roi = pytest.mark.parametrize("roi", ROIS)


def frame_to_map(fit: str, roi: tuple[int, int, int, int], shape: tuple[int, int]) -> tuple[Any, Any, Any, Any]:
    """The map's columns and rows at the center of each frame pixel (floats), and the x and y inside the roi."""
    if fit == "plain":
        fit = "stretch" if omv.version_major >= 5 else "expand"
    corners = reference.to_frame(np.float64([[0, 0], SIZE]), fit, SIZE, roi)
    spots = np.float64([np.arange(FRAME[0]) + 0.5]).T, np.float64([np.arange(FRAME[1]) + 0.5]).T
    columns = (spots[0][:, 0] - corners[0, 0]) / (corners[1, 0] - corners[0, 0]) * shape[1]
    rows = (spots[1][:, 0] - corners[0, 1]) / (corners[1, 1] - corners[0, 1]) * shape[0]
    inside_x = (np.arange(FRAME[0]) >= roi[0]) & (np.arange(FRAME[0]) < roi[0] + roi[2])
    inside_y = (np.arange(FRAME[1]) >= roi[1]) & (np.arange(FRAME[1]) < roi[1] + roi[3])
    return columns, rows, inside_x & (columns >= 0) & (columns < shape[1]), inside_y & (rows >= 0) & (rows < shape[0])


# --- properties and methods ------------------------------------------------------------------------------------------
@through_every_input
@of_every_roi
@pytest.mark.parametrize("shape", [(48, 64), (12, 16), (5, 7), (1, 1)])
def test_class_at_is_right_for_every_pixel_that_the_network_saw(
    fit: str, roi: tuple[int, int, int, int], shape: tuple[int, int]
) -> None:
    classes = blobs(*shape)
    segmentation = map_of(classes, source=INPUTS[fit](roi, picture()))
    columns, rows, seen_x, seen_y = frame_to_map(fit, roi, shape)
    # Within a thousandth of a pixel's edge either class is right. Crop and Letterbox take whole frame pixels.
    slack = 1e-3 if fit == "plain" else 1e-3 + 0.51 * max(shape[1] / roi[2], shape[0] / roi[3])
    wrong = 0
    for x in range(0, FRAME[0], 7):
        for y in range(0, FRAME[1], 5):
            got = segmentation.class_at(x, y)
            near = min(abs(columns[x] - round(columns[x])), abs(rows[y] - round(rows[y]))) < slack
            if seen_x[x] and seen_y[y]:
                expected = classes[int(rows[y]), int(columns[x])]
                wrong += not near and got != expected
            else:
                wrong += not near and got is not None
    assert wrong == 0


def test_class_at_samples_the_center_of_a_frame_pixel() -> None:
    """A frame pixel has three map pixels: its center is in the second one, its corner in the first."""
    segmentation = map_of([[0, 1, 0] * 4, [0, 2, 0] * 4, [0, 0, 0] * 4], (12, 3), Framed((8, 6, 4, 1)))
    assert [segmentation.class_at(x, 6) for x in range(7, 13)] == [None, 2, 2, 2, 2, None]
    assert [segmentation.class_at((x, 6)) for x in range(7, 13)] == [None, 2, 2, 2, 2, None]
    assert segmentation.class_at(8, 5) is segmentation.class_at(8, 7) is None


def test_a_frame_pixel_has_a_class_if_its_center_was_seen(as_firmware: tuple[int, int, int]) -> None:
    """Firmware 4.8.1 has one pixel too many here, and cuts the first one off."""
    first = None if as_firmware[0] < 5 else 1
    across = map_of(np.ones((4, 4), np.uint8), (4, 4), Framed((0, 0, 5, 4)))
    assert [across.class_at(x, 2) for x in range(-1, 6)] == [None, first, 1, 1, 1, 1, None]
    down = map_of(np.ones((4, 4), np.uint8), (4, 4), Framed((0, 0, 4, 5)))
    assert [down.class_at(2, y) for y in range(-1, 6)] == [None, first, 1, 1, 1, 1, None]


def test_class_at_outside_the_frame_is_none() -> None:
    segmentation = map_of(blobs(12, 16), source=Framed((0, 0, *FRAME)))
    assert [segmentation.class_at(x, y) for x, y in ((-1, 5), (5, -1), (320, 5), (5, 240))] == [None] * 4


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40), st.integers(1, 256))
@example(0, 1, 1, 1)
@example(1, 40, 1, 256)
@example(2, 1, 40, 2)
@example(3, 40, 40, 256)
def test_class_ids_and_fraction_of_a_stretched_frame_count_the_map(
    seed: int, height: int, width: int, classes: int
) -> None:
    plane = np.random.default_rng(seed).integers(0, classes, (height, width)).astype(np.uint8)
    segmentation = map_of(plane, source=Framed((0, 0, *FRAME)))
    counts = np.bincount(plane.ravel(), minlength=256)
    assert segmentation.class_ids(background=True) == np.flatnonzero(counts).tolist()
    assert segmentation.class_ids() == [c for c in np.flatnonzero(counts).tolist() if c != 0]
    for class_id in (0, 1, classes - 1, 255):
        assert segmentation.fraction(class_id) == pytest.approx(counts[class_id] / plane.size)


@through_every_input
@of_every_roi
def test_fractions_leave_out_bars_and_whatever_the_crop_cuts_off(
    fit: str, roi: tuple[int, int, int, int]
) -> None:
    shape = (48, 64)
    classes = blobs(*shape)
    segmentation = map_of(classes, source=INPUTS[fit](roi, picture()), background=None)
    columns, rows, seen_x, seen_y = frame_to_map(fit, roi, shape)
    xs, ys = columns[seen_x].astype(int), rows[seen_y].astype(int)
    window = classes[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    for class_id in range(4):
        # The edge of a letterbox may run through a map pixel, so one row or column more or less is right.
        slack = 1.5 / window.shape[0] + 1.5 / window.shape[1] if fit == "letterbox" else 1e-6
        assert segmentation.fraction(class_id) == pytest.approx((window == class_id).mean(), abs=slack)
    assert sum(segmentation.fraction(c) for c in range(4)) == pytest.approx(1)
    # Crop takes whole frame pixels, so one row more or less is right.
    area = sum(segmentation.area(c) for c in range(4))
    assert area == pytest.approx(seen_x.sum() * seen_y.sum(), rel=0.02 * (fit == "crop"))


@pytest.mark.parametrize(("thin", "frame"), [("rows", (640, 4)), ("columns", (4, 640))])
@pytest.mark.parametrize("shape", [(5, 5), (4, 4), (1, 1), (41, 41), (64, 64)])
def test_a_letterbox_thinner_than_a_map_pixel_counts_one_pixel(
    thin: str, frame: tuple[int, int], shape: tuple[int, int]
) -> None:
    """Between the bars it has one pixel of the input, in which no pixel of a coarse map has its center."""
    classes = np.arange(shape[0])[:, None].repeat(shape[1], axis=1).astype(np.uint8)
    classes = classes if thin == "rows" else np.ascontiguousarray(classes.T)
    source = n6post.Letterbox(picture(*frame))
    (left, top, width, height) = source._boxes((64, 64))[1]
    assert (left, top, width, height) == ((0, 31, 64, 1) if thin == "rows" else (31, 0, 1, 64))
    segmentation = map_of(classes, (64, 64), source, background=None)
    middle = int(31.5 / 64 * shape[0])
    assert segmentation.class_ids() == [middle] and segmentation.fraction(middle) == 1
    lines = [int((31 + (line + 0.5) / 4) / 64 * shape[0]) for line in range(4)]  # the map line of each of four frame pixels
    assert lines[3] == middle and len(set(lines)) == (2 if shape[0] == 41 else 1)
    for class_id in (middle - 1, middle, middle + 1):
        if class_id >= 0:
            assert segmentation.area(class_id) == segmentation.mask(class_id).area == 640 * lines.count(class_id)
    for x, y in ((0, 0), (3, 3), (1, 2), (frame[0] - 1, frame[1] - 1)):
        assert segmentation.class_at(x, y) == lines[y if thin == "rows" else x]


def test_a_map_pixel_whose_center_is_on_the_top_edge_is_seen() -> None:
    """The first pixel centered on an edge belongs to the picture, the last to the bar, whatever floats make of it.

    187 x 117 pixels become 64 x 40 between bars of 4. Six map rows are 8 high: the centers of the first and the last lie
    on the two edges. In double precision both come out a little too large.
    """
    rows = np.arange(6, dtype=np.uint8)[:, None].repeat(33, axis=1)
    segmentation = map_of(rows, source=n6post.Letterbox(picture(), roi=(40, 50, 187, 117)), background=None)
    assert segmentation.class_ids() == [0, 1, 2, 3, 4]


def test_class_ids_leaves_out_the_chosen_background() -> None:
    classes = [[0, 1], [2, 2]]
    assert map_of(classes).class_ids() == [1, 2]
    assert map_of(classes, background=2).class_ids() == [0, 1]
    assert map_of(classes, background=None).class_ids() == [0, 1, 2]
    assert map_of(classes, background=2).background == 2


@pytest.mark.parametrize("class_id", [-1, 256, ["person"], None, 1.0])
def test_a_class_number_out_of_range_is_refused(class_id: Any) -> None:
    segmentation = map_of(blobs(5, 5))
    for ask in (segmentation.fraction, segmentation.area, segmentation.mask, segmentation.label):
        with pytest.raises(ValueError, match=says(f"class_id: expected an integer from 0 to 255, got {class_id!r}")):
            ask(class_id)


# --- masks -----------------------------------------------------------------------------------------------------------
@through_every_input
def test_the_mask_of_a_class_holds_its_pixels(fit: str) -> None:
    classes = blobs(48, 64)
    segmentation = map_of(classes, source=INPUTS[fit]((0, 0, *FRAME), picture()))
    for class_id in range(4):
        mask = segmentation.mask(class_id)
        x, y, w, h = mask._parts()[2]
        np.testing.assert_array_equal(gray(mask.image) >= 128, classes[y : y + h, x : x + w] == class_id)
        inside = classes == class_id
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        assert (x, y, x + w, y + h) == (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        left, top = max(x - 1, 0), max(y - 1, 0)  # a ring of one pixel around it, within the map
        assert mask._parts()[1] == (left, top, min(x + w + 1, 64) - left, min(y + h + 1, 48) - top)
        assert mask.area == segmentation.area(class_id)
        for frame_x, frame_y in ((3, 5), (100, 100), (250, 200)):
            assert mask.contains(frame_x, frame_y) == (segmentation.class_at(frame_x, frame_y) == class_id)


@pytest.mark.parametrize("roi", [(16, 40, 128, 96), (200, 4, 64, 192), (8, 190, 256, 48)])
def test_the_mask_of_any_roi_lies_in_that_roi_only(roi: tuple[int, int, int, int]) -> None:
    """x, y, width and height all differ, so a confusion of two of them shows. The graphics unit takes these rois."""
    x, y, w, h = roi
    whole = map_of(np.ones((12, 16), np.uint8), source=stretched_part(roi)).mask(1)
    assert whole._parts()[3] == whole.rect == roi
    assert (whole.area, whole.centroid) == (w * h, (x + w // 2, y + h // 2))
    wanted = np.zeros((FRAME[1], FRAME[0]), bool)
    wanted[y : y + h, x : x + w] = True
    for smooth in (True, False):
        img = picture()
        whole.draw(img, color=(255, 255, 255), alpha=255, antialias=smooth)
        np.testing.assert_array_equal(rgb565(img) == 0xFFFF, wanted)
        assert not rgb565(img)[~wanted].any()
    np.testing.assert_array_equal(gray(whole.to_image()), np.where(wanted, 255, 0))
    outline = whole.outline()
    assert {px for px, _ in outline} >= {x, x + w - 1} and {py for _, py in outline} >= {y, y + h - 1}
    assert all(x <= px < x + w and y <= py < y + h for px, py in outline)

    classes = blobs(12, 16)
    segmentation = map_of(classes, source=stretched_part(roi))
    columns, rows = (2 * np.arange(w) + 1) * 16 // (2 * w), (2 * np.arange(h) + 1) * 12 // (2 * h)
    for class_id in range(4):
        plane = np.zeros((FRAME[1], FRAME[0]), bool)
        plane[y : y + h, x : x + w] = classes[rows][:, columns] == class_id
        mask = segmentation.mask(class_id)
        holds = [[mask.contains(px, py) for px in range(0, FRAME[0], 3)] for py in range(0, FRAME[1], 3)]
        np.testing.assert_array_equal(holds, plane[::3, ::3])
        assert mask.area == plane.sum()
        middle = np.argwhere(plane).mean(axis=0)[::-1] + 0.5
        assert np.abs(np.array(mask.centroid) + 0.5 - middle).max() <= 0.501  # the pixel that contains the mean


def test_the_outline_of_a_class_runs_around_its_pixels() -> None:
    classes = np.zeros((12, 16), np.uint8)
    classes[3:6, 4:10] = 1
    outline = map_of(classes, source=Framed((0, 0, *FRAME))).mask(1).outline()
    xs, ys = [p[0] for p in outline], [p[1] for p in outline]
    # A map pixel has 20 frame pixels. The outline lies halfway between two pixels of different classes.
    assert min(xs) == pytest.approx(80, abs=1) and max(xs) == pytest.approx(200, abs=1)
    assert min(ys) == pytest.approx(60, abs=1) and max(ys) == pytest.approx(120, abs=1)


def test_the_mask_of_an_absent_class_is_empty() -> None:
    mask = map_of(blobs(12, 16)).mask(200)
    assert (mask.area, mask.centroid, mask.image, mask.outline()) == (0, None, None, [])
    assert mask._parts()[1] == mask._parts()[2] == (0, 0, 0, 0)
    img = picture()
    mask.draw(img)
    assert not rgb565(img).any()


@pytest.mark.parametrize("across", [True, False])
def test_a_map_between_two_pixel_centers_has_no_area(across: bool) -> None:
    """The map is narrower than a frame pixel, so it has no column (or row) of them."""
    thin, wide = (0.001, 3.6), (0.1, 0.0)
    fit = InputTransform(None, (0, 0, 8, 8), *(thin + wide if across else wide + thin), (8, 8))
    segmentation = map_of(np.ones((48, 64), np.uint8))
    transform = MapTransform(segmentation._transform.class_info, fit, SIZE, (64, 48))
    segmentation = n6post.Segmentation(segmentation.class_map, transform)
    mask = segmentation.mask(1)
    assert (mask.area, segmentation.area(1), mask.image, mask.rect, mask.centroid) == (0, 0, None, None, None)
    assert {segmentation.class_at(x, y) for x in range(8) for y in range(8)} == {None}
    img = picture(8, 8)
    segmentation.draw(img)
    mask.draw(img)
    assert not rgb565(img).any()


@pytest.mark.parametrize("first", ["draw", "area", "class_at", "mask"])
def test_each_method_loads_the_modules_that_it_needs(monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    classes = blobs(12, 16)
    fresh, known = [map_of(classes, source=stretched_part((16, 40, 130, 90))) for _ in range(2)]
    asked = {
        "draw": lambda segmentation: rgb565(segmentation.draw(picture())).tolist(),
        "area": lambda segmentation: [segmentation.area(class_id) for class_id in range(4)],
        "class_at": lambda segmentation: [segmentation.class_at(x, 80) for x in range(0, 320, 9)],
        "mask": lambda segmentation: segmentation.mask(2).area,
    }
    wanted = {name: ask(known) for name, ask in asked.items()}
    vars(lazy.later).clear()
    assert asked[first](fresh) == wanted[first]
    assert {name: ask(fresh) for name, ask in asked.items()} == wanted


def test_a_mask_does_not_change_when_the_map_is_overwritten() -> None:
    classes = blobs(12, 16)
    tensor = Tensor(classes[None].copy())
    model = FakeModel([tensor], SIZE)
    processor = n6post.DeepLab()
    mask = model.run(processor).mask(2)
    before = gray(mask.image).tolist()
    tensor.values[:] = 0
    model.run(processor)
    model.run(processor)
    assert gray(mask.image).tolist() == before


# --- drawing ---------------------------------------------------------------------------------------------------------
def drawn_by_hand(img: image.Image, classes: Any, alpha: int, colors: dict[int, tuple[int, int, int]], **where: Any) -> None:
    table, alphas = bytearray(512), bytearray(256)
    for class_id, (r, g, b) in colors.items():
        value = (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3
        table[2 * class_id : 2 * class_id + 2] = value.to_bytes(2, "little")
        alphas[class_id] = alpha
    height, width = classes.shape
    source = image.Image(width, height, image.GRAYSCALE, buffer=bytearray(classes.tobytes()))
    img.draw_image(
        source,
        color_palette=image.Image(256, 1, image.RGB565, buffer=table),
        alpha_palette=image.Image(256, 1, image.GRAYSCALE, buffer=alphas),
        **where,
    )


def stretched_part(roi: tuple[int, int, int, int]) -> Any:
    """An input that stretches this part of the frame, on either firmware."""
    return n6post.Stretch(image.Image(*FRAME, image.GRAYSCALE), roi=roi)


def stretched_to(size: tuple[int, int]) -> Any:
    return n6post.Stretch(image.Image(*size, image.GRAYSCALE))


def under(size: int, pixels: int) -> Any:
    """The map column under the center of each frame column: (k + 1/2) * pixels / size, rounded down, in integers."""
    return (2 * np.arange(size) + 1) * pixels // (2 * size)


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("alpha", [0, 60, 128, 255])
@pytest.mark.parametrize("shape", [(48, 64), (240, 320), (65, 65), (1, 1), (480, 640), (7, 333)])
def test_draw_equals_draw_image_with_palettes_of_the_sampled_map(
    shape: tuple[int, int], alpha: int, pixformat: int
) -> None:
    classes = blobs(*shape)
    segmentation = map_of(classes, source=Framed((0, 0, *FRAME)))
    got, expected = noise(FRAME, pixformat), noise(FRAME, pixformat)
    colors = {c: class_color(c) for c in range(1, 256)}
    drawn_by_hand(expected, classes[under(FRAME[1], shape[0])][:, under(FRAME[0], shape[1])], alpha, colors, x=0, y=0)
    assert segmentation.draw(got, alpha=alpha) is got
    assert bytes(got.bytearray()) == bytes(expected.bytearray())


def everywhere(segmentation: Any, size: tuple[int, int]) -> Any:
    """`class_at` for each pixel of a frame, with -1 for None."""
    classes_at = [[segmentation.class_at(x, y) for x in range(size[0])] for y in range(size[1])]
    return np.array([[-1 if class_id is None else class_id for class_id in row] for row in classes_at])


COLORS = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
DRAWN = {0xF800: 1, 0x07E0: 2, 0x001F: 3}


@given(
    st.integers(0, 2**32), st.tuples(st.integers(1, 40), st.integers(1, 30)),
    st.tuples(st.integers(1, 50), st.integers(1, 50)), st.sampled_from([(64, 48), (32, 32), (20, 48)]),
    st.sampled_from(sorted(INPUTS)), st.tuples(*[st.integers(0, 49)] * 4),
)
@example(0, (1, 1), (1, 1), (64, 48), "plain", (0, 0, 0, 0))
@example(1, (1, 1), (50, 50), (20, 48), "letterbox", (0, 0, 0, 0))
@example(2, (40, 30), (1, 1), (32, 32), "crop", (39, 29, 0, 0))  # the last pixel of the frame
@example(3, (40, 1), (50, 50), (20, 48), "letterbox", (0, 0, 39, 0))  # thinner than a pixel of the map
@example(4, (1, 30), (5, 5), (32, 32), "letterbox", (0, 0, 0, 29))
@example(5, (40, 30), (3, 50), (64, 48), "plain", (7, 3, 20, 11))
def test_class_at_area_mask_and_draw_agree_on_every_pixel(
    seed: int, size: tuple[int, int], shape: tuple[int, int], input_size: tuple[int, int], fit: str,
    part: tuple[int, int, int, int],
) -> None:
    img = picture(*size)
    x, y = part[0] % size[0], part[1] % size[1]
    roi = (x, y, 1 + part[2] % (size[0] - x), 1 + part[3] % (size[1] - y))
    classes = np.random.default_rng(seed).integers(0, 4, shape).astype(np.uint8)
    segmentation = map_of(classes, input_size, INPUTS[fit](roi, img), background=None)
    classes_at = everywhere(segmentation, size)
    segmentation.draw(img, palette=[None, *COLORS[1:]], alpha=255)
    drawn = np.vectorize(lambda pixel: DRAWN.get(pixel, 0))(rgb565(img))
    np.testing.assert_array_equal(drawn, np.maximum(classes_at, 0))
    for class_id in range(4):
        mask = segmentation.mask(class_id)
        assert segmentation.area(class_id) == mask.area == (classes_at == class_id).sum()
        holds = [[mask.contains(x, y) for x in range(size[0])] for y in range(size[1])]
        np.testing.assert_array_equal(holds, classes_at == class_id)


SIDES = (5, 7, 13, 16, 21, 32, 33, 48, 64, 65, 80, 129, 160, 256, 320)
WIDTHS = (32, 64, 96, 128, 160, 176, 192, 224, 240, 256, 320, 333, 400, 480, 640)


def test_every_row_and_column_is_tinted_at_any_pair_of_sizes() -> None:
    """225 pairs, across and down. The last row or column was once missing, for example for 65 on 192."""
    missing = []
    for side in SIDES:
        for width in WIDTHS:
            for size, shape in (((width, 2), (1, side)), ((2, width), (side, 1))):
                segmentation = map_of(np.arange(side).reshape(shape) % 3 + 1, (side, side), stretched_to(size))
                img = picture(*size)
                segmentation.draw(img, palette=COLORS, alpha=255)
                got = np.vectorize(DRAWN.get)(rgb565(img), 0)
                if (got != (under(width, side) % 3 + 1).reshape((1, width) if size[1] == 2 else (width, 1))).any():
                    missing.append((side, size))
    assert not missing


def test_drawing_a_map_takes_little_additional_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The map is scaled a few rows at a time, so there is never a picture of the frame's size."""
    taken = []
    real = portable_drawing.gray
    monkeypatch.setattr(portable_drawing, "gray", lambda pixels, *size: taken.append(len(pixels)) or real(pixels, *size))
    monkeypatch.setattr(masks, "drawing_kernels", portable_drawing)
    segmentation = map_of(blobs(100, 100), source=stretched_to((640, 480)))
    segmentation.draw(picture(640, 480))
    assert sorted(set(taken)) == [256, 16000]  # the palette; 25 rows


@through_every_input
@of_every_roi
def test_a_class_is_drawn_exactly_where_class_at_returns_it(
    fit: str, roi: tuple[int, int, int, int]
) -> None:
    classes = blobs(12, 16)
    img = picture()
    segmentation = map_of(classes, source=INPUTS[fit](roi, img))
    segmentation.draw(img, palette=COLORS, alpha=255)
    got = rgb565(img)
    _, _, seen_x, seen_y = frame_to_map(fit, roi, classes.shape)
    assert not got[~(seen_y[:, None] & seen_x[None, :])].any()
    for y in range(0, FRAME[1], 3):
        for x in range(0, FRAME[0], 3):
            assert DRAWN.get(int(got[y, x]), 0) == (segmentation.class_at(x, y) or 0)


def test_the_background_is_transparent_and_a_palette_may_hide_classes() -> None:
    classes = np.uint8([[0, 1], [2, 3]])
    img = noise(FRAME)
    before = rgb565(img).copy()
    map_of(classes, source=Framed((0, 0, *FRAME))).draw(img, palette=[None, None, (255, 255, 255)], alpha=255)
    after = rgb565(img)
    top, bottom, left, right = slice(0, 120), slice(120, 240), slice(0, 160), slice(160, 320)
    np.testing.assert_array_equal(after[top], before[top])
    assert (after[bottom, left] == 0xFFFF).all()
    r, g, b = class_color(3)  # beyond the end of the palette
    assert (after[bottom, right] == ((r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3)).all()


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("kind", ["probability", "logit", "int8"])
def test_a_map_of_one_channel_is_drawn_where_it_reaches_the_threshold(kind: str, pixformat: int) -> None:
    """It has two classes, although it has one channel."""
    inside = blobs(12, 16, classes=2).astype(bool)
    values = {"probability": (0.1, 0.9), "logit": (-3, 4), "int8": (-100, 90)}[kind]
    plane = np.where(inside, values[1], values[0])[None, :, :, None]
    tensor = Tensor(plane.astype(np.int8), 1 / 256, -128) if kind == "int8" else Tensor(plane.astype(np.float32))
    segmentation = FakeModel([tensor], SIZE).run(n6post.DeepLab(), stretched_to(FRAME))
    for draw in (segmentation.draw, lambda img, **options: n6post.draw(img, segmentation, labels=False, **options)):
        got, expected = noise(FRAME, pixformat), noise(FRAME, pixformat)
        where = inside[under(FRAME[1], 12)][:, under(FRAME[0], 16)].astype(np.uint8)
        drawn_by_hand(expected, where, 128, {1: class_color(1)}, x=0, y=0)
        draw(got, alpha=128)
        assert bytes(got.bytearray()) == bytes(expected.bytearray()) != bytes(noise(FRAME, pixformat).bytearray())


def test_a_new_palette_alpha_or_format_replaces_the_cached_one() -> None:
    segmentation = map_of(np.ones((2, 2), np.uint8), source=Framed((0, 0, *FRAME)))
    colors = []
    for palette, alpha in (([None, (255, 0, 0)], 255), ([None, (0, 0, 255)], 255), ([None, (0, 0, 255)], 128), (None, 255)):
        img = picture()
        segmentation.draw(img, palette=palette, alpha=alpha)
        colors.append(int(rgb565(img)[5, 5]))
    assert colors[:3] == [0xF800, 0x001F, 0x000F]
    assert colors[3] not in colors[:3]
    frame = image.Image(*FRAME, image.GRAYSCALE)
    segmentation.draw(frame, palette=[None, (255, 0, 0)], alpha=255)
    assert gray(frame)[5, 5] == 38 * 255 >> 7


def test_a_map_larger_than_the_image_is_clipped_to_it() -> None:
    img = picture(50, 30)
    map_of(np.ones((12, 16), np.uint8), source=Framed((0, 0, *FRAME))).draw(img, alpha=255)
    assert rgb565(img).all()


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_the_legend_names_the_classes_in_the_frame(monkeypatch: pytest.MonkeyPatch, pixformat: int) -> None:
    written: list[str] = []
    note_texts(monkeypatch, lambda text, at, options: written.append(text))
    names = ["background", "road", "tree", "car", "sky"]
    segmentation = map_of([[0, 1], [3, 3]], source=Framed((0, 0, *FRAME)), labels=names)
    img = image.Image(*FRAME, pixformat)
    segmentation.draw(img, alpha=0, legend=True)
    assert written == ["road", "car"]
    pixels = np.frombuffer(bytes(img.bytearray()), np.uint16 if pixformat == image.RGB565 else np.uint8)
    rows, columns = np.nonzero(pixels.reshape(FRAME[1], FRAME[0]))
    assert rows.min() >= FRAME[1] - 2 * 12 - 2 and columns.max() < 18 + 8 * 4


def test_the_legend_leaves_out_classes_that_the_palette_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    note_texts(monkeypatch, lambda text, at, options: written.append(text))
    names = ["background", "road", "tree", "car"]
    segmentation = map_of([[0, 1], [2, 3]], source=Framed((0, 0, *FRAME)), labels=names)
    img = image.Image(*FRAME, image.RGB565)
    img.draw_rectangle((0, 0, *FRAME), color=(255, 255, 255), fill=True)
    segmentation.draw(img, palette=[None, (255, 0, 0), None, (0, 0, 255)], alpha=0, legend=True)
    assert written == ["road", "car"]
    rows, _ = np.nonzero(rgb565(img) != 0xFFFF)
    assert sorted(set(rows)) == list(range(FRAME[1] - 2 * 12 - 2, FRAME[1] - 2))  # two lines, at the lower edge


def test_map_and_legend_hide_the_same_classes_and_share_the_colors() -> None:
    """Class 1 is hidden, 2 has a color of the palette, and 3 is beyond its end."""
    segmentation = map_of([[0, 1], [2, 3]], source=Framed((0, 0, *FRAME)), labels=["background", "road", "tree", "car"])
    img = noise(FRAME)
    before = rgb565(img).copy()
    segmentation.draw(img, palette=[(1, 2, 3), None, (255, 0, 255)], alpha=255, legend=True)
    got = rgb565(img)
    np.testing.assert_array_equal(got[:120], before[:120])  # the background and the hidden class
    r, g, b = class_color(3)
    last = (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3
    assert (got[120:214, :160] == 0xF81F).all() and (got[120:240, 160:] == last).all()
    for top, color in ((214, 0xF81F), (226, last)):  # one black line for each class, with a square in its color
        np.testing.assert_array_equal(got[top + 1 : top + 11, 2:12], np.full((10, 10), color))
        assert not got[top, :12].any() and not got[top : top + 12, [0, 1, 12, 13, 14, 15]].any()
    assert (got[238:, :160] == 0xF81F).all()


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("masks", [True, False])
@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("color", [None, (0, 255, 0)])
def test_options_of_draw_apply_to_the_map_the_legend_and_the_palette(
    masks: bool, labels: bool, color: tuple[int, int, int] | None, pixformat: int
) -> None:
    classes = blobs(12, 16)
    names = ["background", "road", "tree", "car"]
    segmentation = map_of(classes, source=stretched_to(FRAME), labels=names)
    got, expected = noise(FRAME, pixformat), noise(FRAME, pixformat)
    assert n6post.draw(got, segmentation, color=color, alpha=200, masks=masks, labels=labels) is got
    if masks:
        colors = {c: color or class_color(c) for c in (1, 2, 3)}
        drawn_by_hand(expected, classes[under(FRAME[1], 12)][:, under(FRAME[0], 16)], 200, colors, x=0, y=0)
    top = FRAME[1] - 3 * 12 - 2 if labels else FRAME[1]
    tint, wanted = [(rgb565 if pixformat == image.RGB565 else gray)(img) for img in (got, expected)]
    np.testing.assert_array_equal(tint[:top], wanted[:top])
    width = [18 + 8 * len(name) for name in names[1:]]
    np.testing.assert_array_equal(tint[top:, max(width) :], wanted[top:, max(width) :])
    if labels:
        legend = image.Image(*FRAME, pixformat)
        for line in range(3):
            y = top + 12 * line
            legend.draw_rectangle((2, y + 1, 10, 10), color=color or class_color(line + 1), fill=True)
        squares = (rgb565 if pixformat == image.RGB565 else gray)(legend)
        np.testing.assert_array_equal(tint[top : FRAME[1] - 2, :16], squares[top : FRAME[1] - 2, :16])


@pytest.mark.parametrize(("width", "scale"), [(320, 1), (479, 1), (480, 2), (640, 2)])
def test_the_legend_doubles_its_size_where_box_labels_do(
    monkeypatch: pytest.MonkeyPatch, width: int, scale: int
) -> None:
    scales: list[int] = []
    note_texts(monkeypatch, lambda text, at, options: scales.append(options["scale"]))
    names = ["background", "road", "tree"]
    segmentation = map_of([[0, 1], [2, 2]], source=Framed((0, 0, width, 240)), labels=names)
    img = image.Image(width, 240, image.RGB565)
    img.draw_rectangle((0, 0, width, 240), color=(255, 255, 255), fill=True)
    segmentation.draw(img, alpha=0, legend=True)
    rows, columns = np.nonzero(rgb565(img) != 0xFFFF)
    wide = (17 + max(text_width("road"), text_width("tree"))) * scale
    assert (rows.min(), columns.max()) == (240 - 2 * 12 * scale - 2, wide - 1)
    n6post.draw(img, [n6post.Detection((0, 0, 9, 9), 0.5, 0, "road", None, None)])
    assert scales == [scale] * 3


@pytest.mark.parametrize(("width", "scale"), [(320, 1), (480, 2)])
def test_a_legend_entry_is_a_colored_square_and_a_white_name_on_black(
    monkeypatch: pytest.MonkeyPatch, width: int, scale: int
) -> None:
    drawings: list[Any] = []
    painted = image.Image.draw_rectangle

    def note_rectangle(img: Any, rect: Any, **options: Any) -> Any:
        drawings.append((rect, options))
        return painted(img, rect, **options)

    note_texts(monkeypatch, lambda text, at, options: drawings.append((text, at, options)))
    monkeypatch.setattr(image.Image, "draw_rectangle", note_rectangle)
    segmentation = map_of([[0, 1], [2, 2]], source=Framed((0, 0, width, 240)), labels=["background", "road", "a tree"])
    segmentation.draw(image.Image(width, 240, image.RGB565), legend=True)
    expected: list[Any] = []
    for class_id, name, top in ((1, "road", 240 - 2 - 24 * scale), (2, "a tree", 240 - 2 - 12 * scale)):
        ground = (0, top, (17 + text_width(name)) * scale, 12 * scale)
        square = (2 * scale, top + scale, 10 * scale, 10 * scale)
        expected.append((ground, {"color": (0, 0, 0), "fill": True}))
        r, g, b = class_color(class_id)
        expected.append((square, {"color": (r & 0xF8, g & 0xFC, b & 0xF8), "fill": True}))
        options = {"color": (255, 255, 255), "scale": scale, "mono_space": False}
        expected.append((name, (16 * scale, top + scale), options))
    assert drawings == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 256}, "alpha: expected an integer from 0 to 255, got 256"),
        ({"alpha": -1}, "alpha: expected an integer from 0 to 255, got -1"),
        ({"alpha": 0.5}, "alpha: expected an integer from 0 to 255, got 0.5"),
        ({"palette": {1: (1, 2, 3)}}, r"palette: expected a list of \(r, g, b\), one a class, got dict"),
    ],
)
def test_a_wrong_option_of_draw_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        map_of(blobs(5, 5), source=Framed((0, 0, *FRAME))).draw(picture(), **options)


def test_an_image_of_another_pixel_format_is_refused() -> None:
    with pytest.raises(ValueError, match=r'^expected an RGB565 or GRAYSCALE image to draw on, got {.*"type":"binary".*}$'):
        map_of(blobs(5, 5), source=Framed((0, 0, *FRAME))).draw(image.Image(32, 32, image.BINARY))


def test_a_recorded_map_covers_the_person_it_shows() -> None:
    recording = recorded.load("deeplab_320", "astronaut")
    segmentation = recording.model().run(n6post.DeepLab(), Framed((0, 0, 512, 512)))
    assert segmentation.class_ids() == [1] and segmentation.label(1) == "person"
    assert 0.2 < segmentation.fraction(1) < 0.8
    assert segmentation.class_at(220, 150) == 1 and segmentation.class_at(500, 20) == 0  # her face, and the flag beside it
    x, y = segmentation.mask(1).centroid
    assert 100 < x < 400 and 200 < y < 512


# --- maps made by a script ----------------------------------------------------------------------------------------
def test_a_script_can_make_a_segmentation_of_its_own_map() -> None:
    segmentation = map_of(blobs(48, 64))
    other = n6post.Segmentation(ulab_numpy.zeros((48, 64), dtype=ulab_numpy.uint8), segmentation._transform)
    assert other.class_ids(background=True) == [0]


@pytest.mark.parametrize("view", [
    lambda zeros: zeros((48, 128))[:, ::2], lambda zeros: zeros((48, 128))[:, :64], lambda zeros: zeros((96, 64))[::2],
    lambda zeros: zeros((48, 64))[:, ::-1], lambda zeros: zeros((48, 64))[::-1], lambda zeros: zeros((64, 48)).T,
    lambda zeros: zeros((49, 64)), lambda zeros: zeros((1, 48, 64)), lambda zeros: zeros(48 * 64),
    lambda zeros: ulab_numpy.zeros((48, 64)), lambda zeros: ulab_numpy.zeros((48, 64), dtype=ulab_numpy.int8),
])  # fmt: skip
def test_a_class_map_of_another_shape_or_dtype_or_not_dense_is_refused(view: Any) -> None:
    classes = view(lambda shape: ulab_numpy.zeros(shape, dtype=ulab_numpy.uint8))
    with pytest.raises(ValueError, match=says(f"expected a dense uint8 array (48, 64), got {tuple(classes.shape)}")):
        n6post.Segmentation(classes, map_of(blobs(48, 64))._transform)


@pytest.mark.parametrize("pixel", [("x", 3), (3, "x"), (None, None)])
def test_class_at_something_else_than_a_pixel_is_refused(pixel: Any) -> None:
    plane = np.ones((1, 48, 64), np.uint8)
    seen = FakeModel([Tensor(plane)], (64, 48)).run(n6post.DeepLab())
    got = "None" if pixel == (None, None) else f"{pixel[0]!r}, {pixel[1]!r}"
    with pytest.raises(ValueError, match=says(f"class_at: expected a frame pixel x, y, two numbers, got {got}")):
        seen.class_at(*pixel)
