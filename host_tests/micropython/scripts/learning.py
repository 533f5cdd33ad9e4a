"""An Anomaly that learns, and what it says then: to compare CPython with MicroPython."""

from binascii import crc32

import n6post
from random_heads import Frame, Model
from ulab import numpy as np

ROWS, COLUMNS, CHANNELS = 2, 3, 5


class Dice:
    def __init__(self, seed):
        self.state = seed

    def __call__(self, low, high):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return low + (self.state >> 8) % (high - low)


def run():
    dice = Dice(5)
    kinds = [[dice(-90, 90) for _ in range(CHANNELS)] for _ in range(6)]
    for dtype, zero_point, patches, positions in ((np.int8, 0, 40, True), (np.uint8, 128, 16, False)):
        anomaly = n6post.Anomaly(patches=patches, positions=positions)
        anomaly.learn(14)
        for frame in range(17):
            values = []
            for _ in range(ROWS * COLUMNS):
                kind = kinds[dice(0, 6)]
                values += [number + (dice(-6, 7) if frame % 6 == 2 else 0) for number in kind]
            if frame > 14:
                values[:CHANNELS] = [dice(-100, 100) for _ in range(CHANNELS)]
            values = np.array([number + zero_point for number in values], dtype=dtype)
            arrays = [values.reshape((1, ROWS, COLUMNS, CHANNELS))]
            model = Model((COLUMNS * 16, ROWS * 16), arrays, [(0, 0, 0.07, zero_point)])
            if frame == 15:
                restored = n6post.Anomaly(patches=patches, positions=positions)
                restored.from_state(anomaly.to_state())
                anomaly = restored
            result = anomaly(model, [n6post.Stretch(Frame())], arrays)
            print(frame, result.verdict, crc32(result.values.tobytes()), n6post.to_json(result))
        state, data = anomaly.to_state()
        print(state["form"], state["learned"], len(data), crc32(data), "%.6f" % anomaly.known)
