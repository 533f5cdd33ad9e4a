"""What a model file is, and what a camera will make of it: `python3 scripts/inspect_model.py --help`.

Its code is in n6post_pc/inspect_model.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter()

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("inspect")
