"""The Image class: pixels in memory that can be shared, and the firmware's methods."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

import _host
import numpy as np
import numpy.typing as npt

from . import _arguments as a
from . import _ellipse, _files, _shapes, _text
from . import _formats as f
from ._draw_image import draw_image
from ._palettes import PALETTE_IRONBOW, PALETTE_RAINBOW, TABLES
from ._processing import Processing

if TYPE_CHECKING:
    from PIL import Image as PilImage
    from ulab.numpy import ndarray

Pixels = npt.NDArray[Any]
Self = TypeVar("Self", bound="Image")
Point = tuple[int, ...] | list[int]
Color = int | tuple[int, int, int] | list[int] | None


class Image(Processing):
    """A picture of `width` x `height` pixels; every drawing method returns the image itself.

    `Image(width, height, format)` is black. With `buffer=` it is a view of any dense buffer (bytearray, memoryview,
    ulab ndarray): they share their memory. `Image(ndarray)` copies a float array of 0..255: (h, w) to GRAYSCALE,
    (h, w, 3) to RGB565; `buffer=` is then the destination. `Image(path)` reads a picture file. to_jpeg() and to_png()
    make compressed images, whose memory holds the file; they have only the methods that convert, copy, save and describe.

    Methods that take a position have a second overload for type checkers: the separate numbers of firmware 4.8.1, which
    `_old` implements.
    """

    def __init__(
        self,
        arg: "int | str | ndarray",
        height: int = -1,
        pixformat: int = -1,
        *,
        buffer: object = None,
        copy_to_fb: bool = False,
    ) -> None:
        # Whether the image is in the camera's frame buffer. Only such images may grow in place.
        self._in_frame_buffer = bool(copy_to_fb)
        array = a.numpy_of(arg)
        if isinstance(arg, str):
            pixels, pixformat = _files.load(_host.resolve(arg))
            self._bind(pixels.shape[1], pixels.shape[0], pixformat, None)
            self._store(pixels)
        elif array is not None:
            pixels, pixformat = _from_floats(array)
            memory = None if buffer is None else a.to_memory(buffer, writable=True)
            self._bind(pixels.shape[1], pixels.shape[0], pixformat, memory, buffer)
            self._store(pixels)
        else:
            width, height, pixformat = a.to_int(arg), a.to_int(height), a.to_int(pixformat)
            if width <= 0:
                raise OSError("Image width must be > 0")
            if height <= 0:
                raise OSError("Image height must be > 0")
            if pixformat not in f.NAMES:
                raise OSError("Pixel format is not set or unsupported")
            memory = None if buffer is None else a.to_memory(buffer, writable=False)
            self._bind(width, height, pixformat, memory, buffer)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"the stand-in has no Image.{name}")

    def _bind(
        self,
        width: int,
        height: int,
        pixformat: int,
        memory: npt.NDArray[np.uint8] | None,
        owner: object = None,
    ) -> None:
        compressed = pixformat in f.COMPRESSED and memory is not None
        size = len(memory) if compressed else f.size_of(width, height, pixformat)  # type: ignore[arg-type]
        if memory is None:
            # Use a new bytearray, so that bytearray() can return a real one, as on the camera.
            owner = bytearray(size)
            memory = np.frombuffer(owner, dtype=np.uint8)
        if len(memory) < size:
            raise ValueError("Buffer is too small")
        self._width, self._height, self._format = width, height, pixformat
        self._owner = owner
        self._memory = memory[:size]

    def _pixels(self) -> Pixels:
        """(height, width) pixels: a view of the memory; for a BINARY image a copy of 0 and 1."""
        self._check_mutable()
        if self._format == f.BINARY:
            return f.unpack_binary(self._memory, self._width, self._height)
        if self._format == f.RGB565:
            return self._memory.view("<u2").reshape(self._height, self._width)
        return self._memory.reshape(self._height, self._width)

    def _store(self, pixels: Pixels) -> None:
        """Write an array from _pixels() back: needed for BINARY images and for new arrays of the same size."""
        if self._format == f.BINARY:
            f.pack_binary(pixels, self._memory)
        else:
            own = self._pixels()
            if own is not pixels and not np.shares_memory(own, pixels):
                own[:] = pixels

    def _check_mutable(self) -> None:
        if self._format in f.COMPRESSED:
            raise ValueError("Expected a mutable image")

    def _check_uncompressed(self) -> None:
        if self._format in f.COMPRESSED:
            raise ValueError("Expected an uncompressed image")

    def _uncompressed(self) -> "Image":
        """The image itself, or the decoded picture of a compressed image."""
        return Image._of(*_files.decode(self._memory.tobytes())) if self._format in f.COMPRESSED else self

    @classmethod
    def _of(cls, pixels: Pixels, pixformat: int) -> "Image":
        made = cls(pixels.shape[1], pixels.shape[0], pixformat)
        made._store(pixels)
        return made

    # ---- methods that Processing calls ----

    def _mask_of(self, value: object) -> npt.NDArray[np.bool_] | None:
        return None if value is None else _to_image(value)._as_mask()

    def _other(self, value: object) -> Pixels:
        """Check that `other` is an image of the same size and format."""
        other = _to_image(value)
        if (other._width, other._height, other._format) != (self._width, self._height, self._format):
            # The firmware reads past the end of a smaller image.
            raise ValueError("difference: expected an image of the same size and format")
        return other._pixels()

    def _copy_of(self, pixels: Pixels, pixformat: int) -> "Image":
        return Image._of(pixels, pixformat)

    def _turn_into_bitmap(self, pixels: Pixels) -> None:
        """Replace the pixels in place. The image now uses less of its memory."""
        size = f.size_of(self._width, self._height, f.BINARY)
        self._bind(self._width, self._height, f.BINARY, self._memory[:size], self._owner)
        self._memory[:] = 0
        self._store(pixels)

    # ---- properties ----

    def width(self) -> int:
        return self._width

    def height(self) -> int:
        return self._height

    def format(self) -> int:
        return self._format

    def size(self) -> int:
        """Size in bytes."""
        return len(self._memory)

    def __buffer__(self, flags: int) -> memoryview:
        """The buffer protocol over the pixels' memory (CPython 3.12 and later)."""
        return self._memory.data

    def bytearray(self) -> "bytearray | memoryview":
        """The pixels' memory, without a copy.

        The camera always returns a bytearray. CPython cannot make one over foreign memory, so this is a memoryview
        if the image is a view of an ndarray or of part of a buffer.
        """
        if isinstance(self._owner, bytearray) and len(self._owner) == len(self._memory):
            return self._owner
        return self._memory.data

    def to_ndarray(self, dtype: int | str, buffer: object = None) -> "ndarray":
        """Copy the pixels to a ulab array: 'B' 0..255, 'b' minus 128, 'f' 0..255.

        The shape is (h, w) for GRAYSCALE and (h, w, 3) for RGB565. `buffer` is the memory of the array.
        """
        from ulab._host import wrap

        if self._format in f.COMPRESSED:
            raise ValueError("Unsupported pixformat")

        code = dtype if isinstance(dtype, int) else ord((str(dtype) + "\0")[0])
        if code not in (ord("b"), ord("B"), ord("f")):
            raise ValueError("Unsupported dtype")
        if self._format == f.BINARY:
            raise ValueError("Unsupported pixformat")
        values: Pixels = self._pixels()
        if self._format == f.RGB565:
            values = np.stack(f.rgb565_to_rgb888(values), axis=-1)
        kind = np.dtype(chr(code))
        if code == ord("b"):
            values = values.astype(np.int16) - np.int16(128)
        values = values.astype(kind)
        if buffer is not None:
            memory = a.to_memory(buffer, writable=True)
            if len(memory) < values.nbytes:
                raise ValueError("Buffer is too small")
            # In ml.preprocessing the image is at the end of the same memory, so `values` has to be a copy.
            target = memory[: values.nbytes].view(kind).reshape(values.shape)
            target[...] = values
            values = target
        return wrap(values)

    def to_pil(self) -> "PilImage.Image":
        """Copy the image to a Pillow image. Only the stand-in has this method."""
        shown = self._uncompressed()
        return _files.to_pil(shown._pixels(), shown._format)

    def save(self, path: str, *, roi: object = None, quality: int = 50) -> "Image":
        if not 1 <= a.to_int(quality) <= 100:
            raise OSError("Error: 1 <= quality <= 100!")
        x, y, w, h = a.to_roi(roi, self._width, self._height)
        shown = self._uncompressed()
        _files.save(shown._pixels()[y : y + h, x : x + w], shown._format, _host.resolve(path), quality)
        return self

    def flush(self) -> None:
        """Do nothing; the camera shows the picture in the IDE."""

    def __repr__(self) -> str:
        name = {**f.NAMES, **f.COMPRESSED_NAMES}[self._format]
        return f'{{"w":{self._width}, "h":{self._height}, "type":"{name}", "size":{self.size()}}}'

    # ---- single pixels ----

    @overload
    def get_pixel(self, xy: Point, /, *, rgbtuple: bool | None = None) -> Any: ...

    @overload
    def get_pixel(self, x: int, y: int, /, *options: Any, **named: Any) -> Any: ...

    def get_pixel(self, xy: Point, /, *, rgbtuple: bool | None = None) -> Any:  # type: ignore[misc]
        """The pixel value, or (r, g, b), which is the default for RGB565. None outside the image."""
        self._check_uncompressed()
        x, y = a.fixed_ints(xy, 2)
        if rgbtuple is None:
            rgbtuple = self._format == f.RGB565
        if not (0 <= x < self._width and 0 <= y < self._height):
            return None
        return self._value(self._pixels()[y, x], rgbtuple)

    def _value(self, pixel: np.generic, rgbtuple: bool) -> Any:
        if not rgbtuple:
            return int(pixel)
        value = np.asarray(pixel)
        if self._format != f.RGB565:
            value = f.gray_to_rgb565(value * np.uint8(255) if self._format == f.BINARY else value)
        return tuple(int(c) for c in f.rgb565_to_rgb888(value))

    @overload
    def set_pixel(self: Self, xy: Point, /, color: Color = None) -> Self: ...

    @overload
    def set_pixel(self: Self, x: int, y: int, /, *options: Any, **named: Any) -> Self: ...

    def set_pixel(self: Self, xy: Point, /, color: Color = None) -> Self:  # type: ignore[misc]
        self._check_uncompressed()
        x, y = a.fixed_ints(xy, 2)
        self._draw(color, lambda c: c.put(x, y))
        return self

    def __len__(self) -> int:
        """Number of rows; for a compressed image the number of bytes."""
        return len(self._memory) if self._format in f.COMPRESSED else self._height

    def __getitem__(self, index: int) -> Any:
        """The pixel with this number, counted along the rows; (r, g, b) for RGB565. For a compressed image, a byte."""
        if self._format in f.COMPRESSED:
            return int(self._memory[self._check(index)])
        y, x = divmod(self._check(index), self._width)
        return self._value(self._pixels()[y, x], self._format == f.RGB565)

    def __setitem__(self, index: int, value: Color) -> None:
        y, x = divmod(self._check(index), self._width)
        color = a.to_int(value) if self._format != f.RGB565 else a.to_color(f.RGB565, list(a.fixed(value, 3)))
        self._draw(color, lambda c: c.put(x, y))

    def _check(self, index: int) -> int:
        if isinstance(index, slice):
            raise NotImplementedError("slices of an image are not in this stand-in")
        index = a.to_int(index)
        count = len(self._memory) if self._format in f.COMPRESSED else self._width * self._height
        if not -count <= index < count:
            raise IndexError("Image index out of range")
        return index % count

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows as lists of raw pixel values; for a compressed image, the bytes."""
        if self._format in f.COMPRESSED:
            return iter(self._memory.tolist())
        return iter(self._pixels().tolist())

    # ---- drawing ----

    def _draw(self, color: Color, shape: Callable[[_shapes.Canvas], None]) -> None:
        self._check_mutable()
        value = a.to_color(self._format, color)
        canvas = _shapes.Canvas(self._pixels(), self._format, value)
        shape(canvas)
        self._store(canvas.pixels)

    def clear(self: Self, *, mask: "Image | None" = None) -> Self:
        """Set all pixels to 0, or only those that are set in the mask."""
        self._check_uncompressed()
        if mask is None:
            self._memory[:] = 0
        else:
            pixels, allowed = self._pixels(), mask._as_mask()
            h, w = min(self._height, mask._height), min(self._width, mask._width)
            pixels[:h, :w][allowed[:h, :w]] = 0
            self._store(pixels)
        return self

    @overload
    def draw_line(self: Self, ends: Point, /, color: Color = None, thickness: int = 1) -> Self: ...

    @overload
    def draw_line(self: Self, x0: int, y0: int, x1: int, y1: int, /, *options: Any, **named: Any) -> Self: ...

    def draw_line(self: Self, ends: Point, /, color: Color = None, thickness: int = 1) -> Self:  # type: ignore[misc]
        """Draw an anti-aliased line (x0, y0, x1, y1)."""
        x0, y0, x1, y1 = a.leading_ints(ends, 4)
        thickness = a.to_int(thickness)
        self._draw(color, lambda c: _shapes.line(c, x0, y0, x1, y1, thickness))
        return self

    @overload
    def draw_rectangle(
        self: Self, rect: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self: ...

    @overload
    def draw_rectangle(self: Self, x: int, y: int, w: int, h: int, /, *options: Any, **named: Any) -> Self: ...

    def draw_rectangle(  # type: ignore[misc]
        self: Self, rect: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self:
        """Draw a rectangle (x, y, w, h)."""
        x, y, w, h = a.leading_ints(rect, 4)
        thickness = a.to_int(thickness)
        self._draw(color, lambda c: _shapes.rectangle(c, x, y, w, h, thickness, bool(fill)))
        return self

    @overload
    def draw_circle(
        self: Self, circle: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self: ...

    @overload
    def draw_circle(self: Self, x: int, y: int, radius: int, /, *options: Any, **named: Any) -> Self: ...

    def draw_circle(  # type: ignore[misc]
        self: Self, circle: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self:
        """Draw an anti-aliased circle (x, y, radius)."""
        x, y, radius = a.leading_ints(circle, 3)
        thickness = a.to_int(thickness)
        self._draw(color, lambda c: _shapes.circle(c, x, y, radius, thickness, bool(fill)))
        return self

    @overload
    def draw_ellipse(
        self: Self, ellipse: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self: ...

    @overload
    def draw_ellipse(self: Self, x: int, y: int, rx: int, ry: int, angle: int, /, *options: Any, **named: Any) -> Self: ...

    def draw_ellipse(  # type: ignore[misc]
        self: Self, ellipse: Point, /, color: Color = None, thickness: int = 1, fill: bool = False
    ) -> Self:
        """Draw an ellipse (x, y, x radius, y radius, rotation in degrees)."""
        x, y, rx, ry, rotation = a.leading_ints(ellipse, 5)
        thickness = a.to_int(thickness)
        self._draw(color, lambda c: _ellipse.ellipse(c, x, y, rx, ry, rotation, thickness, bool(fill)))
        return self

    @overload
    def draw_cross(self: Self, xy: Point, /, color: Color = None, size: int = 5, thickness: int = 1) -> Self: ...

    @overload
    def draw_cross(self: Self, x: int, y: int, /, *options: Any, **named: Any) -> Self: ...

    def draw_cross(self: Self, xy: Point, /, color: Color = None, size: int = 5, thickness: int = 1) -> Self:  # type: ignore[misc]
        x, y = a.fixed_ints(xy, 2)
        size, thickness = a.to_int(size), a.to_int(thickness)
        self._draw(color, lambda c: _shapes.cross(c, x, y, size, thickness))
        return self

    @overload
    def draw_string(
        self: Self,
        xy: Point,
        text: str,
        /,
        color: Color = None,
        scale: float | None = None,
        x_spacing: int = 0,
        y_spacing: int = 0,
        mono_space: bool = True,
        char_rotation: int = 0,
        char_hmirror: bool = False,
        char_vflip: bool = False,
        string_rotation: int = 0,
        string_hmirror: bool = False,
        string_vflip: bool = False,
    ) -> Self: ...

    @overload
    def draw_string(self: Self, xy_text: tuple[int, int, str], /, *options: Any, **named: Any) -> Self: ...

    @overload
    def draw_string(self: Self, x: int, y: int, text: str, /, *options: Any, **named: Any) -> Self: ...

    def draw_string(  # type: ignore[misc]
        self: Self,
        xy: Point,
        text: str,
        /,
        color: Color = None,
        scale: float | None = None,
        x_spacing: int = 0,
        y_spacing: int = 0,
        mono_space: bool = True,
        char_rotation: int = 0,
        char_hmirror: bool = False,
        char_vflip: bool = False,
        string_rotation: int = 0,
        string_hmirror: bool = False,
        string_vflip: bool = False,
    ) -> Self:
        """Draw text in cells of 8x10 pixels times `scale`; the top left corner is `xy`."""
        x, y = a.fixed_ints(xy, 2)
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"can't convert '{a.kind(text)}' object to str implicitly")
        if any((char_rotation, char_hmirror, char_vflip, string_rotation, string_hmirror, string_vflip)):
            raise NotImplementedError("rotated and mirrored text is not in this stand-in")
        string = (text.decode("latin-1") if isinstance(text, bytes) else text).split("\0")[0]  # as in C
        factor = np.float32(1) if scale is None else a.to_float(scale)
        if factor <= 0:
            raise OSError("Error: 0 < scale!")
        x_spacing, y_spacing = a.to_int(x_spacing), a.to_int(y_spacing)
        self._draw(color, lambda c: _text.text(
            c.pixels, x, y, string, c.color, factor, x_spacing, y_spacing, bool(mono_space)))
        return self

    def draw_image(
        self: Self,
        image: "Image | str | Color",
        x: int = 0,
        y: int = 0,
        *,
        x_scale: float | None = None,
        y_scale: float | None = None,
        roi: object = None,
        rgb_channel: int = -1,
        alpha: int = 255,
        color_palette: "Image | int | None" = None,
        alpha_palette: "Image | int | None" = None,
        hint: int = 0,
        transform: object = None,
        mask: "Image | str | None" = None,
    ) -> Self:
        """Draw another image, scaled, blended and colored; an int or (r, g, b) fills the whole image.

        Palettes are images of 256 pixels, RGB565 for colors, GRAYSCALE for alpha. Pixels are interpolated before the
        palette is applied, so a gray image of logits drawn BILINEAR with a step in its alpha palette has a smooth edge.
        """
        x, y, hint = a.to_int(x), a.to_int(y), a.to_int(hint)
        if isinstance(image, (int, tuple, list)):
            hint |= f.SCALE_ASPECT_IGNORE
            source = self._one_pixel(image)
        else:
            source = _to_image(image)
        self._draw_image(
            source, x, y, x_scale, y_scale, roi, rgb_channel, alpha, color_palette, alpha_palette, hint,
            transform, None if mask is None else _to_image(mask)._as_mask(), False)
        return self

    def _one_pixel(self, color: Color) -> "Image":
        """A color as an image of one pixel. For gray images, a tuple is converted from its full 8 bits."""
        pixel = Image(1, 1, self._format)
        if isinstance(color, int):
            value = a.to_int(color)
        else:
            rgb = [np.array(min(max(c, 0), 255)) for c in a.fixed_ints(color, 3)]
            if self._format == f.RGB565:
                value = int(f.rgb888_to_rgb565(*rgb))
            else:
                gray = int(f.rgb888_to_gray(*rgb))
                value = int(gray > 127) if self._format == f.BINARY else gray
        return pixel.set_pixel((0, 0), value)

    def _as_mask(self) -> npt.NDArray[np.bool_]:
        pixels = self._pixels()
        if self._format == f.RGB565:
            pixels = f.rgb565_to_gray(pixels)
        mask: npt.NDArray[np.bool_] = pixels > (0 if self._format == f.BINARY else 127)
        return mask

    def _draw_image(
        self, source: "Image", x: int, y: int, x_scale: object, y_scale: object, roi: object,
        rgb_channel: int, alpha: int, color_palette: object, alpha_palette: object, hint: int,
        transform: object, mask: npt.NDArray[np.bool_] | None, black: bool,
    ) -> None:
        region = a.to_roi(roi, source._width, source._height)
        if not -1 <= a.to_int(rgb_channel) <= 2:
            raise ValueError("RGB channel can be 0, 1, or 2")
        if not 0 <= a.to_int(alpha) <= 255:
            raise ValueError("Alpha ranges between 0 and 255")
        scales = a.to_scales(x_scale, y_scale)
        colors = _to_palette(color_palette, f.RGB565)
        alphas = _to_palette(alpha_palette, f.GRAYSCALE)
        if transform is not None:
            raise NotImplementedError("draw_image: transform is not in this stand-in")
        pixels = self._pixels()
        source = source._uncompressed()
        draw_image(
            pixels, self._format, source._pixels(), source._format, x, y, *scales, region,
            rgb_channel=rgb_channel, alpha=alpha, color_palette=colors, alpha_palette=alphas, hint=hint,
            mask=mask, black_background=black)
        self._store(pixels)

    # ---- conversions ----

    def _to(
        self, pixformat: int, default_palette: int | None, copy: bool, x_scale: object = None,
        y_scale: object = None, roi: object = None, rgb_channel: int = -1, alpha: int = 255,
        color_palette: object = None, alpha_palette: object = None, hint: int = 0,
        transform: object = None, copy_to_fb: bool = False, quality: int = 90, subsampling: int = 0,
    ) -> "Image":
        if not 1 <= a.to_int(quality) <= 100:
            raise ValueError("Quality ranges between 0 and 100")
        if pixformat in f.COMPRESSED:
            plain = (x_scale, y_scale, roi, rgb_channel, alpha, color_palette, alpha_palette, hint, transform)
            source = self if pixformat == self._format else self._uncompressed()
            if plain != (None, None, None, -1, 255, None, None, 0, None):
                # A region or a scaled image. Colors are converted through RGB565.
                source = self._uncompressed()
                gray = source._format == f.GRAYSCALE or source._format == f.BINARY
                source = source._to(f.GRAYSCALE if gray else f.RGB565, None, True, x_scale, y_scale, roi, rgb_channel, alpha,
                                    color_palette, alpha_palette, hint, transform)
            return self._compressed(source, pixformat, copy or copy_to_fb, quality, a.to_int(subsampling))
        if color_palette is None:
            color_palette = default_palette
        region = a.to_roi(roi, self._width, self._height)
        scales = a.to_scales(x_scale, y_scale)
        width = int(np.floor(np.float32(region[2]) * scales[0]))
        height = int(np.floor(np.float32(region[3]) * scales[1]))
        result = Image(width, height, pixformat)
        hint &= ~(f.CENTER | f.SCALE_ASPECT_KEEP | f.SCALE_ASPECT_EXPAND | f.SCALE_ASPECT_IGNORE)
        result._draw_image(self, 0, 0, x_scale, y_scale, roi, rgb_channel, alpha, color_palette,
                           alpha_palette, hint, transform, None, True)
        if copy or copy_to_fb:
            return result
        if result.size() <= self.size():
            # In place: the image may now use less of its memory.
            self._memory[: result.size()] = result._memory
            self._bind(width, height, pixformat, self._memory[: result.size()], self._owner)
        elif self._in_frame_buffer:
            self._bind(width, height, pixformat, result._memory, result._owner)
        else:
            raise OSError("The image doesn't fit in the frame buffer!")
        return self

    def _compressed(self, source: "Image", pixformat: int, copy: bool, quality: int, subsampling: int) -> "Image":
        if source._format == pixformat:
            data = source._memory.tobytes()
        else:
            data = _files.encode(source._pixels(), source._format, pixformat, quality, subsampling)
        owner = bytearray(data)
        memory = np.frombuffer(owner, dtype=np.uint8)
        result = Image(1, 1, f.GRAYSCALE) if copy else self
        if not copy and len(data) > len(self._memory) and not self._in_frame_buffer:
            raise OSError("The image doesn't fit in the frame buffer!")
        result._bind(source._width, source._height, pixformat, memory, owner)
        return result

    def to_jpeg(self, *, quality: int = 90, subsampling: int = 0, copy: bool = False, **options: Any) -> "Image":
        """Compress to JPEG, in place unless `copy`. bytearray() returns the file and size() its number of bytes.

        subsampling: image.JPEG_SUBSAMPLING_AUTO, _444, _422 or _420. Pillow writes the file, so its bytes differ from the
        camera's.
        """
        return self._to(f.JPEG, None, copy, quality=quality, subsampling=subsampling, **options)

    compress = to_jpeg

    def to_png(self, *, copy: bool = False, **options: Any) -> "Image":
        """Compress to PNG; see to_jpeg()."""
        return self._to(f.PNG, None, copy, **options)

    def copy(self, *, copy: bool = True, **options: Any) -> "Image":
        """Copy the image; roi, x_scale, y_scale and the other options select a region or scale it."""
        return self._to(self._format, None, copy, **options)

    def crop(self, *, copy: bool = False, **options: Any) -> "Image":
        return self._to(self._format, None, copy, **options)

    scale = crop

    def to_bitmap(self, *, copy: bool = False, **options: Any) -> "Image":
        return self._to(f.BINARY, None, copy, **options)

    def to_grayscale(self, *, copy: bool = False, **options: Any) -> "Image":
        return self._to(f.GRAYSCALE, None, copy, **options)

    def to_rgb565(self, *, copy: bool = False, **options: Any) -> "Image":
        """Convert in place for a camera frame only: other images cannot grow."""
        return self._to(f.RGB565, None, copy, **options)

    def to_rainbow(self, *, copy: bool = False, **options: Any) -> "Image":
        return self._to(f.RGB565, PALETTE_RAINBOW, copy, **options)

    def to_ironbow(self, *, copy: bool = False, **options: Any) -> "Image":
        return self._to(f.RGB565, PALETTE_IRONBOW, copy, **options)


def _from_floats(array: Pixels) -> tuple[Pixels, int]:
    """Convert floats to bytes: rounded half to even and clamped to 0..255; NaN becomes 0."""
    if array.dtype != np.float32:
        raise ValueError("Expected a ndarray with dtype float")
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] == 3):
        raise ValueError("Expected a ndarray with shape (height, width) or (height, width, 3)")
    values = np.nan_to_num(array, nan=0, posinf=255, neginf=0)
    values = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    if array.ndim == 2:
        return values, f.GRAYSCALE
    return f.rgb888_to_rgb565(values[..., 0], values[..., 1], values[..., 2]), f.RGB565


def _to_image(value: object) -> Image:
    if isinstance(value, Image):
        return value
    if isinstance(value, str):
        return Image(value)
    raise TypeError(f"Can't convert {a.kind(value)} to Image")


def _to_palette(value: object, pixformat: int) -> Any:
    """The 256 entries of a palette: an image or one of the PALETTE_ constants."""
    if value is None:
        return None
    if isinstance(value, int):
        if value not in TABLES:
            raise ValueError("Invalid color palette")
        # The firmware would read the bytes of the color table as an alpha palette.
        table = TABLES[value]
        return table if pixformat == f.RGB565 else table.view(np.uint8)[:256]
    palette = value if isinstance(value, Image) else None
    if palette is None:
        raise TypeError(f"Can't convert {a.kind(value)} to Image")
    if palette.format() != pixformat:
        raise ValueError("Unexpcted color palette format")
    if palette.width() * palette.height() != 256:
        raise ValueError("Color palette must be 256 pixels")
    return palette._pixels().reshape(-1)
