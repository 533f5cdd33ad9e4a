"""Hold lib/n6post/__init__.pyi against the code, by mypy's stubtest: `python3 scripts/dev/stubtest.py`.

It finds what only one of them has, and arguments with other names, kinds or defaults. stubtest_allowed.txt names what may
differ.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

_venv.enter()

import os
import shutil
import tempfile

LIB, STUBS = _venv.ROOT / "lib", _venv.ROOT / "stubs"
ALLOWED = Path(__file__).with_name("stubtest_allowed.txt")

sys.path[:0] = [str(LIB), str(STUBS)]

import n6post
from mypy import stubtest
from n6post.shape import Shape


def main() -> int:
    for name in dir(n6post):
        getattr(n6post, name)
    # What a Mask does not have itself, its Shape answers.
    others = ("__getattr__", "__dict__", "__weakref__")
    own = {name: value for name, value in vars(n6post.Mask).items() if name not in others}
    n6post.Mask = type("Mask", (Shape,), own)
    # All is loaded, so that the package can go without its folder: there stubtest would find private modules without types.
    n6post.__path__ = []
    with tempfile.TemporaryDirectory() as folder:
        # Alone, for the same reason: beside the modules, mypy would take those for types.
        types = Path(folder) / "n6post"
        types.mkdir()
        shutil.copy(LIB / "n6post" / "__init__.pyi", types)
        os.environ["MYPYPATH"] = os.pathsep.join((folder, str(STUBS)))
        # Disjoint bases: whether two classes can be bases of one. Here nobody writes such a class.
        sys.argv[1:] = ["n6post", "--ignore-disjoint-bases", "--allowlist", str(ALLOWED)]
        return stubtest.main()


if __name__ == "__main__":
    sys.exit(main())
