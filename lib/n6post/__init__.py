"""n6post: what a camera's neural network saw, as things a script can use and a person can see.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    found = model.predict([img])
    n6post.draw(img, found)

The names below are loaded on first use: a script pays for the family it uses only.
"""

__version__ = "0.1.0"

# One string, for a dict would have the firmware intern every name in it, at some 3,000 instructions each.
_HOMES = (
    " yolo.YoloV8 yolo.YoloV8Seg yolo_pose.YoloV8Pose movenet.MoveNet deeplab.DeepLab segmentation.Segmentation"
    " detection.Detection detection.by_class mask.Mask draw.draw models.processor_for models.load doctor.diagnose"
    " geometry.Stretch geometry.Crop geometry.Letterbox "
)


# Here because a file of its own would cost the import 27,000 instructions more; rarer checks are in options.py.
def number(name, value, *limits):
    """An option's value if it is a number from limits[0] to limits[1], and an integer where they are; else ValueError."""
    low, high = limits
    kind = type(value)
    if kind is not int and (kind is not float or type(low) is int) or not low <= value <= high:
        what = "an integer from" if type(low) is int else "a number from"
        raise ValueError("%s: expected %s %s to %s, got %r" % (name, what, low, high, value))
    return value


def __getattr__(name):
    # A name that is not above may be a file of ours: at `from . import nms` MicroPython asks here before it looks for one.
    end = _HOMES.find(".%s " % name)
    home = name if end < 0 else _HOMES[_HOMES.rfind(" ", 0, end) + 1 : end]
    try:
        module = __import__("n6post." + home, None, None, (name,))
    except ImportError:
        if end < 0:
            raise AttributeError("module 'n6post' has no attribute '%s'" % name) from None
        raise
    globals()[name] = value = getattr(module, name, module)
    return value
