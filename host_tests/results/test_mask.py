"""lib/n6post/results/mask.py: masks drawn at frame resolution, and their properties and methods."""

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
import reference
from assertions import gray, mask_plane, rgb565, says, survivors
from fakes import Array, FakeModel, Framed, Tensor, capture, replace_kernel, stretched
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.results.mask import MaskTransform
from n6post.results.mask_geometry import contours
from n6post_pc.demo import recorded
from synthetic_heads import Head, Thing, float_head, quantized, random_head
from ulab import numpy as ulab_numpy

pytestmark = pytest.mark.both_firmwares("stubs/**/*.py", "lib/n6post/pixels/*.py")

SEGMENTATION = "yolov8n_320_quant_pc_ii_seg_coco-st"
SETTINGS = [(0.25, 0.7), (0.25, 0.45), (0.6, 0.5)]  # threshold, iou_threshold
SIDE = 16  # prototype pixels a side of the synthetic model, whose input has four times as many
WHOLE = (0, 0, 64, 64)


def iou(one: Array, other: Array) -> float:
    return float((one & other).sum() / max((one | other).sum(), 1))


def drawn(mask: Any, size: tuple[int, int], pixformat: int = image.GRAYSCALE, **options: Any) -> Array:
    """The pixels that the mask paints white on a black frame."""
    frame = image.Image(*size, pixformat)
    mask.draw(frame, color=(255, 255, 255), alpha=255, **options)
    return (gray(frame) if pixformat == image.GRAYSCALE else rgb565(frame)) != 0


def model_of(
    logits: Array, box: tuple[float, ...] = WHOLE, size: tuple[int, int] = (64, 64), raw: bool = False
) -> FakeModel:
    """A model that finds one object with these prototype logits. raw: int8 outputs; the logits must be small integers."""
    prototypes = np.zeros((1, *logits.shape, 8), dtype=np.float32)
    prototypes[0, :, :, 2] = logits
    head = float_head(size, 1, [Thing(9, box, {0: 0.9}, (0, 0, 1))], 8, pixels=not raw)
    if raw:
        # A box step of 1/128 of the input, where a score of .9 and a coefficient of 1 fit as well.
        return FakeModel([quantized(head, 1 / 128, -20), quantized(prototypes, 1 / 4, 5)], size)
    return FakeModel([Tensor(head), Tensor(prototypes)], size)


def mask_of(logits: Array, box: tuple[float, ...] = WHOLE, source: Any = None, **options: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        replace_kernel(patch, "suppress_masks", lambda block, table, data: block[0])  # keeps empty masks too
        (d,) = model_of(logits, box).run(n6post.YoloV8Seg(**options), source)
    return d.mask


def rectangle(x: int, y: int, w: int, h: int) -> Array:
    """Logits of 1 inside the rectangle and -1 outside."""
    logits = np.full((SIDE, SIDE), -1.0)
    logits[y : y + h, x : x + w] = 1
    return logits


def disc(x: float, y: float, radius: float) -> Array:
    """Logits that decrease with the distance from a circle."""
    across, down = np.arange(SIDE) + 0.5 - x, np.arange(SIDE)[:, None] + 0.5 - y
    return radius - np.hypot(across, down)


# --- at frame resolution ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("picture", ["bus", "person"])
@pytest.mark.parametrize(("threshold", "iou_threshold"), SETTINGS)
@pytest.mark.parametrize("pixformat", [image.GRAYSCALE, image.RGB565])
def test_each_drawn_mask_equals_ultralytics_at_frame_resolution(
    shared: Path, picture: str, threshold: float, iou_threshold: float, pixformat: int
) -> None:
    tensors, size = capture(shared / "captures" / f"{SEGMENTATION}__{picture}.npz")
    stored = np.load(shared / "captures" / f"{SEGMENTATION}__{picture}__oracle.npz")
    full = stored[f"c{threshold}_i{iou_threshold}_mask_full"]
    for raw in (True, False):
        model = FakeModel(tensors if raw else [t.dequantized() for t in tensors], size)
        detections = model.run(n6post.YoloV8Seg(threshold, iou_threshold=iou_threshold, mask_padding=0, mask_overlap=None))
        for d, wanted in zip(detections, full, strict=True):
            assert iou(drawn(d.mask, size, pixformat), wanted.astype(bool)) >= 0.98


@pytest.mark.parametrize("picture", [p for m, p in recorded.names() if m == "yolov8n_seg_320"])
def test_each_mask_of_the_recorded_photographs_equals_the_reference(picture: str) -> None:
    recording = recorded.load("yolov8n_seg_320", picture)
    head = Head(recording.size, 80, *recording.tensors)
    expected = reference.suppress(head.candidates(0.3), 0.6, max_detections=20)
    detections = recording.model().run(n6post.YoloV8Seg(0.3, iou_threshold=0.6, mask_padding=0, mask_overlap=None))
    for i, d in enumerate(detections):
        wanted = reference.full_mask(head.logits(expected.anchor[i]), expected.box[i], recording.size)
        assert iou(drawn(d.mask, recording.size), wanted) >= 0.98


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (64, 32, 480, 400), (0, 0, 160, 120)])
def test_a_mask_on_a_frame_larger_than_the_input_equals_the_reference(
    roi: tuple[int, int, int, int],
) -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    head = Head(recording.size, 80, *recording.tensors)
    expected = reference.suppress(head.candidates(0.4), max_detections=20)
    detections = recording.model().run(n6post.YoloV8Seg(0.4, mask_padding=0), stretched(roi))
    assert detections
    for i, d in enumerate(detections):
        scaled = expected.box[i] * np.tile(np.divide(roi[2:], recording.size), 2)
        wanted = np.zeros((520, 700), dtype=bool)
        wanted[roi[1] : roi[1] + roi[3], roi[0] : roi[0] + roi[2]] = reference.full_mask(
            head.logits(expected.anchor[i]), scaled, roi[2:]
        )
        assert iou(drawn(d.mask, (700, 520)), wanted) >= 0.97


@pytest.mark.parametrize("box", [WHOLE, (10.5, 14, 41, 60), (21, 3, 35.5, 30), (20.1, 5, 35, 33), (30, 30, 44, 44)])
@pytest.mark.parametrize("raw", [False, True])
def test_only_logits_close_to_the_threshold_differ_from_the_reference(
    box: tuple[float, ...], raw: bool
) -> None:
    """This includes boxes that cut through the object: the pixels beyond the cut still shape the edge inside."""
    across, down = np.arange(SIDE), np.arange(SIDE)[:, None]
    logits = np.round(4 * np.sin(across * 1.1 + 0.3) * np.cos(down * 0.9) - 1.5)  # bumps of about three pixels
    processor = n6post.YoloV8Seg(mask_padding=0)
    (d,) = model_of(logits, box, raw=raw).run(processor)
    ((_, _, _, *corners),) = survivors(processor)  # a quantized box differs a little from the given one
    wanted = reference.full_mask(logits, np.float32(corners), (64, 64))
    wrong = drawn(d.mask, (64, 64)) != wanted
    # An edge of the box inside a frame pixel may be rounded either way.
    for axis, at in ((1, corners[0]), (0, corners[1]), (1, corners[2]), (0, corners[3])):
        if at != round(at):
            np.moveaxis(wrong, axis, 0)[max(int(at) - 1, 0) : int(at) + 2] = False
    assert wanted.sum() > 30
    assert not wrong[np.abs(reference.upsample(logits, (64, 64))) > 0.15].any()


def test_a_disc_is_drawn_round_and_in_the_right_place() -> None:
    """Its edge follows the interpolated logits, within one frame pixel of the true circle. A block is 4 pixels wide."""
    mask = mask_of(disc(7.3, 8.6, 4.2))
    painted = drawn(mask, (64, 64))
    away = np.hypot(np.arange(64) + 0.5 - 4 * 7.3, np.arange(64)[:, None] + 0.5 - 4 * 8.6) - 4 * 4.2
    assert painted[away < -1].all() and not painted[away > 1].any()


def test_drawing_in_blocks_paints_the_prototype_pixels() -> None:
    logits = disc(7.3, 8.6, 4.2)
    blocks = drawn(mask_of(logits), (64, 64), antialias=False)
    np.testing.assert_array_equal(blocks, np.kron(logits > 0, np.ones((4, 4), dtype=bool)))


@pytest.mark.parametrize(
    ("frame", "box", "across", "down"),
    [
        # Prototype pixels are 4 wide. A box cuts the last column or row.
        ((64, 64), (8, 12, 40, 44), [8], [12]),
        ((64, 64), (8, 12, 41, 44), [8, 40], [12]),
        ((64, 64), (8, 12, 40, 47), [8], [12, 44]),
        ((64, 64), (8, 12, 43, 46), [8, 40], [12, 44]),
        ((64, 64), (8, 12, 12, 15), [8], [12]),  # one of them
        ((64, 64), (8, 12, 15, 19), [8, 12], [12, 16]),  # two
        # The bars of a letterbox are 17 wide: they cut the first from 4 to 3, the last from 4 to 3.
        ((30, 64), WHOLE, [0, 3, 27], [0]),
        ((30, 64), (0, 0, 44, 62), [0, 3], [0, 60]),
        ((30, 64), (20, 0, 64, 64), [3, 27], [0]),
        ((30, 64), (20, 0, 44, 64), [3], [0]),
        ((30, 64), (16, 0, 24, 64), [0, 3], [0]),
        ((30, 64), (16, 0, 20, 64), [0], [0]),
        ((64, 30), WHOLE, [0], [0, 3, 27]),
        ((64, 30), (0, 0, 62, 44), [0, 60], [0, 3]),
        ((64, 30), (0, 20, 64, 44), [0], [3]),
        ((64, 30), (0, 16, 64, 24), [0], [0, 3]),
    ],
)
def test_drawing_in_blocks_takes_one_call_and_one_for_each_cut_side(
    monkeypatch: pytest.MonkeyPatch, frame: tuple[int, int], box: Any, across: list[int], down: list[int]
) -> None:
    """Each call costs the camera time in the graphics unit."""
    places: list[tuple[int, int]] = []
    mask = mask_of(np.ones((SIDE, SIDE)), box, n6post.Letterbox(image.Image(*frame, image.GRAYSCALE)), mask_padding=0)
    plain = image.Image.draw_image

    def noted(self: Any, other: Any, x: int, y: int, **options: Any) -> Any:
        places.append((x, y))
        return plain(self, other, x, y, **options)

    monkeypatch.setattr(image.Image, "draw_image", noted)
    shown = drawn(mask, frame, antialias=False)
    assert sorted(places) == [(x, y) for x in across for y in down]
    wanted = np.zeros((64, 64), bool)
    wanted[box[1] : box[3], box[0] : box[2]] = True
    left, top = (64 - frame[0]) // 2, (64 - frame[1]) // 2
    np.testing.assert_array_equal(shown, wanted[top : top + frame[1], left : left + frame[0]])


@pytest.mark.parametrize("size", [(128, 64), (64, 128)])
def test_a_mask_of_an_input_that_is_not_square_is_in_the_right_place(size: tuple[int, int]) -> None:
    logits = np.full((size[1] // 4, size[0] // 4), -1.0)
    logits[6:9, 4:9] = 1
    (d,) = model_of(logits, (0, 0, *size), size).run(n6post.YoloV8Seg())
    wanted = np.kron(logits > 0, np.ones((4, 4), dtype=bool))
    np.testing.assert_array_equal(drawn(d.mask, size, antialias=False), wanted)


@pytest.mark.parametrize("smooth", [True, False])
def test_drawing_tints_only_the_inside(smooth: bool) -> None:
    mask = mask_of(disc(8, 8, 5))
    painted = drawn(mask, (64, 64), antialias=smooth)
    frame = image.Image(64, 64, image.GRAYSCALE)
    frame.draw_rectangle((0, 0, 64, 64), color=(100, 100, 100), fill=True)
    mask.draw(frame, color=(200, 200, 200), alpha=128, antialias=smooth)
    (tint,) = set(gray(frame)[painted])
    assert abs(tint - 150) <= 3 and set(gray(frame)[~painted]) == {100}  # the colors of a palette have 5 and 6 bits
    mask.draw(frame, color=(0, 0, 0), alpha=0, antialias=smooth)
    assert set(gray(frame)[painted]) == {tint}
    colored = image.Image(64, 64, image.RGB565)
    mask.draw(colored, color=(255, 0, 0), alpha=255, antialias=smooth)
    assert set(rgb565(colored)[painted]) == {0xF800} and set(rgb565(colored)[~painted]) == {0}


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_a_mask_is_tinted_red_at_half_opacity_by_default(pixformat: int) -> None:
    mask = mask_of(disc(8, 8, 9))
    noise = np.random.default_rng(3).integers(0, 256, 64 * 64 * (2 if pixformat == image.RGB565 else 1), np.uint8)
    shown = []
    for options in ({}, {"color": (255, 0, 0), "alpha": 128, "antialias": None}, {"color": (255, 0, 0), "alpha": 129}):
        frame = image.Image(64, 64, pixformat, buffer=bytearray(noise))
        assert mask.draw(frame, **options) is frame
        shown.append(bytes(frame.bytearray()))
    assert shown[0] == shown[1] != bytes(noise)
    assert shown[2] != shown[1] or pixformat == image.RGB565


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("size", [(64, 64), (32, 48), (20, 90), (1, 1)])
def test_without_a_frame_size_a_smaller_picture_cuts_the_mask_off(
    size: tuple[int, int], smooth: bool
) -> None:
    mask = mask_of(disc(7, 9, 6), source=Framed(WHOLE))
    wanted = drawn(mask, (64, 64), antialias=smooth)
    height, width = min(size[1], 64), min(size[0], 64)
    painted = drawn(mask, size, antialias=smooth)
    np.testing.assert_array_equal(painted[:height, :width], wanted[:height, :width])
    assert not painted[64:].any()


def test_a_mask_is_not_drawn_outside_its_box() -> None:
    everywhere = np.full((SIDE, SIDE), 3.0)
    wanted = np.zeros((64, 64), dtype=bool)
    wanted[14:51, 10:31] = True
    np.testing.assert_array_equal(drawn(mask_of(everywhere, (10, 14, 31, 51)), (64, 64)), wanted)


def by_float64(mask: Any, size: tuple[int, int]) -> tuple[Array, Array]:
    """Two planes of frame pixels whose centers are inside the mask: certainly, and possibly.

    Sampling is bilinear and repeats the last pixel of the window beyond its center. The origin of tint_mask is a whole frame
    pixel, so the position is uncertain by half a pixel.
    """
    data, (wx, wy, ww, wh), _, _, transform = mask._parts()
    plane = np.frombuffer(data, np.uint8).reshape(wh, ww).astype(float)
    across = (np.arange(size[0]) + 0.5 - transform.ox) / transform.sx - wx
    down = (np.arange(size[1]) + 0.5 - transform.oy) / transform.sy - wy
    surely, possibly = (across < ww - 1e-6) & (down[:, None] < wh - 1e-6), np.zeros(size[::-1], bool)
    for dx in (-0.55, 0, 0.55):
        for dy in (-0.55, 0, 0.55):
            x = (across + dx / transform.sx - 0.5).clip(0, ww - 1)
            y = (down + dy / transform.sy - 0.5).clip(0, wh - 1)
            left, top = np.minimum(x.astype(int), max(ww - 2, 0)), np.minimum(y.astype(int), max(wh - 2, 0))
            right, below = np.minimum(left + 1, ww - 1), np.minimum(top + 1, wh - 1)
            fx, fy = x - left, (y - top)[:, None]
            upper = plane[top][:, left] * (1 - fx) + plane[top][:, right] * fx
            lower = plane[below][:, left] * (1 - fx) + plane[below][:, right] * fx
            inside = upper * (1 - fy) + lower * fy >= 127.5
            surely &= inside
            possibly |= inside
    return surely, possibly


SIZES = sorted({round(SIDE * scale) for scale in np.arange(0.5, 4.01, 0.19)} | {8, 24, 64})  # pixels of the frame side
EDGES = {
    "everything": (0, 0, 64, 64),
    "left": (-3, 20, 23, 45.5),
    "right": (37.5, 11, 70, 43),
    "top": (9, 0, 50.2, 31),
    "bottom": (22, 33.3, 41, 64),
    "corner": (41, 29, 64, 64),
    "inside": (13, 7.7, 51, 49),
}


@pytest.mark.parametrize("box", EDGES)
@pytest.mark.parametrize("corner", [(0, 0), (5, 3)])
def test_a_mask_reaches_all_edges_of_box_and_frame_at_any_scale(box: str, corner: tuple[int, int]) -> None:
    """Scales from 1/2 to 4: no row or column is missing at the edges, and the inside equals a float64 computation."""
    bumps = np.sin(np.arange(SIDE) * 0.7 + 0.4) * np.cos(np.arange(SIDE)[:, None] * 0.6) + 0.4
    missing = []
    for w, h in zip(SIZES, SIZES[7:] + SIZES[:7], strict=True):
        size = (corner[0] + w, corner[1] + h)
        source = n6post.Stretch(image.Image(*size, image.GRAYSCALE), roi=(*corner, w, h))
        for logits in (np.ones((SIDE, SIDE)), bumps):
            (d,) = model_of(logits, EDGES[box]).run(n6post.YoloV8Seg(mask_padding=0), source)
            x, y, across, down = d.rect
            rect = np.zeros(size[::-1], bool)
            rect[y : y + down, x : x + across] = True
            surely, possibly = by_float64(d.mask, size)
            shown = drawn(d.mask, size)
            if (shown & ~(possibly & rect)).any() or (surely & rect & ~shown).any():
                missing.append((w, h))
    assert not missing


@pytest.mark.parametrize("size", [(192, (640, 480)), (416, (640, 480)), (320, (400, 300)), (256, (320, 240))])
def test_a_mask_over_everything_covers_the_frame(size: tuple[int, tuple[int, int]]) -> None:
    side, frame = size
    prototypes = np.ones((1, side // 4, side // 4, 8), np.float32)
    head = float_head((side, side), 1, [Thing(9, (0, 0, side, side), {0: 0.9}, (1,) * 8)], 8)
    source = n6post.Stretch(image.Image(*frame, image.GRAYSCALE))
    (d,) = FakeModel([Tensor(head), Tensor(prototypes)], (side, side)).run(n6post.YoloV8Seg(), source)
    assert drawn(d.mask, frame).all() and drawn(d.mask, frame, antialias=False).all()
    assert d.mask.area == frame[0] * frame[1]


@pytest.mark.parametrize("frame", [(64, 30), (29, 64), (150, 64), (61, 200)])
def test_a_mask_never_reaches_into_the_bars_of_a_letterbox(frame: tuple[int, int]) -> None:
    """The network may find an object there, and its box may reach into them, but they are not part of the frame."""
    roi = (4, 6, *frame)
    size = (frame[0] + 9, frame[1] + 11)
    source = n6post.Letterbox(image.Image(*size, image.GRAYSCALE), roi=roi)
    (d,) = model_of(np.ones((SIDE, SIDE))).run(n6post.YoloV8Seg(mask_padding=0), source)
    fit = source.fit(None, (64, 64))
    # The input may start and end a fraction of a pixel beside the roi.
    w = min(round(fit.ox + 64 * fit.sx), 4 + frame[0]) - 4
    h = min(round(fit.oy + 64 * fit.sy), 6 + frame[1]) - 6
    inside = np.zeros(size[::-1], bool)
    inside[6 : 6 + h, 4 : 4 + w] = True
    for smooth in (True, False):
        np.testing.assert_array_equal(drawn(d.mask, size, antialias=smooth), inside)
    np.testing.assert_array_equal(held(d.mask, size), inside)
    assert d.mask.area == w * h >= (frame[0] - 2) * (frame[1] - 2)
    assert d.mask.centroid == (4 + w // 2, 6 + h // 2)
    assert all(inside[y, x] for x, y in d.mask.outline())


def grown(plane: Array) -> Array:
    """The plane, extended by one pixel on every side."""
    return np.lib.stride_tricks.sliding_window_view(np.pad(plane, 1), (3, 3)).any(axis=(2, 3))


@pytest.mark.parametrize("frame", [(64, 64), (100, 75), (40, 90), (30, 22)])
@pytest.mark.parametrize("fit", [n6post.Stretch, n6post.Letterbox])
def test_drawing_in_blocks_matches_contains_to_within_a_pixel(fit: Any, frame: tuple[int, int]) -> None:
    for seed in range(3):
        head = random_head(seed, (64, 64), 2, 8, -30, 1.3)
        img = image.Image(*frame, image.GRAYSCALE)
        for d in head.model().run(n6post.YoloV8Seg(0.3, mask_padding=0), fit(img))[:6]:
            x, y, w, h = d.rect
            rect = np.zeros(frame[::-1], bool)
            rect[y : y + h, x : x + w] = True
            shown, wanted = drawn(d.mask, frame, antialias=False), held(d.mask, frame)
            assert not (shown & ~rect).any()
            assert not (shown & ~grown(wanted)).any() and not (wanted & ~grown(shown)).any()
            if frame == (64, 64):  # an integer scale
                np.testing.assert_array_equal(shown, wanted)


def test_other_pixel_formats_are_refused() -> None:
    mask = mask_of(disc(8, 8, 5))
    with pytest.raises(ValueError, match=r'^expected an RGB565 or GRAYSCALE image to draw on, got {.*"type":"binary".*}$'):
        mask.draw(image.Image(64, 64, image.BINARY))


@pytest.mark.parametrize("img", [None, 5, b"picture", [], image.Image, image])
def test_draw_refuses_anything_but_an_image(img: Any) -> None:
    mask = mask_of(disc(8, 8, 5))
    calls = (mask.draw, mask.fill_outside, lambda x: n6post.draw(x, []), n6post.LineZone((0, 0), (9, 9)).draw)
    for call in calls:
        with pytest.raises(ValueError, match=f"^img: expected an image to draw on, got {type(img).__name__}$"):
            call(img)


# --- pixels ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("raw", [False, True])
def test_the_image_is_the_crop_with_its_threshold_at_128(raw: bool) -> None:
    logits = np.round(np.random.default_rng(4).normal(0, 4, (SIDE, SIDE)))
    (d,) = model_of(logits, (16, 24, 48, 40), raw=raw).run(n6post.YoloV8Seg(mask_padding=0))
    assert d.mask._parts()[2] == (4, 6, 8, 4)
    assert (d.mask.image.width(), d.mask.image.height(), d.mask.image.format()) == (8, 4, image.GRAYSCALE)
    np.testing.assert_array_equal(gray(d.mask.image) >= 128, logits[6:10, 4:12] > 0)


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.731, 0.9])
def test_mask_threshold_is_a_probability(raw: bool, threshold: float) -> None:
    """The logits are the integers -4..4. Only 0 is the logit of a tested threshold, and it is not above one half."""
    logits = np.resize(np.arange(-4, 5), (SIDE, SIDE))
    (d,) = model_of(logits, raw=raw).run(n6post.YoloV8Seg(mask_threshold=threshold))
    probability = 1 / (1 + np.exp(-logits.astype(float)))
    np.testing.assert_array_equal(mask_plane(d.mask, SIDE, SIDE), probability > threshold)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "float32"])
@pytest.mark.parametrize("threshold", [0.02, 0.1, 0.3, 0.5, 0.62, 0.731, 0.9, 0.98])
def test_mask_threshold_lies_between_logits_of_any_fraction(kind: str, threshold: float) -> None:
    """Quarters from -4.5 to 4.5. A probability of 0.62 has the logit 0.49; 0.1 and 0.9 have -2.197 and 2.197."""
    logits = np.resize(np.arange(-18, 19) / 4, (SIDE, SIDE))
    tensors = model_of(logits, raw=kind != "float32").tensors
    if kind in ("uint8", "int16"):
        tensors = [t.as_uint8() if kind == "uint8" else t.as_int16(4) for t in tensors]
    (d,) = FakeModel(tensors, (64, 64)).run(n6post.YoloV8Seg(mask_threshold=threshold))
    np.testing.assert_array_equal(mask_plane(d.mask, SIDE, SIDE), 1 / (1 + np.exp(-logits)) > threshold)


@pytest.mark.parametrize("padding", [0, 2, 5, None])
def test_mask_padding_shows_in_the_drawn_mask(padding: float | None) -> None:
    everywhere = np.full((SIDE, SIDE), 3.0)
    (d,) = model_of(everywhere, (12, 20, 36, 44), raw=True).run(n6post.YoloV8Seg(mask_padding=padding), Framed(WHOLE))
    x, y, w, h = d.rect
    margin = 0.25 if padding is None else padding  # the box step of this head is half a pixel
    rows, columns = np.nonzero(drawn(d.mask, (64, 64)))
    shown = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
    assert np.abs(shown - [x - margin, y - margin, x + w + margin, y + h + margin]).max() <= 0.75
    full = model_of(everywhere, raw=True).run(n6post.YoloV8Seg(mask_padding=padding))[0].mask
    assert full.area == 64 * 64 and drawn(full, (64, 64)).all()


@pytest.mark.parametrize(
    ("size", "roi", "padding", "margin"),
    [
        # Half a step is 1/256 of the input: 0.5 of 128 pixels or 0.25 of 64, times the scale to frame pixels.
        ((128, 64), (40, 0, 640, 512), None, (3, 2)),  # .5 * 5 and .25 * 8, to the nearest
        ((64, 128), (40, 0, 512, 384), None, (2, 2)),  # .25 * 8 and .5 * 3
        ((128, 64), (40, 0, 256, 512), None, (1, 2)),  # .5 * 2 and .25 * 8
        ((128, 64), (40, 0, 640, 512), 3, (15, 24)),  # 3 * 5 and 3 * 8
        ((64, 128), (40, 0, 640, 512), 3, (30, 12)),
        ((128, 64), (40, 0, 640, 512), 0, (0, 0)),
    ],
)
def test_a_mask_reaches_beyond_its_box_by_the_padding_of_each_axis(
    size: tuple[int, int], roi: tuple[int, int, int, int], padding: float | None, margin: tuple[int, int]
) -> None:
    box = (size[0] / 4, size[1] / 4, size[0] * 5 / 8, size[1] / 2)
    model = model_of(np.full((size[1] // 4, size[0] // 4), 3.0), box, size, raw=True)
    (d,) = model.run(n6post.YoloV8Seg(mask_padding=padding), stretched(roi))
    w, h = roi[2:]
    assert d.rect == (roi[0] + w // 4, roi[1] + h // 4, w * 3 // 8, h // 4)
    grown = np.array([d.rect[0], d.rect[1], d.rect[0] + d.rect[2], d.rect[1] + d.rect[3]])
    grown += [-margin[0], -margin[1], *margin]
    assert d.mask._parts()[3] == (*grown[:2], *(grown[2:] - grown[:2]))
    rows, columns = np.nonzero(drawn(d.mask, (700, 520)))
    assert [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1] == grown.tolist()


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(64, 64), (64, 96), (96, 32)]),
    st.none() | st.floats(0, 12),
    st.sampled_from([False, True]),
)
@example(0, (64, 64), 0.0, True)
@example(1, (96, 32), 12.0, False)
def test_mask_padding_grows_the_crop_by_pixels_or_half_a_step(
    seed: int, size: tuple[int, int], padding: float | None, raw: bool
) -> None:
    head = random_head(seed, size, 2, 8, -30, 1.3)
    # The threshold is not a ratio of small integers: boxes in whole steps sometimes have an IoU of exactly one half.
    processor = n6post.YoloV8Seg(0.3, iou_threshold=0.4537, mask_padding=padding, mask_overlap=None)
    model = FakeModel([t if raw else t.dequantized() for t in head.tensors()], size)
    detections = model.run(processor)
    expected = reference.suppress(head.candidates(0.3), 0.4537, max_detections=20)
    at = {anchor: i for i, anchor in enumerate(expected.anchor.tolist())}
    step = head.head.scale / 2 * np.float32(size) if raw else np.zeros(2)
    grown = step if padding is None else np.full(2, padding)
    for d, row in zip(detections, survivors(processor, detections), strict=True):
        i = at[row[0]]
        box = expected.box[i] + np.concatenate([-grown, grown])
        logits = head.logits(expected.anchor[i])
        wanted = [reference.prototype_mask(logits, box, size, padding=p) for p in (-1e-3, 0, 1e-3)]
        clear = (wanted[0] == wanted[2]) & (np.abs(logits) > (0 if raw else 2))
        plane = mask_plane(d.mask, size[0] // 4, size[1] // 4)
        np.testing.assert_array_equal(plane[clear], wanted[1][clear])


@pytest.mark.parametrize("count", [8, 9, 32, 63, 64])
def test_masks_of_any_number_of_coefficients_from_8_to_64_are_right(count: int) -> None:
    head = random_head(count, (64, 32), 3, count, 12)
    processor = n6post.YoloV8Seg(0.3, mask_padding=0)
    for tensors in (head.tensors(), [t.dequantized() for t in head.tensors()]):
        detections = FakeModel(tensors, head.size).run(processor)
        assert len(detections) > 1
        for d, row in zip(detections, survivors(processor, detections), strict=True):
            wanted = reference.prototype_mask(head.logits(row[0]), np.float32(row[3:]), head.size)
            assert (mask_plane(d.mask, 16, 8) != wanted).sum() <= (0 if tensors[0].scale else 1)


def test_extreme_int8_products_are_exact() -> None:
    """64 products of 255 * 255, which are the largest possible sums, next to sums of 1, 0 and -1."""
    prototypes = np.full((1, 16, 16, 64), 127, dtype=np.int8)
    prototypes[0, 0] = -128
    prototypes[0, 1, :, 32:] = -128  # the halves cancel
    prototypes[0, 1, 3, 0] = 126
    prototypes[0, 1, 4, 63] = -127
    head = np.full((1, 69, 84), -128, dtype=np.int8)
    head[0, :4, 9] = -64, -64, 0, 0  # a box that is larger than the whole input
    head[0, 4, 9] = 0
    head[0, 5:, 9] = 127
    model = FakeModel([Tensor(head, 1 / 128, -128), Tensor(prototypes, 0.01, -1)], (64, 64))
    (d,) = model.run(n6post.YoloV8Seg())
    logits = (prototypes[0].astype(int) + 1) @ (head[0, 5:, 9].astype(int) + 128)
    np.testing.assert_array_equal(mask_plane(d.mask, 16, 16), logits > 0)


# --- properties and methods ----------------------------------------------------------------------------------------------
def test_area_is_measured_in_frame_pixels() -> None:
    logits = rectangle(3, 5, 4, 3)
    assert mask_of(logits).area == 12 * 16
    assert mask_of(logits, source=stretched((0, 0, 640, 480))).area == 12 * 40 * 30
    # Columns of 1.5 frame pixels, of which 4..9 have their centers in 4.5..10.5; rows of 1.3125, 7..9 in 6.5625..10.5.
    assert mask_of(logits, source=stretched((7, 9, 24, 21))).area == 6 * 3
    assert mask_of(logits, (16, 20, 64, 64)).area == 9 * 16  # the box cuts a column off
    assert mask_of(np.ones((SIDE, SIDE))).area == 64 * 64


def test_the_area_of_a_large_mask_does_not_overflow() -> None:
    """The camera's integer sums of a mask wrap at 256 for a row and at 65536 for the area."""
    size = (1200, 1200)
    prototypes = np.ones((1, 300, 300, 8), dtype=np.float32)
    head = float_head(size, 1, [Thing(9, (0, 0, 1200, 1200), {0: 0.9}, (1,) * 8)], 8)
    (d,) = FakeModel([Tensor(head), Tensor(prototypes)], size).run(n6post.YoloV8Seg())
    assert d.mask.area == 1200 * 1200
    assert d.mask.centroid in [(599, 599), (600, 600)]


def held(mask: Any, size: tuple[int, int]) -> Array:
    """The pixels of a frame that the mask contains."""
    return np.array([[mask.contains(x, y) for x in range(size[0])] for y in range(size[1])])


@pytest.mark.parametrize("source", [None, Framed((0, 0, 50, 70)), Framed((3, 5, 40, 33))])
@pytest.mark.parametrize("raw", [False, True])
def test_area_and_centroid_are_those_of_the_contained_frame_pixels(raw: bool, source: Any) -> None:
    head = random_head(17, (64, 96), 3, 16, -40)
    tensors = [t if raw else t.dequantized() for t in head.tensors()]
    detections = FakeModel(tensors, head.size).run(n6post.YoloV8Seg(0.3, mask_padding=0), source)
    assert len(detections) > 4
    for d in detections:
        rows, columns = np.nonzero(held(d.mask, (64, 96)))
        assert d.mask.area == len(rows)
        if len(rows):
            x, y = d.mask.centroid
            assert (x, y) == (int(columns.mean() + 0.5), int(rows.mean() + 0.5))
        else:
            assert d.mask.centroid is None


def test_contains_is_right_for_every_frame_pixel() -> None:
    logits = np.random.default_rng(2).normal(0, 1, (SIDE, SIDE))
    mask = mask_of(logits, (8, 12, 48, 60))
    wanted = np.kron(mask_plane(mask, SIDE, SIDE), np.ones((4, 4), dtype=bool))
    assert wanted.sum() > 200
    contained = [[mask.contains(x, y) for x in range(64)] for y in range(64)]
    np.testing.assert_array_equal(contained, wanted)
    for x, y in ((-1, 20), (20, -1), (64, 20), (20, 64), (-1000, 20), (20, 10**6)):
        assert mask.contains(x, y) is False


def test_contains_and_centroid_are_in_frame_pixels() -> None:
    logits = rectangle(4, 8, 2, 4)  # 16..24 x 32..48 of the input
    mask = mask_of(logits, source=stretched((100, 52, 128, 256)))
    corners = {(x, y): mask.contains(x, y) for x in (131, 132, 147, 148) for y in (179, 180, 243, 244)}
    assert [at for at, inside in corners.items() if inside] == [(132, 180), (132, 243), (147, 180), (147, 243)]
    x, y = mask.centroid
    assert abs(x - 140) <= 1 and abs(y - 212) <= 1


@pytest.mark.parametrize("box", [(10, 14, 29, 49), (5, 13, 51, 45), (18.5, 22, 21, 60)])
def test_contains_is_false_if_the_mask_pixels_center_is_outside_the_box(box: tuple[float, ...]) -> None:
    """A quarter of the mask pixel is inside the box. The next pixel of the window does not belong to the object."""
    (d,) = model_of(np.ones((SIDE, SIDE)), box).run(n6post.YoloV8Seg(mask_padding=0))
    x, y, w, h = d.rect
    in_rect = np.zeros((64, 64), dtype=bool)
    in_rect[y : y + h, x : x + w] = True
    wanted = in_rect & np.kron(mask_plane(d.mask, SIDE, SIDE), np.ones((4, 4), dtype=bool))
    contained = np.array([[d.mask.contains(x, y) for x in range(64)] for y in range(64)])
    np.testing.assert_array_equal(contained, wanted)
    assert (contained != in_rect).any()


@pytest.mark.parametrize("clip", [(0, 1, 4, 0), (1, 0, 0, 4), (1, 1, 0, 0)])
def test_a_mask_without_a_frame_pixel_in_its_clip_is_empty(clip: tuple[int, int, int, int]) -> None:
    """As of a box between two pixels of a frame that is coarser than the mask."""
    window = (0, 0, SIDE, SIDE)
    mask = n6post.Mask(b"\xff" * SIDE * SIDE, window, window, clip, MaskTransform(0.25, 0.0, 0.25, 0.0, (0, 0, 4, 4)))
    assert mask.image is not None and mask.rect is None
    assert (mask.area, mask.centroid, mask.outline()) == (0, None, [])
    assert not any(mask.contains(x, y) for x in range(-1, 5) for y in range(-1, 5))
    assert not drawn(mask, (4, 4)).any()


@given(st.integers(0, 2**32 - 1), st.sampled_from([(64, 64), (16, 9), (5, 160), (4, 4)]))
def test_centroid_and_outline_lie_within_the_box(seed: int, frame: tuple[int, int]) -> None:
    head = random_head(seed, (64, 64), 2, 8, -30, 1.3)
    source = Framed((0, 0, *frame))
    for d in FakeModel(head.tensors(), head.size).run(n6post.YoloV8Seg(0.3, iou_threshold=0.4537, mask_padding=0), source):
        x, y, w, h = d.rect
        points = d.mask.outline() + ([d.mask.centroid] if d.mask.centroid else [])
        assert all(x <= px < x + w and y <= py < y + h for px, py in points)
        assert points or not d.mask.area


def test_the_centroid_is_the_mean_of_the_pixels() -> None:
    logits = np.maximum(rectangle(2, 3, 4, 1), rectangle(2, 3, 1, 9))  # an L shape
    x, y = mask_of(logits).centroid
    rows, columns = np.nonzero(logits > 0)
    assert abs(x - 4 * (columns.mean() + 0.5)) <= 1 and abs(y - 4 * (rows.mean() + 0.5)) <= 1


EMPTY = {
    "a box between two pixels": (np.ones((SIDE, SIDE)), (5, 5, 7, 7)),
    "logits that are all outside": (-np.ones((SIDE, SIDE)), WHOLE),
    "logits of 0": (np.zeros((SIDE, SIDE)), WHOLE),
}


@pytest.mark.parametrize("what", EMPTY)
def test_an_empty_mask_has_no_area_centroid_image_or_outline(what: str) -> None:
    mask = mask_of(*EMPTY[what])
    assert (mask.area, mask.centroid, mask.outline()) == (0, None, [])
    assert not any(mask.contains(x, y) for x in range(0, 64, 3) for y in range(0, 64, 3))
    assert not mask_plane(mask, SIDE, SIDE).any()
    assert (mask.image is None) == what.startswith("a box")
    for smooth in (True, False):
        assert not drawn(mask, (64, 64), antialias=smooth).any()


# --- the smallest rectangle ------------------------------------------------------------------------------------------
def extent(painted: Array) -> tuple[int, int, int, int] | None:
    rows, columns = np.nonzero(painted)
    if not len(rows):
        return None
    x, y = int(columns.min()), int(rows.min())
    return x, y, int(columns.max()) + 1 - x, int(rows.max()) + 1 - y


def corners(rect: tuple[int, int, int, int]) -> Array:
    x, y, w, h = rect
    return np.array([x, y, x + w, y + h])


@pytest.mark.parametrize("radius", [1.5, 3, 5.5, 7])
@pytest.mark.parametrize("roi", [WHOLE, (100, 50, 128, 256), (8, 8, 300, 100)])
def test_the_rect_of_a_disc_is_the_square_around_it(radius: float, roi: tuple[int, int, int, int]) -> None:
    """A mask pixel has 4 to 19 frame pixels here. The interpolated logits give the finer position."""
    mask = mask_of(disc(8.2, 7.9, radius), source=stretched(roi))
    kx, ky = roi[2] / SIDE, roi[3] / SIDE
    wanted = [8.2 * kx - radius * kx + roi[0], 7.9 * ky - radius * ky + roi[1],
              8.2 * kx + radius * kx + roi[0], 7.9 * ky + radius * ky + roi[1]]  # fmt: skip
    assert np.abs(corners(mask.rect) - wanted).max() <= 1 + 0.25 * max(kx, ky)
    painted = drawn(mask, (700, 520))
    assert np.abs(corners(mask.rect) - corners(extent(painted) or (0, 0, 0, 0))).max() <= 1 + 0.1 * max(kx, ky)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(64, 64), (160, 120), (640, 480), (16, 9)]),
    st.none() | st.floats(0, 9),
    st.booleans(),
)
@example(0, (16, 9), 9.0, True)
@example(1, (640, 480), 0.0, False)
def test_the_rect_surrounds_the_tint_of_the_crop_closely(
    seed: int, frame: tuple[int, int], padding: float | None, raw: bool
) -> None:
    head = random_head(seed, (64, 64), 2, 8, -30, 1.3)
    model = FakeModel([t if raw else t.dequantized() for t in head.tensors()], (64, 64))
    for d in model.run(n6post.YoloV8Seg(0.3, iou_threshold=0.4537, mask_padding=padding), Framed((0, 0, *frame))):
        rect = d.mask.rect
        if rect is None:
            assert d.mask.area == 0
            continue
        assert all(type(v) is int for v in rect) and min(rect[2:]) >= 1
        x1, y1, x2, y2 = corners(rect).tolist()
        _, _, crop, clip, transform = d.mask._parts()
        assert (np.sign(corners(rect) - corners(clip)) * (1, 1, -1, -1)).min() >= 0
        painted = drawn(d.mask, frame)
        # Between the centers of its outermost pixels only the crop shapes the tint. Beyond them, up to the edge of the
        # box, its neighbors do so too, which do not belong to the object.
        for axis, scale, offset in ((1, transform.sx, transform.ox), (0, transform.sy, transform.oy)):
            middles = np.arange(painted.shape[axis]) + 0.5
            first, count = crop[1 - axis], crop[3 - axis]
            core = (middles > (first + 0.5) * scale + offset) & (middles < (first + count - 0.5) * scale + offset)
            painted &= core if axis else core[:, None]
        # A window is drawn from a whole frame pixel on, at most half a pixel away from its position.
        painted[max(y1 - 1, 0) : y2 + 1, max(x1 - 1, 0) : x2 + 1] = False
        assert not painted.any()
        # Each edge lies within one and a half mask pixels from the center of a pixel that is inside.
        rows, columns = np.nonzero(mask_plane(d.mask, SIDE, SIDE))
        for at, low, high, scale, offset, start, size in (
            (columns, x1, x2, transform.sx, transform.ox, clip[0], clip[2]),
            (rows, y1, y2, transform.sy, transform.oy, clip[1], clip[3]),
        ):
            first, last = (at.min() + 0.5) * scale + offset, (at.max() + 0.5) * scale + offset
            assert min(max(first - 1.5 * scale, start), start + size - 1) - 1 <= low <= max(first + 1, start)
            assert min(last - 1, start + size) <= high <= max(min(last + 1.5 * scale, start + size), start + 1) + 1


@pytest.mark.parametrize("what", list(EMPTY))
def test_an_empty_mask_has_no_rect(what: str) -> None:
    assert mask_of(*EMPTY[what]).rect is None


@pytest.mark.parametrize("beside", [0, 100, 127, 128, 200])
@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
def test_the_rect_extends_to_neighbors_of_the_crop_that_are_inside(side: str, beside: int) -> None:
    """128 is inside. Otherwise the rect ends where the interpolated logits cross 127.5."""
    plane = np.full((4, 4), 255, np.uint8)
    crop = {"left": (2, 0, 2, 4), "top": (0, 2, 4, 2), "right": (0, 0, 2, 4), "bottom": (0, 0, 4, 2)}[side]
    at = {"left": np.s_[:, :2], "top": np.s_[:2], "right": np.s_[:, 2:], "bottom": np.s_[2:]}[side]
    plane[at] = beside
    # From the center of the neighbor, 15 frame pixels from the edge, to that of the first pixel inside, 10 further.
    reach = 15 + (127.5 - beside) / (255 - beside) * 10
    first = int(np.ceil(reach - 0.5)) if beside < 128 else 0
    mask = n6post.Mask(bytes(plane), (0, 0, 4, 4), crop, (0, 0, 40, 40), MaskTransform(10, 0.0, 10, 0.0, (0, 0, 40, 40)))
    wanted = {"left": (first, 0, 40 - first, 40), "top": (0, first, 40, 40 - first)}
    wanted |= {"right": (0, 0, 40 - first, 40), "bottom": (0, 0, 40, 40 - first)}
    assert mask.rect == wanted[side]


def test_a_rect_ends_where_the_box_cuts_the_object() -> None:
    everywhere = np.full((SIDE, SIDE), 3.0)
    assert mask_of(everywhere, (10, 14, 31, 51)).rect == (10, 14, 21, 37)
    assert mask_of(everywhere).rect == WHOLE
    (d,) = model_of(everywhere, (12, 20, 36, 44), raw=True).run(n6post.YoloV8Seg(mask_padding=5), Framed(WHOLE))
    assert d.mask.rect == (d.rect[0] - 5, d.rect[1] - 5, d.rect[2] + 10, d.rect[3] + 10)


def test_contains_takes_a_point_as_a_tuple_too() -> None:
    mask = mask_of(disc(8.2, 7.9, 3))
    assert mask.contains(mask.centroid) is mask.contains(*mask.centroid) is True
    assert mask.contains((0, 0)) is mask.contains(0, 0) is False


def test_an_unknown_attribute_of_a_mask_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'aria'"):
        mask_of(disc(8, 8, 3)).aria  # noqa: B018


# --- refit_boxes -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("raw", [False, True])
def test_refit_boxes_takes_each_rect_from_its_mask_and_keeps_the_rest(raw: bool) -> None:
    head = random_head(8, (64, 64), 5, 8, -20)
    model = FakeModel([t if raw else t.dequantized() for t in head.tensors()], (64, 64))
    plain = model.run(n6post.YoloV8Seg(0.3), stretched((0, 0, 640, 480)))
    refitted = model.run(n6post.YoloV8Seg(0.3, refit_boxes=True), stretched((0, 0, 640, 480)))
    assert len(plain) > 3 and ([d.rect for d in plain] != [d.rect for d in refitted] or not raw)  # raw boxes are padded
    for d, e in zip(plain, refitted, strict=True):
        assert isinstance(e, n6post.Detection) and e.frame_size == (700, 520)
        assert e.rect == (d.mask.rect or d.rect)
        assert d[1:4] == e[1:4]
        np.testing.assert_array_equal(drawn(d.mask, (700, 520)), drawn(e.mask, (700, 520)))


def test_refit_boxes_without_detections_is_an_empty_list() -> None:
    model = FakeModel([Tensor(float_head((64, 64), 1, [], 8)), Tensor(np.zeros((1, SIDE, SIDE, 8), np.float32))], (64, 64))
    assert model.run(n6post.YoloV8Seg(refit_boxes=True)) == []


def test_refit_boxes_may_be_assigned_between_frames() -> None:
    model, processor = model_of(disc(8.2, 7.9, 3), (2, 2, 62, 60)), n6post.YoloV8Seg()
    loose = model.run(processor)[0].rect
    processor.refit_boxes = True
    refitted = model.run(processor)[0].rect
    processor.refit_boxes = False
    assert model.run(processor)[0].rect == loose == (2, 2, 60, 58)
    assert refitted[2] < 30
    with pytest.raises(ValueError, match="refit_boxes: expected True or False, got 1"):
        n6post.YoloV8Seg(refit_boxes=1)


@pytest.mark.parametrize("picture", ["astronaut", "chelsea", "horse"])
def test_the_rect_of_a_photographed_object_surrounds_its_tint(picture: str) -> None:
    for d in recorded.load("yolov8n_seg_320", picture).model().run(n6post.YoloV8Seg(0.4)):
        painted = extent(drawn(d.mask, (320, 320)))
        assert painted is not None
        assert np.abs(corners(d.mask.rect) - corners(painted)).max() <= 2


# --- outlines --------------------------------------------------------------------------------------------------------
def filled(points: list[tuple[int, int]], size: tuple[int, int]) -> Array:
    """The pixels whose centers a polygon through pixel centers encloses or touches."""
    x, y = np.arange(size[0])[None, :], np.arange(size[1])[:, None]
    inside = np.zeros((size[1], size[0]), dtype=bool)
    for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
        if y1 != y2:
            crossing = x1 + (y - y1) * (x2 - x1) / (y2 - y1)
            inside ^= ((y1 <= y) != (y2 <= y)) & (x < crossing)
    for px, py in points:
        inside[py, px] = True
    return inside


def assert_polygon(points: Any, roi: tuple[int, int, int, int]) -> None:
    assert type(points) is list
    assert all(type(p) is tuple and len(p) == 2 and all(type(v) is int for v in p) for p in points)
    assert all(roi[0] <= x < roi[0] + roi[2] and roi[1] <= y < roi[1] + roi[3] for x, y in points)
    assert all(one != other for one, other in zip(points, points[1:], strict=False))


@pytest.mark.parametrize("radius", [1.5, 3, 5.5, 7.5])
def test_the_outline_follows_a_disc(radius: float) -> None:
    points = mask_of(disc(8.2, 7.9, radius)).outline()
    assert_polygon(points, WHOLE)
    away = np.hypot(*(np.array(points) + 0.5 - (4 * 8.2, 4 * 7.9)).T) - 4 * radius
    assert np.abs(away).max() <= 1.6
    assert iou(filled(points, (64, 64)), reference.upsample(disc(8.2, 7.9, radius), (64, 64)) > 0) >= 0.85


@pytest.mark.parametrize("picture", ["astronaut", "chelsea", "horse"])
def test_the_outline_of_a_photographed_object_encloses_its_largest_part(picture: str) -> None:
    for d in recorded.load("yolov8n_seg_320", picture).model().run(n6post.YoloV8Seg(0.4)):
        points = d.mask.outline()
        assert_polygon(points, (0, 0, 320, 320))
        enclosed, painted = filled(points, (320, 320)), drawn(d.mask, (320, 320))
        assert (enclosed & painted).sum() >= 0.95 * enclosed.sum()
        assert (enclosed & painted).sum() >= 0.8 * painted.sum()


def test_the_outline_follows_the_largest_part_and_ignores_holes() -> None:
    logits = np.maximum(rectangle(1, 1, 3, 3), rectangle(6, 6, 8, 8))
    logits[9:11, 9:11] = -1
    points = np.array(mask_of(logits).outline())
    assert points.min() >= 22 and points.max() <= 57
    assert points.min() <= 25 and points.max() >= 54


def test_the_outline_is_in_pixels_of_the_frame() -> None:
    logits = disc(8.2, 7.9, 5)
    points = np.array(mask_of(logits, source=stretched((100, 52, 128, 256))).outline())
    x, y = (points[:, 0] - 100) / 2, (points[:, 1] - 52) / 4  # in model input pixels
    away = np.hypot(x + 0.25 - 4 * 8.2, y + 0.125 - 4 * 7.9) - 20
    assert np.abs(away).max() <= 1.6


def test_outlines_of_a_pixel_a_full_crop_and_diagonal_neighbors() -> None:
    single = mask_of(rectangle(5, 6, 1, 1)).outline()
    assert_polygon(single, WHOLE)
    assert all(18 <= x <= 26 and 22 <= y <= 30 for x, y in single) and len(single) >= 3
    whole = mask_of(np.ones((SIDE, SIDE))).outline()
    assert_polygon(whole, WHOLE)
    assert filled(whole, (64, 64)).mean() > 0.9
    diagonal = mask_of(np.maximum(rectangle(2, 2, 2, 2), rectangle(4, 4, 2, 2))).outline()
    assert_polygon(diagonal, WHOLE)


BESIDE = {(2, 3): 255, (3, 3): 100, (2, 4): 127, (1, 3): 50}  # one pixel inside; its neighbors are not black
OUTLINES: dict[str, tuple[dict[tuple[int, int], int], tuple[float, float], list[tuple[int, int]]]] = {
    # pixels of 8 x 8 by (x, y), frame pixels for a mask pixel, the outline: half way from pixel to black pixel
    "a pixel": ({(2, 3): 255}, (10, 10), [(25, 30), (30, 35), (25, 40), (20, 35)]),
    "a pixel beside gray": (BESIDE, (10, 10), [(25, 30), (33, 35), (25, 44), (18, 35)]),
    "a horizontal line": (
        {(2, 3): 255, (3, 3): 255, (4, 3): 255}, (10, 10),
        [(25, 30), (35, 30), (45, 30), (50, 35), (45, 40), (35, 40), (25, 40), (20, 35)],
    ),
    "a vertical line": (
        {(2, 3): 255, (2, 4): 255, (2, 5): 255}, (10, 10),
        [(25, 30), (30, 35), (30, 45), (30, 55), (25, 60), (20, 55), (20, 45), (20, 35)],
    ),
    "a flat line": (
        {(2, 3): 255, (3, 3): 255, (4, 3): 255}, (10, 0.1),
        [(25, 0), (35, 0), (45, 0), (50, 0), (45, 0), (35, 0), (25, 0), (20, 0)],
    ),
    "an upright line": (
        {(2, 3): 255, (2, 4): 255, (2, 5): 255}, (0.1, 10),
        [(0, 30), (0, 35), (0, 45), (0, 55), (0, 60), (0, 55), (0, 45), (0, 35)],
    ),
    "a line whose ends meet": ({(1, 3): 255, (2, 3): 255, (3, 3): 255}, (0.5, 0.1), [(0, 0), (1, 0), (2, 0), (1, 0)]),
    "a pixel within one of the frame": ({(3, 3): 255}, (0.4, 0.4), [(1, 1)]),
    "all to the far edges": (
        {(x, y): 255 for x in (6, 7) for y in (6, 7)}, (10, 10),
        [(65, 60), (75, 60), (79, 65), (79, 75), (75, 79), (65, 79), (60, 75), (60, 65)],
    ),
    "the larger of two": (
        {(0, 0): 255, (1, 0): 255, (5, 5): 255, (6, 5): 255, (5, 6): 255}, (10, 10),
        [(55, 50), (65, 50), (70, 55), (65, 60), (60, 65), (55, 70), (50, 65), (50, 55)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OUTLINES)
def test_outlines_of_pixels_lines_and_flat_shapes_are_exact(what: str) -> None:
    inside, (sx, sy), wanted = OUTLINES[what]
    plane = np.zeros((8, 8), np.uint8)
    for (x, y), value in inside.items():
        plane[y, x] = value
    clip = (0, 0, max(1, int(8 * sx)), max(1, int(8 * sy)))
    mask = n6post.Mask(bytes(plane), (0, 0, 8, 8), (0, 0, 8, 8), clip, MaskTransform(sx, 0.0, sy, 0.0, clip))
    assert mask.outline() == wanted
    moved = (3, 5, *clip[2:])
    mask = n6post.Mask(bytes(plane), (0, 0, 8, 8), (0, 0, 8, 8), moved, MaskTransform(sx, 3.0, sy, 5.0, moved))
    assert mask.outline() == [(x + 3, y + 5) for x, y in wanted]


@pytest.mark.parametrize("top", [0, 26, 27, 53, 54, 290])
def test_the_outline_finds_the_largest_part_in_any_block_of_rows(top: int) -> None:
    """27 of these rows are compared together. The largest part starts at an end of such a block."""
    size = (1200, 1200)
    prototypes = np.full((1, 300, 300, 8), -1, dtype=np.float32)
    for y, w in ((3, 20), (40, 20), (200, 20), (top, 60)):
        prototypes[0, y : y + 2, 100 : 100 + w] = 1
    head = float_head(size, 1, [Thing(9, (0, 0, 1200, 1200), {0: 0.9}, (1,) * 8)], 8)
    (d,) = FakeModel([Tensor(head), Tensor(prototypes)], size).run(n6post.YoloV8Seg())
    xs, ys = np.array(d.mask.outline()).T
    assert (xs.min(), xs.max() + 1) == pytest.approx((400, 640), abs=3)
    assert (ys.min(), ys.max() + 1) == pytest.approx((4 * top, 4 * top + 8), abs=3)


def test_every_contour_is_traced_once() -> None:
    plane = np.zeros((9, 12), np.uint8)
    plane[1:8, 1:7] = 255  # a part with two holes, which are separate although they touch at a corner
    plane[3, 3] = plane[4, 4] = 0
    plane[5:7, 9:12] = 255  # another part
    loops = contours(bytearray(plane), (0, 0, 12, 9), (0, 0, 12, 9))
    assert sorted(len(loop) for loop in loops) == [4, 4, 10, 26]


def camera_float(value: float) -> float:
    """A number as a MicroPython float of 30 bits, rounded towards zero."""
    return float((np.float32(value).view(np.uint32) & ~np.uint32(3)).view(np.float32))


@pytest.mark.parametrize("scale", [1.5, 2.4, 3.75, 4.2, 5.1, 7.5])
def test_an_outline_is_the_same_with_the_cameras_shorter_floats(scale: float) -> None:
    """With these scales many points lie exactly on a whole frame pixel."""
    window = (0, 0, 80, 80)
    data = bytearray(80 * 80)
    for x, y, w, h in ((3, 4, 60, 20), (20, 30, 45, 41)):
        for row in range(y, y + h):
            data[80 * row + x : 80 * row + x + w] = b"\xff" * w
    clip = (0, 0, int(80 * scale), int(80 * scale))

    def outline(scale: float) -> list[tuple[int, int]]:
        return list(n6post.Mask(data, window, window, clip, MaskTransform(scale, 0.0, scale, 0.0, clip)).outline())

    points = outline(scale)
    assert len(points) > 100
    assert points == outline(camera_float(camera_float(scale) * (1 - 2**-22)))
    # In exact fractions: the left edge of the larger part is at 20 mask pixels, its top at 30.
    assert min(x for x, _ in points) == int(20 * Fraction(str(scale)))
    assert min(y for _, y in points) == int(30 * Fraction(str(scale)))



@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 0.5, 0.8]))
@example(0, 0.0)
@example(0, 1.0)
def test_tracing_the_outline_of_any_mask_ends(seed: int, share: float) -> None:
    """Noise, with each pixel inside at random, is the hardest case for contour tracing."""
    logits = np.where(np.random.default_rng(seed).random((SIDE, SIDE)) < share, 1.0, -1.0)
    mask = mask_of(logits)
    points = mask.outline()
    assert_polygon(points, WHOLE)
    assert bool(points) == (mask.area > 0)


# --- masks that a script makes ---------------------------------------------------------------------------------------
def test_a_mask_can_be_made_of_bytes_and_of_its_own_parts() -> None:
    made = mask_of(disc(8, 9, 5.5))
    data, *rest = made._parts()
    for kind in (bytes, bytearray, lambda d: memoryview(bytes(d))):
        other = n6post.Mask(kind(data), *rest)
        assert (other.area, other.centroid, other.outline()) == (made.area, made.centroid, made.outline())
        assert np.array_equal(drawn(other, (64, 64)), drawn(made, (64, 64)))
        assert made.area > 1000


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("box", [(9, 14, 50, 41), (30, 3, 64, 64), (-5, 22, 30, 90)])
def test_a_mask_made_of_the_parts_of_another_draws_the_same(
    box: tuple[float, ...], smooth: bool
) -> None:
    """Neither the window nor the roi starts at a corner."""
    made = mask_of(disc(8.3, 8.6, 5.2), box, stretched((30, 50, 90, 70)))
    other = n6post.Mask(*made._parts())
    painted = drawn(made, (700, 520), antialias=smooth)
    assert painted.any() and np.array_equal(drawn(other, (700, 520), antialias=smooth), painted)
    assert (other.to_image().width(), other.to_image().height()) == (700, 520)
    assert np.array_equal(gray(other.to_image()), gray(made.to_image()))


def test_a_mask_transform_has_no_margin_or_frame_size_by_default() -> None:
    transform = MaskTransform(4.0, 0.0, 4.0, 0.0, WHOLE)
    assert transform.margin == (0, 0) and transform.frame_size is None
    transform = MaskTransform(4.0, 0.0, 4.0, 0.0, WHOLE, (3, 2), (640, 480))
    assert transform.margin == (3, 2) and transform.frame_size == (640, 480)


@pytest.mark.parametrize(("w", "h"), [(0, 0), (0, 3), (3, 0)])
def test_a_mask_of_an_empty_window_is_empty(w: int, h: int) -> None:
    transform = mask_of(disc(20, 24, 7.5))._parts()[4]
    mask = n6post.Mask(b"", (2, 1, w, h), (2, 1, w, h), (0, 0, 64, 64), transform)
    assert (mask.area, mask.centroid, mask.rect, mask.outline(), mask.image) == (0, None, None, [], None)
    assert not drawn(mask, (64, 64)).any()


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("crop", [(2, 1, 0, 3), (3, 2, 2, 0), (3, 2, 0, 0), (50, 90, 0, 3)])
def test_a_mask_of_an_empty_crop_is_empty_whatever_its_window_holds(crop: tuple[int, int, int, int], smooth: bool) -> None:
    whole = mask_of(disc(20, 24, 7.5))
    mask = n6post.Mask(b"\xff" * 12, (2, 1, 4, 3), crop, (0, 0, 64, 64), whole._parts()[4])
    assert (mask.area, mask.centroid, mask.rect, mask.outline(), mask.image) == (0, None, None, [], None)
    assert (mask._parts()[2], mask.iou(whole), whole.iou(mask), mask.iou(mask)) == (crop, 0.0, 0.0, 0.0)
    assert not drawn(mask, (64, 64), antialias=smooth).any() and not mask_plane(mask, SIDE, SIDE).any()


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("what", EMPTY)
def test_a_mask_can_be_made_of_the_parts_of_an_empty_one(what: str, padding: int) -> None:
    given = mask_of(*EMPTY[what], mask_padding=padding)
    made = n6post.Mask(*given._parts())
    assert made._parts() == given._parts()
    assert (made.area, made.centroid, made.outline()) == (given.area, given.centroid, given.outline())


@pytest.mark.parametrize("data", [
    bytes(11), bytes(13), bytearray(), None, [0] * 12, "x" * 12, ulab_numpy.zeros(24, dtype=ulab_numpy.uint8)[::2],
    ulab_numpy.zeros((3, 8), dtype=ulab_numpy.uint8)[:, :4], ulab_numpy.zeros(12, dtype=ulab_numpy.uint8)[::-1],
])  # fmt: skip
def test_mask_data_of_another_size_than_the_window_is_refused(data: Any) -> None:
    transform = mask_of(disc(20, 24, 7.5))._parts()[4]
    kind = type(data).__name__
    with pytest.raises(ValueError, match=f"^data: expected 4 x 3 bytes, a bytearray or a memoryview, got {kind}$"):
        n6post.Mask(data, (2, 1, 4, 3), (2, 1, 4, 3), (0, 0, 64, 64), transform)


@pytest.mark.parametrize("crop", [
    (1, 1, 4, 3), (2, 0, 4, 3), (2, 1, 5, 3), (3, 1, 4, 3), (2, 1, 4, 4), (5, 5, 4, 3), (3, 2, -1, 1), (3, 2, 1, -1),
])  # fmt: skip
def test_a_crop_that_is_not_inside_the_window_is_refused(crop: tuple[int, int, int, int]) -> None:
    transform = mask_of(disc(20, 24, 7.5))._parts()[4]
    with pytest.raises(ValueError, match=says(f"crop: expected one inside the window (2, 1, 4, 3), got {crop}")):
        n6post.Mask(bytes(12), (2, 1, 4, 3), crop, (0, 0, 64, 64), transform)


@pytest.mark.parametrize("wrong", [None, 5, (1, 2, 3), "NHWC", (0, 0, None, 3), [1, 2, 3, 4, 5]])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_rectangle_of_a_mask_needs_four_numbers(at: int, wrong: Any) -> None:
    transform = mask_of(disc(20, 24, 7.5))._parts()[4]
    parts: list[Any] = [bytes(12), (2, 1, 4, 3), (2, 1, 4, 3), (0, 0, 64, 64), transform]
    parts[at] = wrong
    with pytest.raises(ValueError, match=r"^window, crop and clip: expected \(x, y, w, h\) each, got .+, .+ and .+$"):
        n6post.Mask(*parts)


@pytest.mark.parametrize("transform", [None, 5, (0, 0, 64, 64), MaskTransform])
def test_a_mask_without_a_mask_transform_is_refused(transform: Any) -> None:
    with pytest.raises(ValueError, match=f"^transform: expected a MaskTransform, got {type(transform).__name__}$"):
        n6post.Mask(bytes(12), (2, 1, 4, 3), (2, 1, 4, 3), (0, 0, 64, 64), transform)


def test_a_mask_too_large_for_ulab_is_refused() -> None:
    transform = mask_of(disc(20, 24, 7.5))._parts()[4]
    for w, h in ((65536, 1), (1, 70000)):
        with pytest.raises(ValueError, match=f"^window: expected at most 65535 mask pixels a side, got {w} x {h}$"):
            n6post.Mask(bytes(w * h), (0, 0, w, h), (0, 0, w, h), (0, 0, 64, 64), transform)


@pytest.mark.parametrize(
    ("pixel", "got"), [(("x", 3), "'x', 3"), ((3, "x"), "3, 'x'"), ((None,), "None"), (((1, 2, 3),), "(1, 2, 3)")]
)
def test_contains_refuses_anything_but_a_pixel(pixel: Any, got: str) -> None:
    mask = mask_of(disc(8, 8, 3))
    with pytest.raises(ValueError, match=says(f"contains: expected a frame pixel x, y, two numbers, got {got}")):
        mask.contains(*pixel)


def test_a_copy_of_a_mask_with_padding_is_drawn_like_the_mask() -> None:
    """The clip rectangle of a copy has the padding in it already."""
    head = random_head(17, (64, 96), 3, 16, -40)
    detections = FakeModel(head.tensors(), head.size).run(n6post.YoloV8Seg(0.3, mask_padding=4))
    assert len(detections) > 4
    for d in detections:
        copied = pickle.loads(pickle.dumps(d.mask))
        drawn = [bytes(mask.draw(image.Image(64, 96, image.RGB565)).bytearray()) for mask in (d.mask, copied)]
        assert drawn[0] == drawn[1]
        assert (copied.rect, copied.area, copied.centroid) == (d.mask.rect, d.mask.area, d.mask.centroid)
