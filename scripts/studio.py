"""Set a model's options with sliders in a browser: `python3 scripts/studio.py --help`.

Its code is in n6post_pc/studio/.
"""

import _venv

if __name__ == "__main__":
    _venv.enter("studio")

from n6post_pc import cli

if __name__ == "__main__":
    cli.script("studio")
