"""Fetch and sort the pictures that a camera has collected: `python3 scripts/collect.py --help`.

Its code is in n6post_pc/collect/.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("camera")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("collect")
