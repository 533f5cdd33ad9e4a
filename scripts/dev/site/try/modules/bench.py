"""The models and pictures of the site's page, and what n6post finds. The page's JavaScript runs the networks, and draws."""

import json
from binascii import b2a_base64
from math import prod
from types import SimpleNamespace

import image
import n6post
import onnx_labels
import tflite
from n6post.pixels.colors import class_color
from n6post.pixels.pixel_edges import map_edges
from n6post.tensors.keypoints import keypoint_sides, limbs
from n6post_pc.models import results
from n6post_pc.studio import controls, looks
from ulab import numpy as np

KEPT = 12  # outputs that are kept, so that a slider does not run the network again
SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "f": 4}

models, frames, kept = {}, {}, {}


class Model:
    """What a post-processor reads of the firmware's ml.Model."""

    def __init__(self, inputs, outputs, labels):
        for kind, tensors in (("input", inputs), ("output", outputs)):
            for name in ("shape", "dtype", "scale", "zero_point"):
                values = tuple(tuple(one[name]) if name == "shape" else one[name] for one in tensors)
                setattr(self, f"{kind}_{name}", values)
        self.labels, self.postprocess = labels, None


class Network:
    """A model with a post-processor: models.run.Network without its file. ValueError if none fits."""

    def __init__(self, file, described, labels, family=""):
        self.file, self.labelled = file, bool(labels)
        self.model = Model(described["inputs"], described["outputs"], labels)
        own = {"labels": labels} if labels else {}
        self.processor = getattr(n6post, family)(**own) if family else n6post.processor_for(self.model)
        self.family, self.names = type(self.processor).__name__, results.labels_of(self.processor)
        shape = self.model.input_shape[0]
        if len(shape) != 4 or shape[3] not in (1, 3):
            raise ValueError(f"expected an input [1, H, W, 3] or [1, H, W, 1], got {list(shape)}")
        self.size = shape[2], shape[1]


def set_texts(texts):
    """What each option does: the page has no types to read it from."""
    controls.help_texts = json.loads(texts).__getitem__


def read(data):
    """What a .tflite file says of its inputs and outputs, as JSON."""
    return json.dumps(tflite.read(data.to_bytes()))


def labels(data):
    """The labels in an .onnx file, as JSON."""
    return json.dumps(onnx_labels.read(data.to_bytes()))


def add(model, file, described, labels):
    """A model, or the same one with other labels. ValueError for labels that do not fit."""
    described, labels = json.loads(described), json.loads(labels)
    networks = {}
    try:
        networks[""] = Network(file, described, labels)
    except ValueError:
        if labels and _fits(file, described):
            raise
    for key in [key for key in kept if key[0] == model]:
        del kept[key]
    models[model] = file, described, labels, networks


def _fits(file, described):
    try:
        Network(file, described, None)
    except ValueError:
        return False
    return True


def add_picture(key, width, height, rgba):
    frames[key] = image.Image(width, height, picture=rgba)


def _asked(text):
    request = SimpleNamespace(**json.loads(text))
    request.options = {name: tuple(v) if isinstance(v, list) else v for name, v in request.options.items()}
    request.fit = models[request.model][1].get("recorded", {}).get(request.picture, request.fit)
    return request, (request.model, request.picture, request.fit)


def tensor(text):
    """The bytes of the network's input for a request. None if its outputs are known."""
    request, key = _asked(text)
    if key in kept:
        return None
    inputs = [getattr(n6post, request.fit.capitalize())(frames[request.picture])]
    shape, dtype = (models[request.model][1]["inputs"][0][name] for name in ("shape", "dtype"))
    buffer = bytearray(prod(shape) * SIZES[dtype])
    if "recorded" not in models[request.model][1]:
        inputs[0](buffer, shape, ord(dtype))
    kept[key] = inputs, None
    return buffer


def put(text, data):
    """The bytes of the network's outputs for a request."""
    request, key = _asked(text)
    arrays, at, data = [], 0, bytearray(data.to_bytes())
    for one in models[request.model][1]["outputs"]:
        end = at + prod(one["shape"]) * SIZES[one["dtype"]]
        arrays.append(np.frombuffer(data[at:end], dtype=ord(one["dtype"])).reshape(tuple(one["shape"])))
        at = end
    if at != len(data):
        raise ValueError(f"expected outputs of {at} bytes, got {len(data)}: the file leaves their size open")
    kept[key] = kept.pop(key)[0], arrays
    while len(kept) > KEPT:
        del kept[next(iter(kept))]


def look(text):
    """What n6post finds, and what the page shows of it, as JSON."""
    request, key = _asked(text)
    inputs, outputs = kept[key]
    network = _network(request)
    result, shown = looks.look(network, request, inputs, outputs, network.file, network.labelled)
    frame = frames[request.picture]
    shown |= {"width": frame.width(), "height": frame.height(), "findings": [looks.parts(one) for one in shown["findings"]],
              "result": n6post.to_json(result) if results.kind_of(result) != "vector" else "null",
              **_drawn(result)}  # fmt: skip
    return json.dumps(shown)


def ticks(text):
    request, key = _asked(text)
    return json.dumps(looks.ticks(_network(request), request, *kept[key]))


def _network(request):
    file, described, labels, networks = models[request.model]
    if request.family not in networks:
        networks[request.family] = Network(file, described, labels, request.family)
    return networks[request.family]


def _drawn(result):
    """What the page draws besides the JSON: colors, limbs, a class map."""
    kind = results.kind_of(result)
    if kind == "map":
        columns, rows = map_edges(result._transform)
        height, width = result.class_map.shape
        place = width, height, columns[0], rows[0], columns[-1], rows[-1]
        return {"colors": {number: class_color(number) for number in result.class_ids()},
                "map": [_text(result.class_map.tobytes()), *place]}  # fmt: skip
    if kind != "objects":
        return {}
    made = {"colors": [class_color(one.class_id) for one in result],
            "percents": [int(one.score * 100 + 0.5) for one in result],  # as n6post.draw; the JSON has a rounded score
            "masks": [one.mask and _mask(one.mask) for one in result]}  # fmt: skip
    if result and result[0].keypoints is not None:
        count = len(result[0].keypoints)
        made |= {"limbs": list(limbs(count)), "sides": list(keypoint_sides(count)),
                 "least": getattr(result[0], "keypoint_threshold", results.SEEN)}  # fmt: skip
    return made


def _mask(mask):
    data, window, crop, clip, grid = mask._parts()
    return _text(data), window, crop, clip, (grid.sx, grid.ox, grid.sy, grid.oy)


def _text(data):
    return b2a_base64(data, newline=False).decode()
