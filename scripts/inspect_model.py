"""Describe a model file and check it for a camera: `python3 scripts/inspect_model.py --help`.

Its code is in n6post_pc/build/inspect.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("models")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("inspect")
