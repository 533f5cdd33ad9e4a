"""The labels in an .onnx file, which Ultralytics writes into its metadata."""

import ast

_KEY = b"\n\x05names\x12"  # field 1 of protobuf, 5 bytes; then field 2, the text of a dict


def read(data):
    """A list, or None: as stubs/ml/_backends.py has them."""
    at, size, shift = data.rfind(_KEY) + len(_KEY), 0, 0
    try:
        while data[at] > 127:
            size, shift, at = size | (data[at] & 127) << shift, shift + 7, at + 1
        names = ast.literal_eval(data[at + 1 : at + 1 + (size | data[at] << shift)].decode())
        listed = [names[number] for number in range(len(names))] if isinstance(names, (dict, list)) else []
        "".join(listed).encode()
    except Exception:  # there may be anything; that the file is no model, ONNX Runtime says
        return None
    return listed or None
