"""What one OpenMV firmware does otherwise than another. draw_string, which 5.0 calls otherwise, is called here only.

A difference is tried once, and the result is kept. Version numbers do not show it: for four months development builds with
version 5 behaved like 4.8. The scaling of draw_image, which is the same in all of them, is in inputs/firmware_scaling.py.
"""

_results = {}  # results of the trials so far


def stretches_plain_image():
    """Whether a plain image is stretched to the model's input, as in 5.0. In 4.8.1 its middle is cut out."""
    if "stretches" not in _results:
        result = _try_input()
        if result is None:
            return _claims_5()  # only this time: the trial failed, and is repeated next time
        _results["stretches"] = result
    return _results["stretches"]


def _try_input():
    # None if the trial itself failed.
    try:
        import image
        from ml.preprocessing import Normalization

        # 64 pixels in a row, of which the middle half is black, become 8. The white ends stay only if the row is stretched.
        # BINARY pixels are drawn by the CPU. The graphics unit would invalidate whole cache lines with other data in them.
        row = image.Image(64, 1, image.BINARY, buffer=bytearray(b"\xff\xff\0\0\0\0\xff\xff"))
        tensor = bytearray(8)
        Normalization()(row)(tensor, (1, 1, 8, 1), 66)  # uint8
        return tensor[0] > 127
    except ImportError:
        return _claims_5()
    except (AttributeError, TypeError, ValueError, OSError):
        return None


def _claims_5():
    # For a firmware without OpenMV's `ml`.
    try:
        import omv

        return omv.version_major >= 5
    except (ImportError, AttributeError):
        return True


def draw_text(img, x, y, text, color, scale):
    """Write a text whose upper left corner is frame pixel (x, y).

    color   (r, g, b)
    scale   1 to 8: a line takes FONT_HEIGHT * scale pixels, and text_width(text) * scale (pixels/text.py)
    """
    if draw_string_takes_xy_tuple():
        img.draw_string((x, y), text, color=color, scale=scale, mono_space=False)
    else:
        img.draw_string((x, y, text), color=color, scale=scale, mono_space=False)


def draw_string_takes_xy_tuple():
    """Whether draw_string takes (x, y), text, as in 5.0. In 4.8.1 it takes (x, y, text)."""
    if "text" not in _results:
        _results["text"] = _try_text()
    return _results["text"]


def _try_text():
    import image

    img = image.Image(1, 1, image.GRAYSCALE)
    try:
        img.draw_string((0, 0), "")
        return True
    except (TypeError, ValueError):
        # The form of 4.8.1. If this fails too, no result is kept.
        img.draw_string((0, 0, ""))  # type: ignore[call-arg, arg-type]
        return False


def picture_of(source):
    """The image that a model input is made of; None if it shows none."""
    picture = getattr(source, "_image", None)  # of the firmware's Normalization
    return getattr(source, "image", None) if picture is None else picture  # of Stretch, Crop and Letterbox


def value_of(result, name):
    """An attribute of a result of the image module, which is a method in 4.8.1. None if there is none."""
    value = getattr(result, name, None)
    return value() if callable(value) else value
