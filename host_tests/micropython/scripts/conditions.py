"""Values over time, with and without tracks: all that Hold, Steady, Fraction and Repetitions return, as text."""

import n6post

ELAPSED = 40, 33.25, 0, 125, -7, 400, 66.5, 33.25, 3000, 40


def run():
    hold = n6post.Hold(0.4, release=0.15)
    steady, fraction, repetitions = n6post.Steady(0.2), n6post.Fraction(2.5), n6post.Repetitions(140, 60)
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
            print(repetitions.update(angle, track=track, elapsed_ms=ms))
