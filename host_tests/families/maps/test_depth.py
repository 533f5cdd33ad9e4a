"""maps/depth.py, results/depth_map.py, drawing/depth.py: distances at points and in boxes, drawing, JSON."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import says
from fakes import FakeModel, Framed, Tensor, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given
from hypothesis import strategies as st
from recorded_maps_and_vectors import DEPTH, model, tensor

SIZE = (16, 12)


def measure(tensor: Tensor, size: tuple[int, int] = SIZE, source: Any = None, **options: Any) -> Any:
    return FakeModel([tensor], size).run(n6post.Depth(**options), source)


def storages(tensor: Tensor) -> list[Tensor]:
    """A uint8 tensor [1, H, W, 1] as every dtype and in every layout."""
    values = tensor.values.astype(np.int16)
    int8 = Tensor((values - 128).astype(np.int8), tensor.scale, tensor.zero_point - 128)
    kinds = [tensor, int8, int8.as_int16(2, 5), tensor.dequantized()]
    kinds += [kind.reordered(0, 3, 1, 2) for kind in kinds]
    return kinds + [Tensor(kind.values[..., 0], kind.scale, kind.zero_point) for kind in kinds[:4]]


def random_map(seed: int = 1, size: tuple[int, int] = SIZE) -> Tensor:
    values = np.random.default_rng(seed).integers(0, 256, (1, size[1], size[0], 1)).astype(np.uint8)
    return Tensor(values, 0.07, 3)


def lower_median(values: Any) -> float:
    return float(np.sort(values.ravel())[(values.size - 1) // 2])


# --- a real network ---
@pytest.mark.parametrize("name", DEPTH)
def test_fastdepth_gives_its_dequantized_meters(name: str) -> None:
    meters = tensor(name).dequantized().values[0, :, :, 0]
    depth = model(name).run(n6post.Depth())
    np.testing.assert_allclose(depth.distances().tolist(), meters, rtol=1e-6)
    for x, y in ((0, 0), (223, 223), (100, 7), (3, 200)):
        assert depth.depth_at(x, y) == depth.depth_at((x, y)) == pytest.approx(float(meters[y, x]))
    for box in ((0, 0, 224, 224), (50, 60, 80, 90), (10, 10, 1, 1)):
        x, y, w, h = box
        part = meters[y : y + h, x : x + w]
        wanted = part.min(), lower_median(part), part.max()
        assert (depth.minimum(box), depth.median(box), depth.maximum(box)) == pytest.approx(wanted)
    assert depth.shape == (224, 224)


def test_cup_in_the_middle_of_a_picture_is_nearer_than_what_is_behind() -> None:
    """The upper corners of "coffee" show the table behind the cup. All distances are those of a table, .5 to 5 meters."""
    depth = model("depth/coffee").run(n6post.Depth())
    assert 0.5 < depth.minimum() < depth.median((60, 100, 80, 80)) < depth.median((160, 0, 64, 30)) < 5


# --- any map ---
@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.tuples(st.integers(-5, 30), st.integers(-5, 30), st.integers(0, 40), st.integers(0, 40)),
)
def test_any_box_gives_numpys_least_median_and_largest(
    seed: int, size: tuple[int, int], box: tuple[int, int, int, int]
) -> None:
    one = random_map(seed, size)
    distances = one.dequantized().values[0, :, :, 0]
    x, y, w, h = box
    part = distances[max(y, 0) : max(y + h, 0), max(x, 0) : max(x + w, 0)]
    for stored in storages(one):
        layout = {(1, size[1], size[0], 1): "NHWC", (1, 1, size[1], size[0]): "NCHW"}.get(stored.values.shape)
        depth = measure(stored, size, layout=layout)
        assert depth.median() == pytest.approx(lower_median(distances), rel=1e-5, abs=1e-6)
        if part.size:
            wanted = [part.min(), lower_median(part), part.max()]
            found = [depth.minimum(box), depth.median(box), depth.maximum(box)]
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        else:
            assert depth.minimum(box) is depth.median(box) is depth.maximum(box) is None


def test_median_of_a_large_float_map_is_that_of_every_second_pixel() -> None:
    values = np.random.default_rng(2).random((1, 120, 90, 1)).astype(np.float32)
    depth = measure(Tensor(values), (90, 120))
    assert depth.median() == pytest.approx(lower_median(values[0, ::2, ::2]))
    assert (depth.minimum(), depth.maximum()) == pytest.approx((values.min(), values.max()))


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (40, 60, 320, 240), (100, 100, 64, 48)])
def test_points_and_boxes_are_in_frame_pixels(roi: tuple[int, int, int, int]) -> None:
    one = random_map()
    distances = one.dequantized().values[0, :, :, 0]
    depth = measure(one, SIZE, stretched(roi))
    x, y, w, h = roi
    for row in range(12):
        for column in range(16):
            at = x + int((column + 0.5) * w / 16), y + int((row + 0.5) * h / 12)
            assert depth.depth_at(*at) == pytest.approx(float(distances[row, column]))
    half = (x, y, w // 2, h // 2)
    assert depth.minimum(half) == pytest.approx(distances[:6, :8].min())
    d = n6post.Detection(half, 0.9, 0, "cup", None, None)
    assert depth.median(d) == depth.median(half)
    # A box that is smaller than a pixel of the map has that pixel's distance.
    assert depth.median((x + w // 2, y + h // 2, 1, 1)) == depth.depth_at(x + w // 2, y + h // 2)
    for outside in ((x - 1, y), (x, y - 1), (x + w, y), (x, y + h)):
        assert depth.depth_at(*outside) is None
    assert depth.median((x - 10, y, 10, 10)) is None


def test_bars_of_a_letterbox_do_not_count() -> None:
    values = np.full((1, 16, 16, 1), 200, np.uint8)
    values[0, 4:12] = 100  # a picture of 2 : 1; the bars are far away
    source = n6post.Letterbox(image.Image(64, 32, image.GRAYSCALE))
    depth = measure(Tensor(values, 0.01), (16, 16), source)
    assert depth.minimum() == depth.median() == depth.maximum() == pytest.approx(1.0)
    assert depth.median((-10, -10, 100, 100)) == pytest.approx(1.0)
    assert depth.as_dict()["maximum"] == 1.0


@given(
    st.tuples(st.integers(0, 90), st.integers(0, 70), st.integers(40, 320), st.integers(30, 240)),
    st.tuples(st.integers(0, 300), st.integers(0, 240), st.integers(1, 120), st.integers(1, 120)),
)
def test_pixels_with_their_centers_in_a_box_count_or_the_one_at_its_middle(roi: Any, box: Any) -> None:
    one = random_map(5)
    distances = one.dequantized().values[0, :, :, 0]
    depth = measure(one, SIZE, stretched(roi))
    ends = []
    t = depth._transform
    for axis, scale, offset in ((0, t.sx, t.ox), (1, t.sy, t.oy)):
        low, high = max(box[axis], t.seen[axis]), min(box[axis] + box[axis + 2], t.seen[axis] + t.seen[axis + 2])
        if low >= high:
            assert depth.median(box) is None
            return
        shown = np.arange(t.window[axis], t.window[axis + 2])
        centers = offset + (shown + 0.5) * scale
        hits = shown[(low - 1e-3 <= centers) & (centers < high - 1e-3)]
        at = min(max(int(((low + high) / 2 - offset) / scale), shown[0]), shown[-1])
        ends.append((hits[0], hits[-1] + 1) if len(hits) else (at, at + 1))
    part = distances[slice(*ends[1]), slice(*ends[0])]
    wanted = part.min(), lower_median(part), part.max()
    assert (depth.minimum(box), depth.median(box), depth.maximum(box)) == pytest.approx(wanted, rel=1e-5, abs=1e-6)


def test_the_statistics_of_the_whole_map_are_those_of_its_frame() -> None:
    network, process = FakeModel([random_map()], SIZE), n6post.Depth()
    for level in range(10, 60, 10):
        network.tensors[0].values[:] = level
        network.tensors[0].values[0, 0, 0] = level - 5
        depth = network.run(process)
        wanted = [(n - 3) * 0.07 for n in (level - 5, level, level)]
        assert [depth.minimum(), depth.median(), depth.maximum()] == pytest.approx(wanted, rel=1e-5)


# --- two results take turns ---
def test_result_is_valid_during_the_next_call_and_a_copy_for_good() -> None:
    network = FakeModel([random_map()], SIZE)
    process = n6post.Depth()
    first = network.run(process)
    kept, twin = first.copy(), copy.copy(first)
    before = first.raw.tolist()
    network.tensors[0].values[:] = 7
    second = network.run(process)
    assert first.raw.tolist() == before and second.maximum() == pytest.approx(4 * 0.07)
    third = network.run(process)
    assert third is first and third.median() == pytest.approx(4 * 0.07)
    assert kept.raw.tolist() == twin.raw.tolist() == before
    assert kept.median() == pytest.approx(lower_median(random_map().dequantized().values))


@pytest.mark.parametrize("way", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_result_can_be_copied_and_pickled(way: Any) -> None:
    depth = measure(random_map(), SIZE, stretched((40, 60, 320, 240)))
    other = way(depth)
    assert other.as_dict() == depth.as_dict() and other.depth_at(100, 100) == depth.depth_at(100, 100)
    pictures = [bytes(one.draw(image.Image(700, 520, image.RGB565)).bytearray()) for one in (depth, other)]
    assert pictures[0] == pictures[1]


def test_one_processor_serves_maps_of_two_networks_in_turn() -> None:
    process = n6post.Depth()
    bytes_ = FakeModel([random_map()], SIZE)
    floats = FakeModel([Tensor(np.full((1, 6, 8, 1), 2.5, np.float32))], (32, 24))
    for _ in range(3):
        assert bytes_.run(process).shape == (12, 16)
        assert floats.run(process).median() == 2.5


def test_maps_that_an_option_change_leaves_get_the_unit_of_the_next_network() -> None:
    process = n6post.Depth()
    one, other = random_map(1), random_map(2)._replace(scale=0.5, zero_point=7)
    for shown, layout in ((one, None), (one, "NHWC"), (other, None), (one, "NHWC")):
        process.layout = layout  # type: ignore[assignment]
        network = FakeModel([shown], SIZE)
        for _ in range(2):
            depth = network.run(process)
            np.testing.assert_allclose(depth.distances().tolist(), shown.dequantized().values[0, :, :, 0], rtol=1e-5)
            assert depth.maximum() == pytest.approx(float(np.max(depth.distances().tolist())))


def test_maps_of_another_size_or_dtype_are_not_taken_over() -> None:
    process = n6post.Depth()
    small = Tensor(np.full((1, 6, 8, 1), 2.5, np.float32))
    floats = random_map(3).dequantized()
    for one, size in ((random_map(1), SIZE), (small, (32, 24)), (floats, SIZE), (random_map(2), SIZE)):
        process.layout = None if process.layout else "NHWC"  # a change of options leaves the maps for the next network
        depth = FakeModel([one], size).run(process)
        np.testing.assert_allclose(depth.distances().tolist(), one.dequantized().values[0, :, :, 0], rtol=1e-5, atol=1e-6)


def test_two_networks_never_write_into_the_same_maps() -> None:
    process = n6post.Depth()
    first, second = FakeModel([random_map(1)], SIZE), FakeModel([random_map(2)], SIZE)
    first.run(process)
    process.layout = "NHWC"
    shown = first.run(process)
    before = shown.raw.tolist()
    second.run(process)
    second.run(process)
    assert shown.raw.tolist() == before


# --- drawing ---
def colors_of(img: Any) -> Any:
    return np.frombuffer(img.bytearray(), np.uint16).reshape((img.height(), img.width()))


def test_drawn_colors_go_from_the_first_for_near_to_the_last_for_far() -> None:
    values = np.arange(0, 192, dtype=np.uint8).reshape((1, 12, 16, 1))
    red, blue = (255, 0, 0), (0, 0, 255)
    for stored in storages(Tensor(values, 0.1, 3)):
        img = image.Image(160, 120, image.RGB565)
        depth = measure(stored, SIZE, Framed((0, 0, 160, 120)))
        depth._transform.frame_size = (160, 120)
        assert depth.draw(img, palette=[red, blue], alpha=255) is img
        r = colors_of(img) >> 11
        b = colors_of(img) & 31
        assert (r[0, 0], b[0, 0], r[-1, -1], b[-1, -1]) == (31, 0, 0, 31)
        rows = r[5::10, 5::10].ravel().astype(int)
        assert (np.diff(rows) <= 0).all() and len(set(rows.tolist())) == 32
        steps = np.arange(192) / 191 * 255
        np.testing.assert_allclose(b[5::10, 5::10].ravel() * 255 / 31, steps, atol=9)


def test_nearest_and_farthest_set_the_ends_of_the_palette() -> None:
    values = np.array([[0, 50, 100, 150]], np.uint8).reshape((1, 1, 4, 1))
    for stored in storages(Tensor(values, 0.1)):
        img = image.Image(4, 1, image.GRAYSCALE)
        depth = measure(stored, (4, 1), layout="NCHW" if stored.values.shape[1:] == (1, 1, 4) else None)
        depth.draw(img, palette=[(255, 255, 255), (0, 0, 0)], alpha=255, nearest=5, farthest=10.0)
        assert list(img.bytearray()) == [255, 255, 0, 0]


def test_every_map_is_drawn_in_the_colors_of_its_own_distances() -> None:
    """One after the other: a table is kept for the same dtype, scale, zero point, limits, palette and alpha only."""
    palette = [(248, 0, 0), (0, 252, 0), (0, 0, 248)]
    maps = []
    for seed, zero_point, scale in ((1, 3, 0.07), (1, 90, 0.07), (2, 90, 0.05)):
        one = random_map(seed)._replace(zero_point=zero_point, scale=scale)
        maps += [*storages(one)[:4], Tensor(one.values.view(np.int8), scale, zero_point)]
    for near, far in ((-2.0, 9.0), (0.0, 6.5)):
        for alpha in (255, 0):
            for one in maps:
                depth = measure(one)
                img = image.Image(16, 12, image.RGB565)
                n6post.draw(img, [])
                depth.draw(img, palette=palette, alpha=alpha, nearest=near, farthest=far)
                distances = np.float64(one.dequantized().values[0, :, :, 0])
                exact = np.clip((distances - near) * 255 / (far - near), 0, 255)
                steps = np.floor(exact + 0.5)
                wanted = [np.interp(steps, [0, 127.5, 255], [color[i] for color in palette]) for i in range(3)]
                seen = colors_of(img)
                got = [seen >> 11 << 3, (seen >> 5 & 63) << 2, (seen & 31) << 3]
                clear = np.abs(exact + 0.5 - np.round(exact + 0.5)) > 1e-3  # not between two steps
                for channel, color, step in zip(got, wanted, (8, 4, 8)):
                    off = channel.astype(int) - color * (alpha > 0)
                    assert (np.abs(off)[clear] <= step).all()
                    assert np.abs(off[clear].mean()) < step / 2 + 0.5


def test_a_color_of_draw_is_that_of_what_is_near() -> None:
    depth = measure(random_map())
    one, other = image.Image(16, 12, image.RGB565), image.Image(16, 12, image.RGB565)
    n6post.draw(one, depth, color=(0, 200, 90), labels=False)
    depth.draw(other, palette=[(0, 200, 90), (0, 0, 0)])
    assert bytes(one.bytearray()) == bytes(other.bytearray()) != bytes(2 * 16 * 12)


def test_a_legend_has_the_first_and_the_last_color_in_the_size_of_the_text() -> None:
    palette = [(248, 0, 0), (0, 252, 0), (0, 0, 248)]
    heights = []
    for scale in (1, 2):
        img = image.Image(160, 120, image.RGB565)
        depth = measure(random_map(), SIZE, Framed((0, 0, 160, 120)))
        depth._transform.frame_size = (160, 120)
        n6post.draw(img, depth, alpha=0, text_scale=scale)
        heights.append(int(np.ptp(np.nonzero(colors_of(img))[0])))
        plain = image.Image(160, 120, image.RGB565)
        depth.draw(plain, palette=palette, alpha=0, legend=True)
        assert {0xF800, 0x001F} <= set(colors_of(plain).ravel().tolist()) and 0x07E0 not in colors_of(plain)
    assert heights[1] > 1.8 * heights[0]


def test_map_of_one_distance_is_drawn_in_the_first_color() -> None:
    for stored in storages(Tensor(np.full((1, 12, 16, 1), 9, np.uint8), 0.1)):
        img = image.Image(16, 12, image.RGB565)
        measure(stored).draw(img, palette=[(255, 0, 0), (0, 0, 255)], alpha=255)
        assert set(colors_of(img).ravel().tolist()) == {0xF800}


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_draw_tints_and_writes_the_limits(pixformat: int) -> None:
    depth = model("depth/coffee").run(n6post.Depth())
    plain, tinted, other = (image.Image(224, 224, pixformat) for _ in range(3))
    assert n6post.draw(plain, depth, labels=False) is plain
    depth.draw(tinted)
    assert plain.bytearray() == tinted.bytearray()
    n6post.draw(other, depth, alpha=128)
    assert other.bytearray() != plain.bytearray()
    n6post.draw(plain, depth, alpha=0, labels=False)
    assert plain.bytearray() == tinted.bytearray()
    n6post.draw(plain, depth, color=(0, 255, 0), labels=False)
    assert plain.bytearray() != tinted.bytearray()


def test_picture_of_another_size_gets_the_map_scaled() -> None:
    depth = measure(random_map(), SIZE, n6post.Stretch(image.Image(160, 120, image.GRAYSCALE)))
    small, large = image.Image(160, 120, image.RGB565), image.Image(320, 240, image.RGB565)
    n6post.draw(small, depth, labels=False)
    n6post.draw(large, depth, labels=False)
    np.testing.assert_array_equal(colors_of(large)[::2, ::2], colors_of(small))
    with pytest.raises(ValueError, match="img: expected a picture of the frame's size, 160 x 120, or of its aspect ratio"):
        n6post.draw(image.Image(160, 160, image.RGB565), depth)


def test_draw_refuses_wrong_options() -> None:
    img = image.Image(16, 12, image.RGB565)
    depth = measure(random_map())
    for options, message in (
        ({"palette": [(1, 2, 3)]}, "palette: expected two or more colors"),
        ({"palette": "red"}, "palette: expected two or more colors"),
        ({"palette": [(1, 2, 3), (1, 2)]}, "color: expected"),
        ({"alpha": 256}, "alpha: expected an integer from 0 to 255, got 256"),
        ({"nearest": "a"}, "nearest: expected a distance or None, got 'a'"),
        ({"farthest": float("nan")}, "farthest: expected a distance or None, got nan"),
        ({"legend": 1}, "legend: expected True or False, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            depth.draw(img, **options)
    with pytest.raises(ValueError, match="color_by: expected 'class' for a DepthMap, got 'track'"):
        n6post.draw(img, depth, color_by="track")
    with pytest.raises(ValueError, match="labels: expected True or False"):
        n6post.draw(img, depth, labels=["a"])


# --- JSON and errors ---
def test_json_has_least_median_and_largest_distance() -> None:
    depth = measure(Tensor(np.array([[2, 4], [8, 200]], np.uint8).reshape((1, 2, 2, 1)), 0.125), (2, 2), layout="NHWC")
    assert json.loads(n6post.to_json(depth)) == {"minimum": 0.25, "median": 0.5, "maximum": 25.0}


@pytest.mark.parametrize("box", [(1, 2, 3), "box", 5, (0, 0, None, 1), [1, 2, 3, "a"]])
def test_anything_but_a_box_is_refused(box: Any) -> None:
    with pytest.raises(ValueError, match=r"box: expected \(x, y, w, h\) in frame pixels or a Detection"):
        measure(random_map()).median(box)


def test_anything_but_a_pixel_is_refused() -> None:
    with pytest.raises(ValueError, match="depth_at: expected a frame pixel x, y, two numbers, got"):
        measure(random_map()).depth_at("a", 1)


WANTED = "expected one output [1, H, W, 1], [1, 1, H, W] or [1, H, W]"
BAD: list[tuple[tuple[int, ...], dict[str, Any], str]] = [
    ((1, 12, 16, 2), {}, f"{WANTED}, got 2 channels in (1, 12, 16, 2)"),
    ((1, 12, 12, 1), {}, f"{WANTED} of 1 to 255 channels and the aspect ratio of the input, (16, 12), got (1, 12, 12, 1)"),
    ((1, 12, 12), {}, f"{WANTED} of the aspect ratio of the input, (16, 12), got (1, 12, 12)"),
    ((12, 16), {}, f"{WANTED}, got (12, 16)"),
]


@pytest.mark.parametrize(("shape", "options", "message"), BAD)
def test_output_of_another_family_is_refused(shape: tuple[int, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=says(message)):
        measure(Tensor(np.zeros(shape, np.float32)), **options)


def test_depth_map_of_a_script_needs_a_dense_array_of_its_size() -> None:
    depth = measure(random_map())
    with pytest.raises(ValueError, match=r"expected a dense array \(12, 16\), got \(6, 8\)"):
        n6post.DepthMap(depth.raw[::2, ::2], depth._transform)


# --- for the tests of all families: see family_cases.py ---
def bytes_map() -> FakeModel:
    return FakeModel([random_map(3, (16, 16))], (32, 32))


def floats_map() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(4).random((1, 8, 8, 1)).astype(np.float32))], (32, 32))


def one_shape() -> FakeModel:
    """A map of one row and one column, in either layout: its aspect ratio is not the input's."""
    return FakeModel([Tensor(np.random.default_rng(5).random((1, 1, 7, 1)).astype(np.float32))], (7, 7))


FAMILY_CASES = FamilyCases(
    options={"layout": OptionCase(None, "NCHW", ("CHW", 1), one_shape, {"layout": "NHWC"})},
    frames={
        "Depth": FrameCase(n6post.Depth, bytes_map, floats_map, ("layout", None, "NHWC")),
        "Depth floats": FrameCase(n6post.Depth, floats_map, bytes_map, ("layout", None, "NHWC")),
    },
)
