"""Where one OpenMV firmware does a thing otherwise than the next: found out by trying it, once, and kept.

Their numbers do not tell: for four months development builds had 5 for a version and still the ways of 4.8.
"""

_found = {}  # what has been tried, and what came of it


def stretches():
    """Whether a plain image is stretched into the model's input, as by 5.0; 4.8.1 cuts out its middle."""
    if "stretches" not in _found:
        told = _try_input()
        if told is None:
            return _claims_5()  # for now: where the firmware refused this one call, the next try tells
        _found["stretches"] = told
    return _found["stretches"]


def _try_input():
    # None where the attempt itself came to nothing.
    try:
        import image
        from ml.preprocessing import Normalization

        # 64 pixels in a row, the middle half of them black, into 8: the white ends arrive only where all is stretched.
        # BINARY pixels are drawn by the CPU: the graphics unit drops whole lines of the cache, which these few bytes share.
        row = image.Image(64, 1, image.BINARY, buffer=bytearray(b"\xff\xff\0\0\0\0\xff\xff"))
        tensor = bytearray(8)
        Normalization()(row)(tensor, (1, 1, 8, 1), 66)  # uint8
        return tensor[0] > 127
    except ImportError:
        return _claims_5()
    except (AttributeError, TypeError, ValueError, OSError):
        return None


def _claims_5():
    # Where there is no `ml` to try, or another one than OpenMV's.
    try:
        import omv

        return omv.version_major >= 5
    except (ImportError, AttributeError):
        return True


def text_apart():
    """Whether draw_string takes (x, y), text, as in 5.0; 4.8.1 takes (x, y, text).

    Whoever writes asks once and has both calls: a function for them would make every label dearer.
    """
    if "text" not in _found:
        _found["text"] = _try_text()
    return _found["text"]


def _try_text():
    import image

    img = image.Image(1, 1, image.GRAYSCALE)
    try:
        img.draw_string((0, 0), "")
        return True
    except (TypeError, ValueError):
        # As 4.8.1 takes it. What refuses this too has told nothing, and nothing is kept.
        img.draw_string((0, 0, ""))  # type: ignore[call-arg, arg-type]
        return False
