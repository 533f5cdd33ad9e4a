"""n6post: what a camera's neural network saw, as things a script can use and a person can see.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    found = model.predict([img])
    n6post.draw(img, found)

The names below are loaded on first use: a script pays for the family it uses only.
"""

__version__ = "0.1.0"

# Every public name, and the file it lives in. As keywords: MicroPython's dir() and Tab know only words that code uses.
_HOMES = dict(
    YoloV8="yolo",
    YoloV8Seg="yolo_seg",
    YoloV8Pose="yolo_pose",
    MoveNet="movenet",
    DeepLab="deeplab",
    Detection="detection",
    Mask="mask",
    Segmentation="segmentation",
    draw="draw",
    by_class="answers",
    to_json="to_json",
    joint_names="joints",
    processor_for="models",
    load="models",
    diagnose="doctor",
    Tracker="tracker",
    LineZone="zones",
    PolygonZone="zones",
    Trail="trail",
    Stretch="inputs",
    Crop="inputs",
    Letterbox="inputs",
)


def __getattr__(name):
    # MicroPython's dir() and Tab ask here for every word there is, "." and "/" among them: the table alone leads to imports.
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError("module 'n6post' has no attribute '%s'" % name)
    value = getattr(__import__("n6post." + home, None, None, (name,)), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(list(_HOMES) + ["__version__"])
