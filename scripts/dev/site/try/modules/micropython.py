"""On CPython nothing is compiled."""


def const(value):
    return value
