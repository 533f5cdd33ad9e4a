"""Run a model file on pictures: `python3 scripts/run_model.py --help`.

Its code is in n6post_pc/models/run.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("models")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("run")
