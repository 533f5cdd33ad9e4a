"""What a script asks of a `Mask`: loaded at the first question, for a quiet frame asks none."""

from .contour import area, area_and_centroid, centroid, contains, outline, rect


def parts(data, window, crop, clip, grid):
    """What a Mask is made of, or ValueError."""
    try:
        (wx, wy, ww, wh), (x, y, w, h), (_, _, _, _) = window, crop, clip
        sum(window) + sum(crop) + sum(clip)  # of numbers
    except (TypeError, ValueError):
        said = "window, crop and clip: expected (x, y, w, h) each, got %r, %r and %r" % (window, crop, clip)
        raise ValueError(said) from None
    if getattr(grid, "bounds", None) is None:
        raise ValueError("grid: expected a Grid, got %s" % type(grid).__name__)
    # No arrays: of a view of one, a kernel would get another address than that of its bytes.
    if not isinstance(data, (bytes, bytearray, memoryview)) or min(ww, wh) < 0 or len(data) != ww * wh:
        raise ValueError("data: expected %d x %d bytes, a bytearray or a memoryview, got %s" % (ww, wh, type(data).__name__))
    # An empty crop has no place: one of a frame's own, of a box between two mask pixels, lies where no window is.
    if min(w, h) < 0 or w * h and (x < wx or y < wy or x + w > wx + ww or y + h > wy + wh):
        raise ValueError("crop: expected one inside the window %s, got %s" % (window, crop))
    if not w * h:
        # Else what lies beside an empty crop would be drawn, and ulab would read past the end of a slice of nothing.
        data, window = b"", (wx, wy, 0, 0)
    return data, window, crop, clip, grid


class Shape:
    """What the Mask that it is made of (`mask`) answers."""

    _kind = None  # the class Mask, which mask.py puts here: imported from there, it would import in a circle

    def __init__(self, mask):
        self.mask = mask

    @property
    def crop(self):
        """(x, y, w, h) of the object's crop in mask pixels."""
        return self.mask.parts()[2]

    @property
    def area(self):
        """The object's size: how many frame pixels it `contains`."""
        return area(*self.mask.parts())

    @property
    def centroid(self):
        """The frame pixel (x, y) in the middle of those that the object `contains`, ints; None where there is none."""
        return centroid(*self.mask.parts())

    @property
    def _area_and_centroid(self):
        return area_and_centroid(*self.mask.parts())

    @property
    def rect(self):
        """(x, y, w, h), ints, frame pixels: the smallest rectangle around what is inside; None for an empty mask.

        It ends where the logits between two mask pixels cross the threshold, as what `draw` tints does. (What pixels beyond
        the box tint within half a mask pixel of its edge is not counted, as it is not in `area`.)
        """
        return rect(*self.mask.parts())

    def contains(self, x, y=None):
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object: whether the mask pixel under its centre does."""
        if y is None:
            x, y = x
        return contains(x, y, *self.mask.parts())

    @property
    def image(self):
        """The crop as a GRAYSCALE image at mask resolution, 128 and more inside; None for an empty crop."""
        data, (wx, wy, ww, _), (x, y, w, h), _, _ = self.mask.parts()
        if not data:
            return None
        from .pixels import copy_rows, gray

        pixels = bytearray(w * h)
        copy_rows(data, (y - wy) * ww + x - wx, ww, pixels, 0, w, w, h)
        return gray(pixels, w, h)

    def to_image(self, width=None, height=None):
        """A GRAYSCALE image of the frame's size, 255 inside and 0 outside: what `draw` tints, at its place in the frame.

        For `mask=` of the firmware's own functions. A width and a height make it that large, with the frame scaled to it;
        ValueError for one of them alone, and without them where the frame's size is not known.
        """
        from .cutting import to_image

        return to_image(self.mask, width, height)

    def cut_out(self, img, color=(0, 0, 0)):
        """Paint all of `img` (RGB565 or GRAYSCALE) but the object with color (r, g, b), and return img.

        What stays is what `draw` tints. A picture of another size than the frame is taken for the frame, scaled.
        """
        from .cutting import cut_out

        return cut_out(self.mask, img, color)

    def iou(self, other):
        """The overlap with another Mask, 0..1: intersection over union; 0 where both are empty.

        Masks of one model and one way into the frame are counted mask pixel by mask pixel, also those of two frames. Of any
        others the one with the larger mask pixels is asked at the middles of the other's, and only where both networks saw
        the frame: so a thing that two overlapping tiles cut in two is told by its part in both. ValueError for what is no
        Mask.
        """
        if not isinstance(other, self._kind):
            raise ValueError("iou: expected a Mask, got %s" % type(other).__name__)
        from .overlap import iou

        return iou(self.mask, other)

    def draw(self, img, color=(255, 0, 0), alpha=128, smooth=None):
        """Tint the object in `img` (RGB565 or GRAYSCALE) with color (r, g, b) and alpha 0..255, and return img.

        smooth=False draws blocks of mask pixels with plain draw_image instead, which on the N6 goes to the GPU: what the
        object `contains`, but that the edges of a block may lie a frame pixel beside. None chooses as `n6post.draw` does. A
        picture of another size than the frame is taken for the frame, scaled.
        """
        from .painting import draw_mask

        draw_mask(img, self.mask, color, alpha, smooth)
        return img

    def outline(self):
        """The outer contour of the object's largest part: a list of frame pixels (x, y), clockwise, closed by its first.

        Each point lies between a pixel inside and its neighbour outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes.
        """
        return outline(*self.mask.parts())
