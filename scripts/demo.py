"""Show the library's results for recorded outputs of real networks: `python3 scripts/demo.py --help`.

Its code is in n6post_pc/demo/command.py.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("demo")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("demo")
