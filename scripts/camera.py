"""Control a camera on this PC's USB: `python3 scripts/camera.py --help`.

Its code is in n6post_pc/camera/command.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("camera")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("camera")
