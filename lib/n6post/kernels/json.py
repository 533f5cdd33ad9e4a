"""The loop of to_json: viper_json.py if MicroPython can make machine code of it, else the same in plain Python."""

import sys


def _load():
    if sys.implementation.name == "micropython":
        try:
            return __import__("n6post.kernels.viper_json", None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: plain Python needs more memory
            pass
    return __import__("n6post.kernels.portable_json", None, None, ("*",))


write = _load().write
