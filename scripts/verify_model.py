"""Compare a model on a camera with the same file on this PC: `python3 scripts/verify_model.py --help`.

Its code is in n6post_pc/verify/command.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("studio")  # it has what runs models and what talks to a camera

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("verify")
