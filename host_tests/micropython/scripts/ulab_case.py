"""Runs statements and an expression on ulab, and tells in JSON's types what came out: for test_micropython_ulab.py."""

import json

from ulab import numpy as np

DTYPES = {66: "uint8", 98: "int8", 72: "uint16", 104: "int16", 102: "float"}


def told(value):
    if isinstance(value, np.ndarray):
        values = value.flatten().tolist()
        dtype = DTYPES[value.dtype]
        if value._flag & 1:
            dtype, values = "bool", [v != 0 for v in values]
        return {"kind": "array", "dtype": dtype, "shape": value.shape, "values": [_number(v) for v in values]}
    if value is None:
        return {"kind": "none"}
    if isinstance(value, (tuple, list)):
        return {"kind": type(value).__name__, "items": [told(item) for item in value]}
    if isinstance(value, (bool, int, float)):
        return {"kind": "scalar", "dtype": type(value).__name__, "values": [_number(value)]}
    if isinstance(value, (bytes, bytearray)):
        return {"kind": "bytes", "type": "bytes" if isinstance(value, bytes) else "bytearray", "values": list(value)}
    return {"kind": "str", "values": [str(value)]}


def _number(value):
    """JSON has no NaN and no infinity."""
    return value if not isinstance(value, float) or value - value == 0 else str(value)


def run(setup, expression, names=()):
    space = {"np": np}
    space.update(names)
    try:
        for statement in setup:
            exec(statement, space)
        return told(eval(expression, space))
    except Exception as error:
        if type(error).__name__ in ("Unmodelled", "UlabTrap"):
            return {"kind": {"Unmodelled": "unmodelled", "UlabTrap": "trap"}[type(error).__name__], "what": str(error)}
        if isinstance(error, MemoryError) and "elements" not in str(error):
            raise  # of this heap, which every further allocation would search in vain
        return {"kind": "error", "type": type(error).__name__, "message": str(error)}


def run_all(cases):
    print(json.dumps([run(setup, expression) for setup, expression in cases]))
