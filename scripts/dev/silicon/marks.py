"""Marks for count_lines.c, on an emulated camera: stages, regions and empty caches.

    import marks

    marks.stage("YoloV8Seg", lambda: process(model, inputs, outputs))
    marks.region("head", addressof(head), len(head))
    marks.cold()  # as after something else that used the caches

Without the plugin the marks do nothing: they store to a page of RAM that nothing uses.
"""

from machine import mem8

BASE = 0x67FFF000  # the plugin's option `mark`: the last page before the ROMFS of OpenMV's emulated board


def _label(text):
    mem8[BASE] = 0
    for character in text.encode():
        mem8[BASE + character] = 0


def _number(value):
    for shift in range(28, -4, -4):
        mem8[BASE + 272 + (value >> shift & 15)] = 0


def begin(name):
    _label(name)
    mem8[BASE + 256] = 0


def end():
    mem8[BASE + 257] = 0


def stage(name, call):
    """Call it as a stage, and return what it returned. The stage "empty" is what the marks themselves cost."""
    _label(name)
    mem8[BASE + 256] = 0
    result = call()
    mem8[BASE + 257] = 0
    return result


def region(name, address, size):
    """Count the misses of this part of memory apart, until another region of the name replaces it."""
    _label(name)
    _number(address)
    mem8[BASE + 258] = 0
    _number(address + size)
    mem8[BASE + 259] = 0


def cold(data=True, code=True):
    """Empty the caches."""
    if data:
        mem8[BASE + 260] = 0
    if code:
        mem8[BASE + 261] = 0
