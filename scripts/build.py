"""Compile the library for the camera and pack it: `python3 scripts/build.py --help`.

Its code is in n6post_pc/build/command.py.
"""

import sys

import _venv

if __name__ == "__main__":
    # --model reads model files.
    _venv.enter("camera", *["models"] * any(word.startswith("--mo") for word in sys.argv))

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("build")
