"""Regions of interest, bands of class maps, and sums of colors, as text."""

from array import array

import n6post
from n6post.inputs.transform import InputTransform
from n6post.kernels import places
from n6post.kernels.params import places as place_params
from n6post.results.segmentation import ClassInfo, MapTransform, Segmentation
from ulab import numpy as np


def run():
    for rect in ((10, 20, 30, 40), (0, 0, 97, 83), (96, 82, 1, 1), (40, 3, 0, 60), (-5, 70, 20, 40)):
        for size in ((97, 83), None):
            d = n6post.Detection(rect, 0.5, 0, "a", None, None).replace(frame_size=size)
            for grow in (0, 0.1, 0.25, -0.25, -0.5, 0.033, 1.7, 10):
                print(rect, size, grow, d.roi(grow=grow), d.roi(grow=grow, square=True))
    for wrong in ({"grow": -0.6}, {"grow": "1"}, {"square": 1}):
        try:
            d.roi(**wrong)
        except ValueError as error:
            print(error)
    state = 7
    for width, height, roi in ((16, 12, (0, 0, 97, 83)), (33, 7, (9, 5, 80, 70)), (1, 1, (3, 4, 50, 9))):
        classes = bytearray(width * height)
        for i in range(len(classes)):
            state = (state * 1103 + 12347) & 0xFFFFF
            classes[i] = state >> 6 & 1
        x, y, w, h = roi
        fit = InputTransform((97, 83), roi, w / width, float(x), h / height, float(y))
        transform = MapTransform(ClassInfo(3, 3, ["a", "b", "c"], 0), fit, (width, height), (width, height))
        seen = Segmentation(np.frombuffer(classes, dtype=np.uint8).reshape((height, width)), transform)
        for rows in (1, 5, 8):
            for class_id in (0, "b", 2):
                bands = seen.profile(class_id, rows=rows)
                print([band[:4] for band in bands], [int(band.fraction * 256) for band in bands])
        for rows in (0, 500, 2.0, None):
            try:
                print(seen.profile(1, rows=rows))
            except ValueError as error:
                print(error)
    for depth in (1, 2):
        frame, mask = bytearray(depth * 40 * 30), bytearray(6 * 5)
        for data in (frame, mask):
            for i in range(len(data)):
                state = (state * 1103 + 12347) & 0xFFFFF
                data[i] = state >> 5 & 255
        edges = [0, 0, 7, 20, 33, 34, 40, 2, 9, 9, 20, 29, 30]
        out = array("i", bytes(4 * 19))
        block = place_params.color_sums(depth, 40, 6, 6, 5, edges)
        print(places.color_sums(frame, mask, block, out), list(out))
