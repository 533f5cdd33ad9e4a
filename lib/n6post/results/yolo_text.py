"""`to_yolo`: detections as the text of a YOLO label file, for training on frames that a camera has saved."""


def to_yolo(detections):
    """Detections as the text of a label file in YOLO's format: a line "class cx cy w h" for each box.

    cx, cy, w and h are the box's center and size as fractions of the frame's, with 6 decimals. Boxes are clipped to the
    frame; one outside of it has no line. Ultralytics reads the text from a file with the name of the picture and .txt:

        with open("/sdcard/00001.txt", "w") as file:
            file.write(n6post.to_yolo(detections))

    The text is the same on a camera and on a PC. ValueError for a detection that does not know its `frame_size`, and for
    anything but a list of Detection.
    """
    lines = []
    try:
        for d in detections:
            if d.frame_size is None:
                raise ValueError("frame_size: expected (width, height), got None for %r" % (d,))
            x, y, w, h = d.rect
            width, height = d.frame_size
            left, top, right, bottom = max(x, 0), max(y, 0), min(x + w, width), min(y + h, height)
            if left < right and top < bottom:
                center = _fraction(left + right, 2 * width), _fraction(top + bottom, 2 * height)
                size = _fraction(right - left, width), _fraction(bottom - top, height)
                lines.append("%d %s %s %s %s\n" % ((d.class_id,) + center + size))
    except (AttributeError, TypeError):
        raise ValueError("detections: expected a list of Detection, got %r" % (detections,)) from None
    return "".join(lines)


def _fraction(part, whole):
    """part / whole with 6 decimals, in integers: a camera's floats have fewer digits than a PC's."""
    return "%d.%06d" % divmod((2000000 * part + whole) // (2 * whole), 1000000)
