# What `n6post camera watch` sends to the camera around a script. It runs there, on firmware 5.0 and later.
#
# What a script prints goes, while the protocol is spoken, into 1,023 bytes of the firmware from which the PC fetches it:
# a longer line, or a second one before the PC comes, throws away what is there, and what is read is gone even if the PC
# never gets it. Here print() puts it into a channel of its own, where it stays until the PC has said that it has it, and
# waits where the PC is behind.
#
# The channel's reads: b"n6p", a byte (0: the script runs, 1: it has ended, 2: it ended with an error), 4 bytes that differ
# from run to run, 4 bytes (the number of the first byte that follows, counted from the script's start, modulo 2^32), and
# what was printed from there on.
# Its writes: 4 bytes, the number of the next byte that the PC lacks. Both may come twice and change nothing then.


class _N6postLines:
    def __init__(self, protocol, time):
        self._protocol, self._sleep_ms = protocol, time.sleep_ms
        self._run = (time.ticks_us() & 0x3FFFFFFF).to_bytes(4, "little")
        self.state = 0
        self._new = []  # what print() appends to; only size() takes from it
        self._kept = b""  # behind it: what a read gives, until a write takes it away
        self._first = 0  # the number of its first byte
        self._put = 0  # bytes that were printed
        self._taken = 0  # and of these how many the PC has
        self._deaf = -1  # where the PC stopped asking
        self._whole = b""
        self._heard = 0  # the last state that the PC is known to have

    # print() runs in the script; these four run between any two of its steps, called by the protocol.

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
        """Waits where the PC is 8 KB behind. False where it has not asked for half a minute: the script goes on."""
        seen = waited = 0
        while self._put - self._taken > 8192 and self._protocol.is_active():
            if self._deaf == self._taken:
                return False
            waited = waited + 1 if seen == self._taken else 0
            seen = self._taken
            if waited > 30000:
                self._deaf = seen
            self._sleep_ms(1)
        data = text.encode()
        self._put += len(data)
        self._new.append(data)
        return True

    def close(self, state):
        """Until the PC has it all, and knows that this is all; not for ever where it stops asking."""
        self.state = state
        seen = waited = 0
        while (self._put > self._taken or not self._heard) and waited < 30000 and self._protocol.is_active():
            waited = waited + 1 if seen == self._taken else 0
            seen = self._taken
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
    plain = builtins.print

    def print(*values, sep=" ", end="\n", file=None, **options):
        if file is not None:
            return plain(*values, sep=sep, end=end, file=file)
        text = (" " if sep is None else sep).join([str(value) for value in values]) + ("\n" if end is None else end)
        if not protocol.is_active() or not lines.put(text):
            plain(text, end="")

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

        told = io.StringIO()
        sys.print_exception(error, told)
        kept = [line for line in told.getvalue().split("\n") if '  File "<stdin>"' not in line]
        lines.put("\n".join(kept))
        lines.close(2)
    builtins.print = plain
