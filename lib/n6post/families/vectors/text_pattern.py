"""The best text by CTC that a pattern allows. Imported for a TextLine with the option `pattern`.

    L   a letter, A to Z and a to z     D   a digit     X   a letter or a digit     *   any character
    ?   the position before it may be left out          \\   the next is itself     anything else is itself

A Viterbi search over the steps: a state is a position and the character there, or the blank behind a position. A character
may repeat, be followed by the blank, or by a different one at the next position; equal ones have a blank between them. The
best path wins (its probability, not the sum over all paths of a text). If the pattern allows the text that the best class of
each step gives, it is that text, and needs no search.
"""

from ulab import numpy as np

_NEVER = -1e30
_MOST = 1000000  # numbers that a search keeps


def positions_of(name, pattern):
    """[[what is allowed there, whether it may be left out]] of a pattern; ValueError for a text that is none."""
    found, literal = [], False
    for one in pattern if isinstance(pattern, str) else "?":
        if literal or one not in "?\\":
            found.append([one if not literal and one in "LDX*" else "=" + one, False])
            literal = False
        elif one == "\\":
            literal = True
        elif found and not found[-1][1]:
            found[-1][1] = True
        else:
            found = []
            break
    if literal or not [one for one in found if not one[1]] or len(found) > 64:
        raise ValueError(
            "%s: expected a text of L (letter), D (digit), X (either), * (any), ? (the one before is optional), \\ (the next"
            " is itself) and characters, such as 'LLDDDD', got %r" % (name, pattern)
        )
    return found


def _allows(kind, name):
    digit, letter = "0" <= name <= "9" and len(name) == 1, len(name) == 1 and ("A" <= name <= "Z" or "a" <= name <= "z")
    if kind in "LDX*":
        return {"L": letter, "D": digit, "X": letter or digit, "*": True}[kind]
    return name == kind[1:]


class Pattern:
    """A pattern for a network with these names of classes."""

    def __init__(self, pattern, names, blank, steps):
        positions = positions_of("pattern", pattern)
        allowed = []
        for kind, _ in positions:
            allowed.append([at for at, name in enumerate(names) if at != blank and _allows(kind, name)])
            if not allowed[-1]:
                raise ValueError("pattern: expected characters of the network, got %r in %r" % (kind[-1], pattern))
        self.class_ids = sorted(set([at for some in allowed for at in some]))
        if len(positions) * len(self.class_ids) * steps > _MOST:
            raise ValueError(
                "pattern: expected fewer characters that are possible, got %d at %d positions, in %d steps"
                % (len(self.class_ids), len(positions), steps)
            )
        self.taken = np.array(self.class_ids, dtype=np.uint16)
        self.blank = blank
        self.ones = np.ones(len(self.class_ids))
        self.never = self.ones * _NEVER
        self.allowed = allowed
        self.masks = [np.array([0.0 if at in some else _NEVER for at in self.class_ids]) for some in allowed]
        # The positions that may come before each one, and before the end; -1 is the start.
        self.before = []
        for at in range(len(positions) + 1):
            found = [at - 1]
            while found[-1] >= 0 and positions[found[-1]][1]:
                found.append(found[-1] - 1)
            self.before.append(found)

    def allows(self, class_ids):
        """Whether the pattern allows the text of these classes."""
        ends = [-1]  # the positions at which what was read so far may end
        for class_id in class_ids:
            ends = [
                at
                for at, some in enumerate(self.allowed)
                if class_id in some and [1 for q in self.before[at] if q in ends]
            ]
        return bool([1 for q in self.before[-1] if q in ends])

    def find(self, steps):
        """[(first step, class)] of the best text; [] if none is possible. steps: the logarithms of all classes in each."""
        count = len(self.masks)
        characters = [self.never] * count  # the score of each character at each position
        blanks = [_NEVER] * count + [0.0]  # behind each position; the last is the start, position -1
        history = []
        for values in steps:
            history.append((characters, blanks, [_two_best(one) for one in characters]))
            best = history[-1][2]
            blank = float(values[self.blank])
            values = np.take(values, self.taken)
            made = []
            for at in range(count):
                total = characters[at]
                for q in self.before[at]:
                    total = np.maximum(total, blanks[q])
                    if q >= 0:
                        top, which, second = best[q]
                        other = self.ones * top
                        other[which] = second
                        total = np.maximum(total, other)
                made.append(np.maximum(total + values + self.masks[at], _NEVER))
            blanks = [max(blanks[q], best[q][0]) + blank for q in range(count)] + [blanks[count] + blank]
            blanks = np.array(blanks).tolist()  # the same floats on a camera and a PC
            characters = made
        history.append((characters, blanks, [_two_best(one) for one in characters]))
        return self._path(history)

    def _path(self, history):
        score, at, character = self._best(history[-1], self.before[-1])
        if not score > _NEVER / 2:
            return []
        found = []
        for step in range(len(history) - 2, -1, -1):
            before = history[step]
            if character is None:
                _, at, character = self._best(before, [at])
                continue
            score, origin, other = self._best(before, self.before[at], character)
            if float(before[0][at][character]) < score:
                found.append((step, self.class_ids[character]))
                at, character = origin, other
        return found[::-1] if at < 0 else []

    def _best(self, state, positions, without=None):
        """(score, position, its character or None for the blank) of the best way from one of these positions."""
        characters, blanks, best = state
        found = _NEVER * 2, -1, None
        for q in positions:
            if blanks[q] > found[0]:
                found = blanks[q], q, None
            if q >= 0:
                top, which, second = best[q]
                if which == without:
                    top = second
                    which = [i for i, one in enumerate(characters[q].tolist()) if one == top and i != without][:1]
                    which = which[0] if which else None
                if which is not None and top > found[0]:
                    found = top, q, which
        return found


def _two_best(values):
    """The largest number, where it is, and the largest of the others."""
    which = int(np.argmax(values))
    others = np.array(values)
    others[which] = _NEVER
    return float(values[which]), which, float(np.max(others))
