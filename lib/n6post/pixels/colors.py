"""Colors and pixel formats: checks and conversions, the colors of classes, and images over a frame's pixels."""

from micropython import const

# The cells of the firmware's font, pixels.
FONT_WIDTH = const(8)
FONT_HEIGHT = const(10)

NO_TRACK = (255, 255, 255)  # color_by="track": the color of a detection without a track

# Twenty colors that are easy to distinguish on a camera's screen, r, g, b each. Class n has color n modulo 20.
_COLORS = (
    b"\xe6\x19\x4b\x3c\xb4\x4b\xff\xe1\x19\x43\x63\xd8\xf5\x82\x31\x91\x1e\xb4\x42\xd4\xf4\xf0\x32\xe6\xbf\xef\x45\xfa\xbe\xd4"
    b"\x46\x99\x90\xdc\xbe\xff\x9a\x63\x24\xff\xfa\xc8\x80\x00\x00\xaa\xff\xc3\x80\x80\x00\xff\xd8\xb1\x00\x00\x75\xa9\xa9\xa9"
)

_depths = {}  # by format: bytes per pixel; from the first use on


def class_color(class_id):
    """(r, g, b), 0..255 each, for the number of a class, of a track, or of an item in a list."""
    at = class_id % 20 * 3
    return _COLORS[at], _COLORS[at + 1], _COLORS[at + 2]


def checked_color(color):
    """color (r, g, b) as a tuple; ValueError for anything else."""
    kind, whole = type, int  # a camera takes 500 instructions to find a built-in name
    if kind(color) is tuple and len(color) == 3:
        r, g, b = color
        if kind(r) is whole and kind(g) is whole and kind(b) is whole and 0 <= r <= 255 and 0 <= g <= 255 and 0 <= b <= 255:
            return color
    return _checked_color(color)  # lists and errors


def _checked_color(color):
    if not isinstance(color, (list, tuple)) or len(color) != 3 or [c for c in color if not isinstance(c, int)]:
        raise ValueError("color: expected (r, g, b), got %r" % (color,))
    if min(color) < 0 or max(color) > 255:
        raise ValueError("color: expected r, g and b from 0 to 255, got %r" % (color,))
    return tuple(color)


def rgb565(color):
    """color (r, g, b) as the 16 bits of an RGB565 pixel."""
    r, g, b = color
    return (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3


def depth_of(img, purpose=" to draw on"):
    """The bytes per pixel: 2 of an RGB565 image, 1 of a GRAYSCALE image. ValueError for any other, which names `purpose`."""
    try:
        return _depths[img.format()]
    except Exception:  # camera: memory-error: tried again; a tuple of errors would make this function allocate its variables
        return _depth_of(img, purpose)


def _depth_of(img, purpose):
    import image

    _depths.update({image.RGB565: 2, image.GRAYSCALE: 1})
    try:
        pixformat = img.format()
    except (AttributeError, TypeError):
        raise ValueError("img: expected an image%s, got %s" % (purpose, type(img).__name__)) from None
    if pixformat not in _depths:
        raise ValueError("expected an RGB565 or GRAYSCALE image%s, got %s" % (purpose, img)) from None  # names its format
    return _depths[pixformat]


def target_of(img):
    """(pixels, bytes of a pixel, width, height) of a picture to draw on. ValueError for another format."""
    depth = depth_of(img)
    return img.bytearray(), depth, img.width(), img.height()


def canvas(pixels, depth, width, height):
    """An Image over the pixels of a frame, without a copy."""
    import image

    return image.Image(width, height, image.RGB565 if depth == 2 else image.GRAYSCALE, buffer=pixels)


def gray(pixels, width, height):
    """A GRAYSCALE Image over these bytes, without a copy."""
    import image

    return image.Image(width, height, image.GRAYSCALE, buffer=pixels)


def step_palettes(color):
    """Palettes for draw_image: 256 times one RGB565 color, and an alpha that steps from 0 to 255 at 128. They are cached."""
    import image

    if color not in _palettes:
        if len(_palettes) > 16:
            _palettes.clear()
        # RGB565 for a GRAYSCALE frame too: the firmware accepts nothing else.
        colors = bytearray(bytes((color & 255, color >> 8)) * 256)
        alphas = bytearray(bytes(128) + b"\xff" * 128)
        _palettes[color] = image.Image(256, 1, image.RGB565, buffer=colors), gray(alphas, 256, 1)
    return _palettes[color]


_palettes = {}  # making them costs as much as drawing 2,000 pixels


def text_scale(width):
    """The scale of text in a frame of this width: 2 from VGA on, where the font would be too small to read."""
    return 2 if width >= 480 else 1


def copy_rows(source, at, stride, target, to, target_stride, width, height):
    """Copy `height` rows of `width` bytes from a buffer with one stride into a buffer with another."""
    # Through slices of memoryviews, each assigned as a whole. An assignment to a part of a bytearray moves everything after
    # that part too: 210 to 820 instructions per pixel of 320 x 320, depending on alignment, instead of 11.
    source = memoryview(source)
    target = memoryview(target)
    for _ in range(height):
        target[to : to + width][:] = source[at : at + width]
        at += stride
        to += target_stride
