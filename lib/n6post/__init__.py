"""n6post: what a camera's neural network saw, as things a script can use and a person can see.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    found = model.predict([img])
    n6post.draw(img, found)

The names below are loaded on first use: a script pays for the family it uses only.
"""

__version__ = "0.1.0"

_HOMES = {
    "YoloV8": "yolo",
    "YoloV8Seg": "yolo",
    "YoloV8Pose": "yolo",
    "MoveNet": "movenet",
    "DeepLab": "deeplab",
    "Segmentation": "deeplab",
    "Detection": "detection",
    "by_class": "detection",
    "Mask": "mask",
    "draw": "draw",
    "processor_for": "models",
    "load": "models",
    "diagnose": "doctor",
    "Stretch": "geometry",
    "Crop": "geometry",
    "Letterbox": "geometry",
}


def __getattr__(name):
    home = _HOMES.get(name)
    try:
        # A name that is not above may be a file of ours: MicroPython asks here before it looks for one.
        module = None if name[0] == "_" else __import__("n6post." + (home or name), None, None, (name,))
    except ImportError:
        if home:
            raise
        module = None
    if module is None:
        raise AttributeError("module 'n6post' has no attribute '%s'" % name)
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value
