"""Mask: the pixels of one object.

A mask consists of bytes at the resolution of the prototypes, with the threshold at 128, and the transform to frame pixels.
The bytes are scaled logits: bilinear interpolation and a threshold of 128 give the smooth edge of the upsampled logits.
"""

from ..kernels.params import boxes as params
from ..tensors.lazy import later


class MaskTransform:
    """From mask pixels to frame pixels: frame = mask * scale + offset. Shared by the masks of a frame.

    bounds      (x, y, w, h): the part of the frame that the network saw
    margin      (x, y): frame pixels by which masks reach beyond their boxes
    frame_size  (width, height) of the whole frame, or None
    """

    def __init__(self, sx, ox, sy, oy, bounds, margin=(0, 0), frame_size=None):
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy
        self.bounds = bounds
        self.margin = margin
        self.frame_size = frame_size
        self.block = None  # parameters of clip_mask and tint_mask, once a mask is drawn
        self.edges = None  # pixel_edges.mask_edges, once they are needed
        self.measures = None  # parameters of measure_mask, likewise


class Mask:
    """The pixels of one object.

    data        bytes, a bytearray or a memoryview: h rows of w pixels of the window; 128 and more is inside
    window      (x, y, w, h) in mask pixels: the crop, and neighbors for interpolation if there are any
    crop        (x, y, w, h) in mask pixels: the part that belongs to the object's box
    clip        (x, y, w, h) in frame pixels: nothing is drawn outside
    transform   a MaskTransform

    ValueError for data of another type or size than the window's, and for a crop that is not inside the window.
    """

    _entry = None  # type: tuple  # of a FrameMask, which has one

    def __init__(self, data, window, crop, clip, transform):
        # One attribute: an instance grows its table at the 1st, 2nd, 3rd and 5th, and searches the heap each time.
        self._given = _checked_parts(data, window, crop, clip, transform)

    def _parts(self):
        """(data, window, crop, clip, transform), as the constructor takes them."""
        return self._given

    def _row(self):
        """(data, table, entry, transform): this mask's row of a table as the kernels read it, and where it begins."""
        return row_of(self._parts())

    @property
    def area(self):
        """The number of frame pixels that the object `contains`, in a frame of fewer than 2^31."""
        return later.results_mask_measures.area(self)

    @property
    def centroid(self):
        """The mean (x, y) of the frame pixels that the object `contains`, as the ints of a pixel; None for an empty mask."""
        return later.results_mask_measures.centroid(self)

    @property
    def rect(self):
        """(x, y, w, h), ints, frame pixels: the bounding box of the mask; None for an empty mask.

        It ends where the interpolated logits cross the threshold, as in `draw`. (`draw` may tint less than half a mask pixel
        beyond the box; that does not count here, nor in `area`.)
        """
        return later.results_mask_measures.rect(self)

    def contains(self, x, y=None):
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object, as the mask pixel under its center does."""
        pixel = x if y is None else (x, y)
        try:
            return later.results_mask_geometry.contains(pixel, *self._parts())
        except (TypeError, ValueError):
            from ..tensors.errors import pixel_refused

            raise pixel_refused("contains", (pixel,) if y is None else pixel) from None

    @property
    def image(self):
        """The crop as a GRAYSCALE image at mask resolution, inside from 128 up; None for an empty crop."""
        return later.drawing_mask_image.crop_image(self)

    def to_image(self, width=None, height=None):
        """A GRAYSCALE image of the frame's size: 255 where `draw` tints, 0 elsewhere.

        For `mask=` of the firmware's own functions. With a width and a height the frame is scaled to that size. It takes one
        byte of heap for each pixel, 307 KB for VGA: keep it, or pass a smaller size. ValueError for one of them alone, and
        without them where the frame's size is not known.
        """
        return later.drawing_mask_image.to_image(self, width, height)

    def mean_color(self, img):
        """The mean color (r, g, b) of the object's pixels, ints from 0 to 255; None for an empty mask.

        img     the frame, RGB565 or GRAYSCALE, whose three numbers are equal. A picture of another size is treated as the
                frame, scaled

        The object's pixels are those that it `contains`, their colors those that the firmware's get_pixel returns.
        ValueError for a picture of another aspect ratio, as for `n6post.draw`.
        """
        return later.results_mask_colors.mean_color(self, img)

    def statistics(self, img):
        """The colors of the object's pixels: a named tuple (mean, stdev, min, max), each (r, g, b), ints from 0 to 255.

        img     the frame, as for `mean_color`

        stdev is the standard deviation; min and max are those of each channel. None for an empty mask.
        """
        return later.results_mask_colors.statistics(self, img)

    def fill_outside(self, img, *, color=(0, 0, 0), roi=None):
        """Paint everything in `img` (RGB565 or GRAYSCALE) but the object with color (r, g, b), and return img.

        img     the frame. A picture of another size is treated as the frame, scaled
        color   (r, g, b)
        roi     (x, y, w, h): the part of the frame that `img` shows, a crop, which may be scaled; None: all of it

        The object's pixels are those that `draw` tints. ValueError for a picture of another aspect ratio, as for
        `n6post.draw`, and for a roi outside of the frame.
        """
        return later.drawing_mask_image.fill_outside(self, img, color, roi)

    def iou(self, other):
        """The overlap with another Mask, 0..1: intersection over union; 0 where both are empty.

        Masks of one model with the same transform are compared mask pixel by mask pixel, even if they are of two frames.
        Otherwise the mask with the larger pixels is sampled at the pixel centers of the other, only in the part of the frame
        that both networks saw: an object that two overlapping tiles cut in two is compared in the part that both have.
        ValueError for anything but a Mask.
        """
        if not isinstance(other, Mask):
            raise ValueError("iou: expected a Mask, got %s" % type(other).__name__)
        return later.results_mask_iou.iou(self, other)

    def draw(self, img, *, color=(255, 0, 0), alpha=128, antialias=None):
        """Tint the object in `img` (RGB565 or GRAYSCALE) with color (r, g, b) and alpha 0..255, and return img.

        antialias=False draws blocks of mask pixels with plain draw_image, for which the N6 uses its GPU: the pixels that the
        object `contains`, but the edges of a block may be off by a frame pixel. None chooses as `n6post.draw` does. A
        picture of another size than the frame is treated as the frame, scaled. ValueError for one of another aspect ratio,
        as for `n6post.draw`.
        """
        later.drawing_masks.draw_mask(img, self, color, alpha, antialias)
        return img

    def outline(self):
        """The outer contour of the object's largest part: frame pixels (x, y), clockwise, without repeating the first.

        Each point lies between a pixel inside and its neighbor outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes.
        """
        return later.results_mask_geometry.outline(*self._parts())

    def __reduce__(self):
        # For pickle and copy on a PC, which take no memoryview. The copy has its own bytes.
        data, window, crop, clip, transform = self._parts()
        return Mask, (bytes(data), window, crop, clip, transform)


def row_of(parts):
    """Mask._row of a mask of these parts."""
    data, (wx, wy, ww, wh), (crop_x, crop_y, crop_w, crop_h), (x, y, w, h), transform = parts
    left, top, _, _ = transform.bounds
    mx, my = transform.margin  # which the kernels add again
    table = later.kernels_params_drawing.row(
        x - left + mx, y - top + my, w - 2 * mx, h - 2 * my,
        crop_x0=crop_x, crop_y0=crop_y, crop_x1=crop_x + crop_w, crop_y1=crop_y + crop_h,
        window_x=wx, window_y=wy, window_w=ww, window_h=wh,
    )  # fmt: skip
    return data, table, 0, transform


def _checked_parts(data, window, crop, clip, transform):
    try:
        (wx, wy, ww, wh), (x, y, w, h), (_, _, _, _) = window, crop, clip
        sum(window) + sum(crop) + sum(clip)  # TypeError if these are not numbers
    except (TypeError, ValueError):
        got = "window, crop and clip: expected (x, y, w, h) each, got %r, %r and %r" % (window, crop, clip)
        raise ValueError(got) from None
    if getattr(transform, "bounds", None) is None:
        raise ValueError("transform: expected a MaskTransform, got %s" % type(transform).__name__)
    # Arrays are refused: a kernel cannot read a strided view of one.
    if not isinstance(data, (bytes, bytearray, memoryview)) or min(ww, wh) < 0 or len(data) != ww * wh:
        raise ValueError("data: expected %d x %d bytes, a bytearray or a memoryview, got %s" % (ww, wh, type(data).__name__))
    if max(ww, wh) > 65535:
        # ulab would never return.
        raise ValueError("window: expected at most 65535 mask pixels a side, got %d x %d" % (ww, wh))
    # An empty crop may be anywhere: that of a box between two mask pixels has no window.
    if min(w, h) < 0 or w * h and (x < wx or y < wy or x + w > wx + ww or y + h > wy + wh):
        raise ValueError("crop: expected one inside the window %s, got %s" % (window, crop))
    if not w * h:
        # Otherwise pixels beside an empty crop would be drawn, and ulab would read past the end of an empty slice.
        data, window = b"", (wx, wy, 0, 0)
    return data, window, crop, clip, transform


class FrameMask(Mask):
    """One of the masks of a frame. It is unpacked only when a script uses it.

    shared  (table, data, transform) of all masks of the frame: the parameter block of prototype_mask, which has the rows
            of the table in it, and the bytes of all masks
    entry   the entry of the table where this mask's row begins
    """

    def __init__(self, shared, entry):
        self._entry = shared, entry

    def _parts(self):
        (table, data, transform), entry = self._entry
        row = table[entry : entry + params.ROW]
        x, y, w, h, _, _, _, crop_x0, crop_y0, crop_x1, crop_y1, window_x, window_y, window_w, window_h, start = row
        left, top, width, height = transform.bounds
        mx, my = transform.margin
        x_low = max(0, x - mx)
        y_low = max(0, y - my)
        return (
            data[start : start + window_w * window_h],
            (window_x, window_y, window_w, window_h),
            (crop_x0, crop_y0, crop_x1 - crop_x0, crop_y1 - crop_y0),
            (left + x_low, top + y_low, min(width, x + w + mx) - x_low, min(height, y + h + my) - y_low),
            transform,
        )

    def _row(self):
        (table, data, transform), entry = self._entry
        return data, table, entry, transform
