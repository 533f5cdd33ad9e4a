"""n6post: what a camera's neural network saw, as things a script can use and a person can see.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    found = model.predict([img])
    n6post.draw(img, found)

The names below are loaded on first use: a script pays for the family it uses only.
"""

__version__ = "0.1.0"

# One string, for a dict would have the firmware intern every name in it, at some 3,000 instructions each.
_HOMES = (
    " yolo.YoloV8 yolo.YoloV8Seg yolo.YoloV8Pose movenet.MoveNet deeplab.DeepLab segmentation.Segmentation"
    " detection.Detection detection.by_class mask.Mask draw.draw models.processor_for models.load doctor.diagnose"
    " geometry.Stretch geometry.Crop geometry.Letterbox "
)


def __getattr__(name):
    end = _HOMES.find("." + name + " ")
    if end >= 0:
        value = getattr(__import__("n6post." + _HOMES[_HOMES.rfind(" ", 0, end) + 1 : end], None, None, (name,)), name)
    elif name[0] == "_":
        raise AttributeError(name)
    else:
        # It may be a file of ours: at `from . import nms` MicroPython asks here before it looks for one.
        try:
            value = __import__("n6post." + name, None, None, (name,))
        except ImportError:
            raise AttributeError("module 'n6post' has no attribute '%s'" % name) from None
    globals()[name] = value
    return value
