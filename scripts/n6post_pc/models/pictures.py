"""Read pictures and videos for people and networks, and write them with the results drawn on them."""

import contextlib
import functools
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import image
import n6post
import numpy as np
from image import _files, _formats

from .. import files

if TYPE_CHECKING:
    from PIL import Image as PilImage

# Size of a camera's frame, longer side first. A photograph that is at least twice as large is averaged down, to no less than
# this, before a network gets it, as sensors average their pixels. Taking every sixth pixel instead would add noise.
FRAME = (640, 480)

LARGEST = 32767  # maximum side of the firmware's images, and so of n6post's, in pixels

SHOWN = 1600  # maximum of the longer side of written pictures: on larger ones, lines and labels would be hard to see


class UnreadableError(Exception):
    """A picture or a video cannot be read. The message follows the file's name."""


# ---- reading them ----


class Picture:
    """A picture or a frame of a video, upright and with 8 bits per channel. `frame` is the frame's number, from 1."""

    def __init__(self, path: Path, picture: "PilImage.Image", frame: int | None = None) -> None:
        self.path, self.frame = path, frame
        self.picture = picture
        self.size = picture.size

    @property
    def short_name(self) -> str:
        """The name for tables."""
        return self.path.name if self.frame is None else f"{self.path.name} frame {self.frame}"

    def input(self, fit: str, size: tuple[int, int]) -> Any:
        """An input for `predict`. The results are in pixels of the whole picture.

        fit     Stretch, Crop or Letterbox
        size    the (width, height) of the network's input
        """
        made = _input(getattr(n6post, fit))(self)
        made.small = rgb565(_averaged(self.picture, size))
        return made

    def canvas(self, even: bool = False) -> image.Image:
        """A copy to draw on, no larger than SHOWN. `even` makes width and height even, as videos need."""
        scale = min(1.0, SHOWN / max(self.size))
        width, height = (max(1, round(length * scale)) for length in self.size)
        if even:
            width, height = (max(2, length - length % 2) for length in (width, height))
        if (width, height) == self.size:
            return rgb565(self.picture)
        from PIL import Image

        return rgb565(self.picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0))

    # The methods of an image that n6post's inputs use.

    def width(self) -> int:
        return self.size[0]

    def height(self) -> int:
        return self.size[1]


@functools.cache
def _input(base: Any) -> Any:
    class Averaged(base):  # type: ignore[misc]
        """An input that has the size of the whole picture and fills the tensor from the averaged one."""

        small: image.Image

        def __call__(self, buffer: Any, shape: Sequence[int], dtype: int) -> None:
            base(self.small)(buffer, shape, dtype)

    return Averaged


def _averaged(picture: "PilImage.Image", least: tuple[int, int]) -> "PilImage.Image":
    """The picture, reduced by an integer factor to no less than FRAME and `least`. Unchanged if the factor would be 1."""
    from PIL import Image

    width, height = picture.size
    longer, shorter = FRAME
    factor = min(
        max(width, height) // longer, min(width, height) // shorter, width // least[0], height // least[1]
    )
    if factor < 2:
        return picture
    # Not `reduce`, whose last column averages fewer pixels if the width is not a multiple of the factor.
    return picture.resize((round(width / factor), round(height / factor)), Image.Resampling.BOX)


def rgb565(picture: "PilImage.Image") -> image.Image:
    """The picture as a camera's frame in RGB565."""
    rgb = np.asarray(picture.convert("RGB"))
    return image.Image._of(_formats.rgb888_to_rgb565(rgb[..., 0], rgb[..., 1], rgb[..., 2]), image.RGB565)


def read(path: Path) -> Picture:
    """Read a picture in any format that Pillow supports. UnreadableError for other files and for damaged ones."""
    from PIL import Image, UnidentifiedImageError

    try:
        if not path.stat().st_size:
            raise UnreadableError("an empty file")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about more than 89 megapixels, which are fine here
            with Image.open(path) as opened:
                if max(opened.size) > LARGEST:
                    raise UnreadableError(f"{opened.width} x {opened.height} pixels: no side may have more than {LARGEST}")
                upright = _files.as_seen(opened)
                if upright.has_transparency_data:
                    # Put transparent pictures on white, as on a web page.
                    upright = upright.convert("RGBA")
                    upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
                return Picture(path, upright.convert("RGB"))
    except UnreadableError:
        raise
    except UnidentifiedImageError:
        raise UnreadableError("not a picture that can be read") from None
    except Exception as error:  # Pillow's decoders raise many kinds of exceptions: OSError, SyntaxError, struct.error, ...
        raise UnreadableError(f"cannot be read: {error}") from error


class Film:
    """The frames of a video file: every `step`th, at most `most`. UnreadableError if it is not a video."""

    def __init__(self, path: Path, step: int = 1, most: int | None = None) -> None:
        import _video
        import av  # noqa: F401  (if it is missing, the command names the extra to install)

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
    with files.replacing(path) as temporary:
        # Fast rather than small: zlib's default level takes ten times as long for files that are a fifth smaller.
        canvas.to_pil().save(temporary, compress_level=1)


def beside(*canvases: image.Image) -> image.Image:
    """Pictures side by side."""
    strip = image.Image(sum(c.width() for c in canvases), max(c.height() for c in canvases), image.RGB565)
    x = 0
    for canvas in canvases:
        strip.draw_image(canvas, x, 0)
        x += canvas.width()
    return strip


class Recorder:
    """Writes frames to an .mp4 file that players and browsers can show."""

    def __init__(self, path: Path, rate: Any) -> None:
        self.path, self.rate = path, rate
        self._container: Any = None
        self._ends = contextlib.ExitStack()

    def add(self, canvas: image.Image) -> None:
        try:
            self._add(canvas)
        except BaseException:
            self._container = None
            self._ends.__exit__(*sys.exc_info())
            raise

    def _add(self, canvas: image.Image) -> None:
        import av

        if self._container is None:
            temporary = self._ends.enter_context(files.replacing(self.path))
            self._container = self._ends.enter_context(av.open(str(temporary), "w"))
            codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
            self._stream = self._container.add_stream(codec, rate=self.rate)
            self._stream.width, self._stream.height, self._stream.pix_fmt = canvas.width(), canvas.height(), "yuv420p"
            self._stream.options = {"crf": "20", "preset": "veryfast"} if codec == "libx264" else {"q:v": "3"}
        for packet in self._stream.encode(av.VideoFrame.from_image(canvas.to_pil())):
            self._container.mux(packet)

    def drop(self) -> None:
        """Give up the unfinished file: an old one stays."""
        self._container = None
        with contextlib.suppress(Exception), self._ends:
            raise EOFError

    def close(self) -> None:
        if self._container is not None:
            container, self._container = self._container, None
            with self._ends:
                for packet in self._stream.encode():
                    container.mux(packet)
