"""Made-up cases for everything public, and judges that know what has to come out: what scripts/dev/fuzz.py runs.

A module an area or a few. Each of their functions makes one case of the dice that it is given, asks the library, and returns
how far the answer was checked: REFUSED, CONFIRMED or BOUNDED (core.py). What is wrong it raises as a Finding.
"""
