"""Imports modules of this package on first use.

Most scripts use few of the library's functions, and an import statement inside a function costs thousands of instructions
each time it runs. `module` remembers what it has imported.
"""

_modules = {}


def module(name):
    """The module n6post.NAME, for example "drawing.masks"."""
    found = _modules.get(name)
    if found is None:
        found = _modules[name] = __import__("n6post." + name, None, None, ("*",))
    return found
