"""Pictures and videos, read as a person and a network see them, and written with what was found in them."""

import functools
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import image
import n6post
import numpy as np
from image import _files, _formats

if TYPE_CHECKING:
    from PIL import Image as PilImage

# A camera's frame, the longer side first. A photograph that is several times as large is averaged down to no less than this
# before a network sees it, as a sensor does with its pixels: taken one in six, they would be noise to it.
FRAME = (640, 480)

LARGEST = 32767  # pixels of a side: what the firmware's images, and n6post's with them, can have

SHOWN = 1600  # pixels of the longer side of a picture that is written: in a larger one lines and names would hardly be seen


class UnreadableError(Exception):
    """Why a picture or a video cannot be read, as words that follow its name."""


# ---- reading them ----


class Picture:
    """One picture, or one frame of a video (`frame`: its number, from 1), upright and in 8 bits."""

    def __init__(self, path: Path, picture: "PilImage.Image", frame: int | None = None) -> None:
        self.path, self.frame = path, frame
        self.picture = picture
        self.size = picture.size

    @property
    def short_name(self) -> str:
        """As tables have it."""
        return self.path.name if self.frame is None else f"{self.path.name} frame {self.frame}"

    def input(self, fit: str, size: tuple[int, int]) -> Any:
        """What to `predict` this picture with, for a network's input of `size`; `fit`: Stretch, Crop or Letterbox.

        The results are in pixels of the whole picture.
        """
        made = _input(getattr(n6post, fit))(self)
        made.small = rgb565(_averaged(self.picture, size))
        return made

    def canvas(self, even: bool = False) -> image.Image:
        """A copy to draw on, no larger than SHOWN; for a video's frame of even width and height."""
        share = min(1.0, SHOWN / max(self.size))
        width, height = (max(1, round(length * share)) for length in self.size)
        if even:
            width, height = (max(2, length - length % 2) for length in (width, height))
        if (width, height) == self.size:
            return rgb565(self.picture)
        from PIL import Image

        return rgb565(self.picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0))

    # What an input of n6post asks of its image, where only the size counts.

    def width(self) -> int:
        return self.size[0]

    def height(self) -> int:
        return self.size[1]


@functools.cache
def _input(base: Any) -> Any:
    class Averaged(base):  # type: ignore[misc]
        """A picture's input: it speaks of the whole picture, and fills the tensor from the averaged one."""

        small: image.Image

        def __call__(self, buffer: Any, shape: Sequence[int], dtype: int) -> None:
            base(self.small)(buffer, shape, dtype)

    return Averaged


def _averaged(picture: "PilImage.Image", least: tuple[int, int]) -> "PilImage.Image":
    """The picture by a whole factor smaller, no smaller than FRAME and `least`; itself below twice that."""
    from PIL import Image

    width, height = picture.size
    longer, shorter = FRAME
    factor = min(
        max(width, height) // longer, min(width, height) // shorter, width // least[0], height // least[1]
    )
    if factor < 2:
        return picture
    # Not `reduce`, whose last column stands for fewer pixels than the others where the width is no multiple.
    return picture.resize((round(width / factor), round(height / factor)), Image.Resampling.BOX)


def rgb565(picture: "PilImage.Image") -> image.Image:
    """As a camera's frame."""
    rgb = np.asarray(picture.convert("RGB"))
    return image.Image._of(_formats.rgb888_to_rgb565(rgb[..., 0], rgb[..., 1], rgb[..., 2]), image.RGB565)


def read(path: Path) -> Picture:
    """A picture file of any kind that Pillow knows. UnreadableError for any other, and for one that breaks off."""
    from PIL import Image, UnidentifiedImageError

    try:
        if not path.stat().st_size:
            raise UnreadableError("an empty file")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pictures of more than 89 megapixels, which are fine
            with Image.open(path) as opened:
                if max(opened.size) > LARGEST:
                    raise UnreadableError(f"{opened.width} x {opened.height} pixels, more than {LARGEST} a side")
                upright = _files.as_seen(opened)
                if upright.has_transparency_data:
                    # The colours of what is transparent mean nothing: on white, as a page shows it.
                    upright = upright.convert("RGBA")
                    upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
                return Picture(path, upright.convert("RGB"))
    except UnreadableError:
        raise
    except UnidentifiedImageError:
        raise UnreadableError("not a picture that can be read") from None
    except Exception as error:  # Pillow's decoders raise whatever they run into: OSError, SyntaxError, struct.error, ...
        raise UnreadableError(f"cannot be read: {error}") from error


class Film:
    """The frames of a video file that are asked for: every `step`th, at most `most`. UnreadableError where it is none."""

    def __init__(self, path: Path, step: int = 1, most: int | None = None) -> None:
        import _video
        import av  # noqa: F401  (what is missing is named by the command)

        self.path = path
        try:
            if not path.stat().st_size:
                raise UnreadableError("an empty file")
            self._video = _video.Video(path)
        except (OSError, ValueError, RuntimeError) as error:
            raise UnreadableError(_without_name(error, path)) from error
        self._numbers = range(0, len(self._video), step)[:most]
        self.rate = self._video.rate / step

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Picture]:
        from PIL import Image

        for number in self._numbers:
            try:
                frame = self._video[number]
            except (OSError, ValueError, RuntimeError) as error:
                raise UnreadableError(f"frame {number + 1} cannot be read: {_without_name(error, self.path)}") from error
            yield Picture(self.path, Image.fromarray(frame), number + 1)


def _without_name(error: Exception, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


# ---- writing them ----


def save(canvas: image.Image, path: Path) -> None:
    # Quick rather than small: zlib's usual effort takes ten times as long and saves a fifth.
    canvas.to_pil().save(path, compress_level=1)


def beside(*canvases: image.Image) -> image.Image:
    """Pictures side by side."""
    strip = image.Image(sum(c.width() for c in canvases), max(c.height() for c in canvases), image.RGB565)
    x = 0
    for canvas in canvases:
        strip.draw_image(canvas, x, 0)
        x += canvas.width()
    return strip


class Recorder:
    """Writes frames into an .mp4 that any player and browser shows."""

    def __init__(self, path: Path, rate: Any) -> None:
        self.path, self.rate = path, rate
        self._container: Any = None

    def add(self, canvas: image.Image) -> None:
        import av

        if self._container is None:
            self._container = av.open(str(self.path), "w")
            codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
            self._stream = self._container.add_stream(codec, rate=self.rate)
            self._stream.width, self._stream.height, self._stream.pix_fmt = canvas.width(), canvas.height(), "yuv420p"
            self._stream.options = {"crf": "20", "preset": "veryfast"} if codec == "libx264" else {"q:v": "3"}
        for packet in self._stream.encode(av.VideoFrame.from_image(canvas.to_pil())):
            self._container.mux(packet)

    def close(self) -> None:
        if self._container is not None:
            for packet in self._stream.encode():
                self._container.mux(packet)
            self._container.close()
            self._container = None
