"""models/pictures.py: reading pictures and videos, fitting them into a network's input, and writing them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from n6post_pc.models import pictures
from PIL import Image as PilImage

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")


def gradient(width: int = 90, height: int = 60) -> PilImage.Image:
    """A picture with four different corners: red increases to the right, green downwards."""
    red, green = np.meshgrid(np.linspace(0, 250, width), np.linspace(0, 250, height))
    return PilImage.fromarray(np.stack((red, green, np.full_like(red, 100)), axis=-1).astype(np.uint8))


def as_read(path: Path) -> Any:
    return np.asarray(pictures.read(path).picture).astype(int)


# --- reading ---


@pytest.mark.parametrize(
    "mode, ending, tolerance",
    [("RGB", "png", 0), ("L", "png", 0), ("CMYK", "tif", 1), ("P", "png", 60), ("LA", "png", 0), ("RGBA", "png", 0),
     ("RGB", "jpg", 12), ("CMYK", "jpg", 12), ("L", "jpg", 12), ("RGB", "webp", 20)],
)  # fmt: skip
def test_all_modes_and_formats_of_pictures_are_read(tmp_path: Path, mode: str, ending: str, tolerance: int) -> None:
    plain = gradient()
    path = tmp_path / f"one.{ending}"
    plain.convert(mode).save(path)
    expected = plain.convert("L").convert("RGB") if mode in ("L", "LA") else plain
    assert np.abs(as_read(path) - np.asarray(expected).astype(int)).max() <= tolerance


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_the_upper_8_of_16_bits_are_read(tmp_path: Path, ending: str) -> None:
    deep = np.linspace(0, 65535, 300).astype(np.uint16).reshape(10, 30)
    PilImage.fromarray(deep).save(tmp_path / f"deep.{ending}")
    assert np.abs(as_read(tmp_path / f"deep.{ending}")[..., 1] - deep / 257).max() <= 0.51


def test_transparent_pixels_become_white(tmp_path: Path) -> None:
    picture = gradient().convert("RGBA")
    alpha = np.full((60, 90), 255, dtype=np.uint8)
    alpha[:, :30], alpha[:, 30:40] = 0, 128
    picture.putalpha(PilImage.fromarray(alpha))
    picture.save(tmp_path / "alpha.png")
    pixels, plain = as_read(tmp_path / "alpha.png"), np.asarray(gradient()).astype(int)
    assert (pixels[:, :30] == 255).all() and (pixels[:, 40:] == plain[:, 40:]).all()
    assert np.abs(pixels[:, 30:40] - (plain[:, 30:40] + 255) / 2).max() <= 2
    indexed = PilImage.new("P", (4, 2), 1)
    indexed.putpalette([9, 9, 9, 200, 30, 60])
    indexed.putpixel((0, 0), 0)
    indexed.save(tmp_path / "palette.png", transparency=0)
    pixels = as_read(tmp_path / "palette.png")
    assert pixels[0, 0].tolist() == [255, 255, 255] and pixels[1, 3].tolist() == [200, 30, 60]


def test_a_picture_with_an_exif_orientation_is_rotated_upright(tmp_path: Path) -> None:
    exif = PilImage.Exif()
    exif[0x0112] = 6  # "Rotate 90 CW"
    gradient().transpose(PilImage.Transpose.ROTATE_90).save(tmp_path / "phone.png", exif=exif)
    picture = pictures.read(tmp_path / "phone.png")
    assert picture.size == (90, 60) and (np.asarray(picture.picture) == np.asarray(gradient())).all()


def _png_cut_off(path: Path) -> None:
    PilImage.effect_noise((200, 100), 50).save(path, "PNG")
    path.write_bytes(path.read_bytes()[:9000])


def _jpeg_cut_off(path: Path) -> None:
    gradient(400, 300).save(path, "JPEG")
    path.write_bytes(path.read_bytes()[:3000])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda path: path.write_bytes(b""), "^an empty file$"),
        (lambda path: path.write_text("hello", encoding="utf-8"), "^not a picture that can be read$"),
        (_jpeg_cut_off, "truncated"),
        (_png_cut_off, "^cannot be read: "),
        (lambda path: PilImage.new("1", (40000, 1)).save(path, "PNG"), "^40000 x 1 pixels: no side .* more than 32767$"),
        (lambda path: path.mkdir(), "Is a directory|Permission|not a picture"),
    ],
)
def test_the_error_says_why_a_picture_cannot_be_read(tmp_path: Path, make: Any, message: str) -> None:
    make(tmp_path / "broken.jpg")
    with pytest.raises(pictures.UnreadableError, match=message):
        pictures.read(tmp_path / "broken.jpg")


# --- for a network ---


def test_a_large_picture_is_averaged_down_to_a_cameras_frame() -> None:
    large = np.random.default_rng(5).integers(0, 256, (2880, 3840, 3), dtype=np.uint8)
    small = np.asarray(pictures._averaged(PilImage.fromarray(large), (320, 320))).astype(float)
    assert small.shape == (480, 640, 3)
    assert np.abs(small - large.reshape(480, 6, 640, 6, 3).mean(axis=(1, 3))).max() <= 1


@pytest.mark.parametrize(
    "size, least, averaged",
    [
        ((810, 1080), (320, 320), (810, 1080)),  # less than twice a frame: unchanged
        ((1279, 5000), (320, 320), (640, 2500)),
        ((3000, 4000), (320, 320), (500, 667)),  # portrait: the frame is rotated, too
        ((3000, 4000), (1024, 1024), (1500, 2000)),  # no smaller than the network's input
        ((5000, 2), (64, 64), (5000, 2)),
    ],
)
def test_averaging_keeps_at_least_a_frame_and_the_networks_input(
    size: tuple[int, int], least: tuple[int, int], averaged: tuple[int, int]
) -> None:
    assert pictures._averaged(PilImage.new("RGB", size), least).size == averaged


@pytest.mark.parametrize("fit", ["Stretch", "Crop", "Letterbox"])
def test_inputs_use_the_averaged_picture_and_map_back_to_the_whole(fit: str) -> None:
    import image
    import n6post

    whole = gradient(2560, 1920)
    own = getattr(n6post, fit)
    ours = pictures.Picture(Path("x.png"), whole).input(fit, (64, 48))
    assert isinstance(ours, own) and ours.roi == (0, 0, 2560, 1920)
    small = pictures.rgb565(pictures._averaged(whole, (64, 48)))
    assert (small.width(), small.height()) == (640, 480)
    filled, expected = bytearray(64 * 48 * 3), bytearray(64 * 48 * 3)
    ours(filled, (1, 48, 64, 3), ord("B"))
    own(small)(expected, (1, 48, 64, 3), ord("B"))
    assert filled == expected and any(filled)
    expected_fit = own(image.Image(2560, 1920, image.RGB565)).fit(None, (64, 48))
    fit_back = ours.fit(None, (64, 48))
    assert [fit_back.sx, fit_back.ox, fit_back.sy, fit_back.oy] == [
        expected_fit.sx, expected_fit.ox, expected_fit.sy, expected_fit.oy]  # fmt: skip


# --- writing ---


@pytest.mark.parametrize(
    "size, even, drawn",
    [((4000, 3000), False, (1600, 1200)), ((801, 603), False, (801, 603)), ((801, 603), True, (800, 602)),
     ((1, 1), True, (2, 2))],
)  # fmt: skip
def test_the_copy_to_draw_on_has_at_most_1600_pixels_per_side(
    size: tuple[int, int], even: bool, drawn: tuple[int, int], tmp_path: Path
) -> None:
    canvas = pictures.Picture(Path("x.png"), gradient(*size)).canvas(even)
    assert (canvas.width(), canvas.height()) == drawn
    pictures.save(canvas, tmp_path / "written.png")
    with PilImage.open(tmp_path / "written.png") as written:
        corner = written.getpixel((drawn[0] - 1, drawn[1] - 1))
    assert size == (1, 1) or corner[0] > 230 and corner[1] > 230 and 90 < corner[2] < 110


def test_pictures_are_placed_side_by_side() -> None:
    strip = pictures.beside(pictures.rgb565(gradient(30, 20)), pictures.rgb565(PilImage.new("RGB", (30, 20), "red")))
    assert (strip.width(), strip.height()) == (60, 20)
    assert strip.get_pixel((45, 10)) == (255, 0, 0) and strip.get_pixel((1, 1)) != (255, 0, 0)


def test_a_video_is_written_and_read_back_with_frame_numbers(tmp_path: Path) -> None:
    pytest.importorskip("av")
    recorder = pictures.Recorder(tmp_path / "clip.mp4", Fraction(5))
    for level in (0, 60, 120, 180, 240):
        recorder.add(pictures.rgb565(PilImage.new("RGB", (64, 48), (level, level, level))))
    recorder.close()
    film = pictures.Film(tmp_path / "clip.mp4")
    assert len(film) == 5 and film.rate == 5
    for number, frame in enumerate(film):
        assert frame.frame == number + 1 and frame.size == (64, 48)
        assert abs(frame.picture.getpixel((30, 20))[1] - 60 * number) < 16
    some = pictures.Film(tmp_path / "clip.mp4", step=2, most=2)
    assert len(some) == 2 and some.rate == Fraction(5, 2) and [frame.frame for frame in some] == [1, 3]


@pytest.mark.parametrize("data, message", [(b"", "^an empty file$"), (b"hello" * 99, "^not a video that can be read$")])
def test_the_error_says_why_a_video_cannot_be_read(tmp_path: Path, data: bytes, message: str) -> None:
    pytest.importorskip("av")
    (tmp_path / "broken.mp4").write_bytes(data)
    with pytest.raises(pictures.UnreadableError, match=message):
        pictures.Film(tmp_path / "broken.mp4")
