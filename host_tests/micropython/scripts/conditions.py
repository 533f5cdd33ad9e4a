"""Values over time, with and without tracks: all that Hold and its neighbors return, as text."""

import n6post

ELAPSED = 40, 33.25, 0, 125, -7, 400, 66.5, 33.25, 3000, 40


def lines():
    """Rows of digits, tilted, some of them missing."""
    number = 1
    for frame in range(40):
        found = []
        for at in range(12):
            number = (number * 1103 + 12345) % 65521
            if number % 6:
                rect = 40 * (at % 6) + number % 3, 90 * (at // 6) + frame % 3 * 7 * (at % 6), 24, 40
                found.append(n6post.Detection(rect, 0.25 + 0.125 * (number % 5), at, str(number % 10), None, None))
        read = n6post.read_line(found)
        print(repr(read.text), "%.3f" % read.score, ["%.3f" % one for one in read.scores])


def run():
    lines()
    hold = n6post.Hold(0.4, release=0.15)
    steady, fraction, repetitions = n6post.Steady(0.2), n6post.Fraction(2.5), n6post.Repetitions(140, 60)
    majority = n6post.Majority(0.7)
    d = n6post.Detection((0, 0, 9, 9), 0.5, 0, "0", None, None)
    d.track_id = 7
    number = 1
    for frame in range(300):
        number = (number * 1103 + 12345) % 65521
        angle = None if number % 11 == 0 else number % 180 + 0.5 * (number % 2)
        high = number % 7 < frame // 20 % 7
        ms = ELAPSED[number % 10] if frame % 50 else 86400000
        print(frame, hold.trigger(high, elapsed_ms=ms), hold.state, hold.changed)
        for track in [None, 200 + frame] + ([d, 3] if frame % 13 < 11 else [3]):  # more tracks than are remembered
            print(steady.update("ab"[high], track=track, elapsed_ms=ms))
            print("%.5f" % fraction.update(high, track=track, elapsed_ms=ms))
            text = "%d%d" % (number % 3, frame // 40) if high else str(number % 5)
            read = n6post.Reading(text, 0.75, [0.75] * len(text)) if number % 13 else None
            print("%s %.2f" % majority.update(read, track=track, elapsed_ms=ms)[:2])
            print(repetitions.update(angle, track=track, elapsed_ms=ms))
