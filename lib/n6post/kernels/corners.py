"""The JSON text of points: viper_corners.py if MicroPython can make machine code of it, else the same in plain Python."""

from ..kernels import load_viper

_home = load_viper("corners")
write_corners = _home.write_corners
write_keypoints = _home.write_keypoints
