"""The loop of to_json: machine code where MicroPython makes some (viper_text.py), else the same in plain Python."""

import sys


def _load():
    if sys.implementation.name == "micropython":
        try:
            return __import__("n6post.kernels.viper_text", None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: the plain one would need more
            pass
    return __import__("n6post.kernels.portable_text", None, None, ("*",))


write = _load().write
