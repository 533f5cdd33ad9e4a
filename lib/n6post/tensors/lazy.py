"""Modules of this package that are imported on first use: `later.drawing_masks` is n6post/drawing/masks.py.

Most scripts use few of the library's functions. An import statement in a function costs thousands of instructions each time
it runs, an attribute of `later` about a hundred. Lines that run once for each model, and those that raise an error, have
import statements of their own. lazy.pyi shows type checkers and editors the modules.
"""


class _Later:
    def __getattr__(self, name):
        module = __import__("n6post." + name.replace("_", ".", 1), None, None, ("*",))
        setattr(self, name, module)
        return module


later = _Later()
