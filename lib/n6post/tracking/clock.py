"""The clock of everything that happens over time: Tracker, zones, Trail, Hold, Plane and others. It counts milliseconds.

A clock is a tuple, and each call makes the next one. It is kept last, with everything else of the call: if a MemoryError
comes before, the next call counts the time of this one too.

    clock = next_clock(self._state[0], elapsed_ms)
    now = clock[0]
    ...
    self._state = clock, ...
"""

import time

START = 0, 0.0, None  # milliseconds so far, the fraction of one that is not counted yet, ticks_ms of the last measured call


def next_clock(clock, elapsed_ms):
    """The clock at this call.

    clock       that of the last call, or START
    elapsed_ms  milliseconds since the last call, int or float, for recorded frames; None: measured with time.ticks_ms, 0 at
                the first call. A negative number (the time was set back) counts as 0

    ValueError for anything else.
    """
    now, rest, ticks = clock
    if getattr(elapsed_ms, "tolist", None):  # a number of numpy
        elapsed_ms = elapsed_ms.tolist()
    if elapsed_ms is None:
        last = ticks
        ticks = time.ticks_ms()
        elapsed_ms = 0 if last is None else time.ticks_diff(ticks, last)
    elif type(elapsed_ms) is not int and type(elapsed_ms) is not float or not -1e9 <= elapsed_ms <= 1e9:
        raise ValueError("elapsed_ms: expected milliseconds since the last call or None, got %r" % (elapsed_ms,))
    elif ticks is not None:
        ticks = time.ticks_ms()  # what comes next is measured from here: this time is counted already
    elapsed_ms = max(0, elapsed_ms)
    if type(elapsed_ms) is float:
        elapsed_ms += rest
        rest = elapsed_ms - int(elapsed_ms)
    return now + int(elapsed_ms), rest, ticks
