"""The JSON text of an oriented box: viper_corners.py if MicroPython can make machine code of it, else in plain Python."""

from ..kernels import load_viper

write_corners = load_viper("corners").write_corners
