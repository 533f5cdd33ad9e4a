"""The kernels of hide, the widths of text and the places of labels, as text."""

from array import array

import n6post  # noqa: F401
from n6post.kernels.params import hide as hide_params
from n6post.kernels.params.drawing import place_labels
from n6post.kernels.portable import drawing as portable_drawing
from n6post.kernels.portable import hide as portable_hide


def numbers(count, state=7):
    made = bytearray(count)
    for i in range(count):
        state = (state * 1103 + 12347) & 0xFFFFF
        made[i] = state >> 6 & 255
    return made


def run():
    for depth in (1, 2):
        for how in range(3):
            for size in (3, 8, 21):
                frame = numbers(depth * 31 * 23, size)
                columns, rows = 30 // size + 1, 22 // size + 1
                cells = bytearray([value & 1 for value in numbers(columns * rows)])
                block = hide_params.hide_cells(depth, 31, 23, 0, 0, columns, rows, size, how, 0xE94A)
                means = array("H", bytes(2 * columns * rows))
                portable_hide.hide_cells(frame, block, cells, means)
                print(depth, how, size, list(frame[:90]), list(frame[-40:]))
    for size, margin in ((3, 0), (8, 5), (5, 40)):
        cells = bytearray(63)
        block = hide_params.mark_cells(9, 7, -3, 5, 90000, 70001, margin, margin, 2, 3, 61, 47, 0, 1, size, 9, 7)
        portable_hide.mark_cells(numbers(63), block, cells)
        print(size, margin, list(cells))
    for count, already in ((5, 0), (20, 7), (40, 12)):
        table = array("i", [value // 3 for value in numbers(4 * count)])
        portable_drawing.place_labels(place_labels(count, 160, 90, 11, already), table)
        print(count, already, list(table))
