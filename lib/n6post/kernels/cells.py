"""The loop of Fomo: viper_cells.py if MicroPython can make machine code of it, else the same in plain Python."""

from ..kernels import load_viper

group_cells = load_viper("cells").group_cells
