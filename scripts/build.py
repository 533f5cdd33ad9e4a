"""Compile the library for the camera and pack it: `python3 scripts/build.py --help`.

Its code is in n6post_pc/build.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter()

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("build")
