"""The cases of scripts/dev/fuzz.py for the public API, and the checks of their results.

Each module has one or more areas. An area's function makes a random case from the dice, calls the library, and returns
how the result was checked: REFUSED, CONFIRMED or BOUNDED (core.py). It raises a Finding for a wrong result.
"""
