"""The loop of to_json: viper_json.py if MicroPython can make machine code of it, else the same in plain Python."""

from ..kernels import load_viper

write = load_viper("json").write
