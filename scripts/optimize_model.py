"""Make a YOLO model smaller, faster and more exact: `python3 scripts/optimize_model.py --help`.

Its code is in n6post_pc/optimize/command.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("models")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("optimize")
