"""n6post turns the raw outputs of a neural network on an OpenMV camera into results for scripts and people.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)

Each name is imported on first use, so a script loads only the families that it uses.
"""

__version__ = "0.9.0"


def _remember(*names):
    # MicroPython looks for these modules of the firmware in every folder of sys.path, at each import in each file, unless
    # sys.modules has them. CPython puts them there itself.
    import sys

    for name in names:
        sys.modules[name] = __import__(name)


_remember("array", "collections", "struct")

if __debug__:  # -O3 leaves this out of compiled files

    def _recommend_compiled_files():
        import sys

        # The path of frozen files begins with ".frozen". On CPython it is a list.
        if sys.implementation.name != "micropython" or __path__[0] == "." or not __file__.endswith(".py"):
            return
        try:
            import os

            import omv  # noqa: F401  (only cameras have it)
        except ImportError:
            return
        # Not for the files of a PC, by mpremote's mount.
        if not (__path__ if __path__[0] == "/" else os.getcwd()).startswith("/remote"):
            print("n6post: this camera compiles the .py files of n6post at every start. Compiled files start 10 to 20 times "
                  "faster: copy lib from n6post's zip, or run scripts/camera.py install.")  # fmt: skip

    _recommend_compiled_files()


class _Exports(dict):
    def __str__(self):  # help(n6post) prints every global; the names are in __all__
        return "the file of each public name"


# As keywords, because MicroPython's dir() and Tab know only words that are used in code.
_EXPORTS = _Exports(
    YoloV8="families.yolo.yolov8",
    YoloV8Seg="families.yolo.yolov8_seg",
    YoloV8Pose="families.yolo.yolov8_pose",
    YoloV8Obb="families.yolo.yolov8_obb",
    YoloV2="families.anchors.yolov2",
    YoloV5="families.anchors.yolov5",
    YoloX="families.anchors.yolox",
    NanoDet="families.anchors.nanodet",
    Ssd="families.anchors.ssd",
    Fomo="families.maps.fomo",
    BlazeFace="families.anchors.blazeface",
    BlazePalm="families.anchors.blazepalm",
    BlazePose="families.anchors.blazepose",
    YuNet="families.anchors.yunet",
    Scrfd="families.anchors.scrfd",
    HandLandmarks="families.vectors.hand_landmarks",
    FaceLandmarks="families.vectors.face_landmarks",
    FacePoints="families.vectors.face_points",
    PoseLandmarks="families.vectors.pose_landmarks",
    MoveNet="families.maps.movenet",
    DeepLab="families.maps.deeplab",
    Depth="families.maps.depth",
    Anomaly="families.maps.anomaly",
    Classifier="families.vectors.classifier",
    TextLine="families.vectors.text_line",
    Embedding="families.vectors.embedding",
    Detection="results.detection",
    Mask="results.mask",
    Segmentation="results.segmentation",
    Classification="results.classification",
    Reading="results.reading",
    DepthMap="results.depth_map",
    AnomalyMap="results.anomaly_map",
    draw="drawing.draw",
    text="drawing.text",
    hide="drawing.hide",
    detections="results.rows",
    merge="results.merge",
    pairs="results.pairs",
    read_line="results.read_line",
    face_turn="results.face_turn",
    sharpness="results.sharpness",
    to_openmv="results.dicts",
    to_json="results.json_text",
    to_bytes="streams.messages",
    to_yolo="results.yolo_text",
    MjpegServer="streams.mjpeg_server",
    keypoint_names="tensors.keypoints",
    processor_for="models.matching",
    load="models.matching",
    Pipeline="models.pipeline",
    Tiles="models.tiles",
    tiles="models.tiles",
    diagnose="models.diagnostics",
    Tracker="tracking.tracker",
    LineZone="tracking.line_zone",
    PolygonZone="tracking.polygon_zone",
    Hold="tracking.hold",
    Steady="tracking.conditions",
    Majority="tracking.conditions",
    Fraction="tracking.conditions",
    Repetitions="tracking.conditions",
    Trail="tracking.trail",
    Plane="tracking.plane",
    HeatMap="tracking.heat_map",
    Events="events.events",
    Collector="events.collector",
    Gallery="tracking.gallery",
    State="events.state",
    cosine_similarity="tensors.vectors",
    Stretch="inputs.resize",
    Crop="inputs.resize",
    Letterbox="inputs.resize",
)


def __getattr__(name):
    # MicroPython's dir() and Tab call this for every word they know, even "." and "/". Only names in the table are imported.
    path = _EXPORTS.get(name)
    if path is None:
        raise AttributeError("module 'n6post' has no attribute '%s'" % name)
    value = getattr(__import__("n6post." + path, None, None, (name,)), name)
    globals()[name] = value
    return value


__all__ = list(_EXPORTS)


def __dir__():
    return sorted(list(_EXPORTS) + ["__version__"])
