"""Run an unmodified camera script on this PC: `python3 scripts/run_on_host.py --help`.

Its code is in n6post_pc/host/command.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("models")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("host")
