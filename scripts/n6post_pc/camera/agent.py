# `n6post camera watch` wraps this code around a script. It runs on the camera, on firmware 5.0 and newer.
#
# While a PC uses the protocol, the firmware keeps a script's output in a buffer of 1,023 bytes until the PC reads it. A
# longer line, or another one before the PC reads, overwrites the buffer, and a read empties it even if its answer is lost.
# So print() is replaced here: it writes to a separate channel, which keeps the output until the PC acknowledges it. print()
# waits if the PC falls behind.
#
# A read of the channel returns b"n6p", a byte (0: the script runs, 1: it has ended, 2: it ended with an error), 4 bytes that
# differ from run to run, 4 bytes (the position of the first byte that follows, counted from the script's start, modulo
# 2^32), and the output from that position on.
# A write to the channel has 4 bytes: the position of the next byte that the PC needs. Reads and writes may be repeated.


class _N6postLines:
    def __init__(self, protocol, time):
        self._protocol, self._sleep_ms = protocol, time.sleep_ms
        self._run = (time.ticks_us() & 0x3FFFFFFF).to_bytes(4, "little")
        self.state = 0
        self._new = []  # print() appends here; only size() removes
        self._kept = b""  # moved here by size(), until the PC acknowledges it
        self._first = 0  # the position of its first byte
        self._put = 0  # bytes printed
        self._taken = 0  # bytes acknowledged
        self._deaf = -1  # the value of _taken at which the PC stopped reading
        self._whole = b""  # the answer to the current read
        self._heard = 0  # the last state that the PC has acknowledged

    # print() runs in the script. The protocol calls the next four methods, possibly between any two of its instructions.

    def poll(self):
        return bool(self._new or self._kept or self.state)

    def size(self):
        count = len(self._new)
        if count:
            self._kept += b"".join(self._new[:count])
            del self._new[:count]
        first = (self._first & 0xFFFFFFFF).to_bytes(4, "little")
        self._whole = b"n6p" + bytes([self.state]) + self._run + first + self._kept
        return len(self._whole)

    def read(self, offset, size):
        return self._whole[offset : offset + size]

    def write(self, offset, data):
        got = (int.from_bytes(bytes(data[:4]), "little") - self._first) & 0xFFFFFFFF
        if len(data) >= 4 and got <= len(self._kept):
            self._kept = self._kept[got:]
            self._first += got
            self._taken += got
            self._heard = self._whole[3]
        return len(data)

    def put(self, text):
        """Queue text for the PC, and wait while the PC is 8 KB behind. False if it has read nothing for half a minute."""
        previous = waited = 0
        while self._put - self._taken > 8192 and self._protocol.is_active():
            if self._deaf == self._taken:
                return False
            waited = waited + 1 if previous == self._taken else 0
            previous = self._taken
            if waited > 30000:
                self._deaf = previous
            self._sleep_ms(1)
        data = text.encode()
        self._put += len(data)
        self._new.append(data)
        return True

    def close(self, state):
        """Set the state, and wait until the PC has all the output and the state, or has read nothing for half a minute."""
        self.state = state
        previous = waited = 0
        while (self._put > self._taken or not self._heard) and waited < 30000 and self._protocol.is_active():
            waited = waited + 1 if previous == self._taken else 0
            previous = self._taken
            self._sleep_ms(1)


def _n6post_run(source, name):
    import builtins
    import sys
    import time

    space = globals()
    try:
        import protocol
    except ImportError:
        return exec(compile(source, name, "exec"), space)
    lines = _N6postLines(protocol, time)
    protocol.register(name="n6post_lines", backend=lines)
    builtin_print = builtins.print

    def print(*values, sep=" ", end="\n", file=None, **options):
        if file is not None:
            return builtin_print(*values, sep=sep, end=end, file=file)
        text = (" " if sep is None else sep).join([str(value) for value in values]) + ("\n" if end is None else end)
        if not protocol.is_active() or not lines.put(text):
            builtin_print(text, end="")

    try:
        builtins.print = print
    except AttributeError:
        space["print"] = print
    try:
        exec(compile(source, name, "exec"), space)
        lines.close(1)
    except SystemExit:
        lines.close(1)
    except BaseException as error:
        import io

        trace = io.StringIO()
        sys.print_exception(error, trace)
        kept = [line for line in trace.getvalue().split("\n") if '  File "<stdin>"' not in line]
        lines.put("\n".join(kept))
        lines.close(2)
    builtins.print = builtin_print
