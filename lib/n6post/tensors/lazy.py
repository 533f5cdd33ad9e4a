"""Modules of this package that are imported on first use: `later.drawing_masks` is n6post/drawing/masks.py.

Most scripts use few of the library's functions. On a Cortex-M55 an import statement of this package costs 25,000
instructions each time it runs, an attribute of `later` 150. Lines that run once for each model, and those that raise an
error, have import statements of their own. lazy.pyi shows type checkers and editors the modules.
"""


class _Later:
    def __getattr__(self, name):
        folders = 2 if name.startswith("kernels") else 1
        module = __import__("n6post." + name.replace("_", ".", folders), None, None, ("*",))
        setattr(self, name, module)
        return module


later = _Later()
