"""`python3 -m n6post_pc`: the same as the command n6post."""

import sys

from .cli import main

sys.exit(main())
