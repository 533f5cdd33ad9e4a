"""The loops of a Tracker: machine code where MicroPython makes some (viper_tracks.py), else the same in plain Python."""

import sys


def _load():
    if sys.implementation.name == "micropython":
        try:
            return __import__("n6post.kernels.viper_tracks", None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: the plain ones would need more
            pass
    return __import__("n6post.kernels.portable_tracks", None, None, ("*",))


_home = _load()
read = _home.read
predict = _home.predict
match = _home.match
middle = _home.middle
learn = _home.learn
place = _home.place
named = _home.named
