"""Compare lib/n6post/__init__.pyi with the code, using mypy's stubtest: `python3 scripts/dev/stubtest.py`.

It finds names that only one of them has, and parameters with different names, kinds or defaults. stubtest_allowed.txt lists
the allowed differences.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import inspect
import os
import shutil
import tempfile

LIB, STUBS = _venv.ROOT / "lib", _venv.ROOT / "stubs"
ALLOWED = Path(__file__).with_name("stubtest_allowed.txt")

sys.path[:0] = [str(Path(__file__).resolve().parent / "generating"), str(LIB), str(STUBS)]

import n6post
import write_types
from mypy import stubtest


def constructor(kind: type) -> inspect.Signature:
    """The parameters of `__init__` in a class with options. The code has (*first, **options) and a table of options."""
    written = inspect.signature(kind.__init__).parameters
    required = [p for p in written.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    of_code = write_types.options_of(kind)
    options = []
    for name, default in of_code:
        how = inspect.Parameter.POSITIONAL_OR_KEYWORD if name == kind._option.first else inspect.Parameter.KEYWORD_ONLY
        # `*seconds` of Hold: an option that has to be given.
        options.append(inspect.Parameter(name, how, default=written[name].default if name in written else default))
    # The zones of Events, and the objects of a State.
    options += [p for p in written.values() if p.kind is p.KEYWORD_ONLY and p.name not in dict(of_code)]
    options += [p for p in written.values() if p.kind is p.VAR_KEYWORD and p.name != "options"]
    return inspect.Signature([*required, *options])


def show_options(kinds: list[type]) -> None:
    """Give each class an `__init__` that shows its options."""
    for kind, signature in [(kind, constructor(kind)) for kind in kinds]:

        def init(self: object, *first: object, **options: object) -> None: ...

        init.__signature__ = signature
        kind.__init__ = init


def main() -> int:
    public = [getattr(n6post, name) for name in n6post.__all__]
    show_options([value for value in public if hasattr(value, "_option")])
    # Everything is loaded. Without the package's folder, stubtest does not find private modules, which have no types.
    n6post.__path__ = []
    with tempfile.TemporaryDirectory() as folder:
        # The types are copied alone, for the same reason: mypy would use modules in the same folder as types.
        types = Path(folder) / "n6post"
        types.mkdir()
        shutil.copy(write_types.TARGET, types)
        os.environ["MYPYPATH"] = os.pathsep.join((folder, str(STUBS)))
        # Disjoint bases: whether a class can inherit from both classes. No script does that.
        sys.argv[1:] = ["n6post", "--ignore-disjoint-bases", "--allowlist", str(ALLOWED)]
        return stubtest.main()


if __name__ == "__main__":
    sys.exit(main())
