"""Parts of a frame made unrecognizable, in cells of some pixels: the reference of helium/hide.py and m7/hide.py.

Cells are squares of `size` pixels. The first one lies in the frame's upper left corner, and those at its right and lower
edge may be cut. Both kernels read a rectangle of cells. Conventions: numeric.py.
"""

from ulab import numpy as np

from ..params.hide import BLUR, FILL


def mark_cells(mask, params, cells):
    """Mark every cell that a pixel of a mask may tint, and no other.

    mask    bytes, width * height
    params  0 and 1 mask width and height, 2 and 3 the frame pixel where the mask begins, 4 and 5 half of the width and
            height of a mask pixel in 1/65536 frame pixels, 6 and 7 margin around a mask pixel, frame pixels, 8..11 clip
            rectangle x0, y0, x1, y1 (half open), 12 and 13 the first column and row of the cells, 14 size of a cell, 15 and
            16 columns and rows of the cells
    cells   bytes, columns * rows: 1 is written for marked ones, 0 for others

    A mask pixel of 128 or more reaches one mask pixel beyond itself, because masks are interpolated, and a frame pixel more
    because its position is rounded. The first and the last pixel of a row or a column reach to the clip rectangle.
    """
    width, height, x, y, x_step, y_step, margin_x, margin_y, x0, y0, x1, y1, left, top, size, columns, rows = params[:17]
    x0, y0 = max(x0, left * size), max(y0, top * size)
    x1, y1 = min(x1, (left + columns) * size), min(y1, (top + rows) * size)
    for at in range(columns * rows):
        cells[at] = 0
    if x0 >= x1 or y0 >= y1:
        return
    for row in range(height):
        first = y0 if row == 0 else max(y0, y + ((2 * row - 1) * y_step >> 16) - margin_y - 1)
        last = y1 if row == height - 1 else min(y1, y + ((2 * row + 3) * y_step >> 16) + margin_y + 2)
        if first >= last:
            continue
        column = 0
        while column < width:
            at = row * width + column
            if mask[at] < 128:
                column += 1
                continue
            begin = x0 if column == 0 else max(x0, x + ((2 * column - 1) * x_step >> 16) - margin_x - 1)
            while column < width and mask[at] >= 128:
                column += 1
                at += 1
            end = x1 if column == width else min(x1, x + ((2 * column + 1) * x_step >> 16) + margin_x + 2)
            if begin >= end:
                continue
            for cell_row in range(first // size - top, (last - 1) // size - top + 1):
                for cell in range(begin // size - left, (end - 1) // size - left + 1):
                    cells[cell_row * columns + cell] = 1


def hide_cells(frame, params, cells, means):
    """Make the marked cells unrecognizable.

    frame   the frame's pixels: RGB565 (native uint16) or GRAYSCALE
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 and 4 the first column and row of
            the cells, 5 and 6 their columns and rows, 7 size of a cell, 1 to 64, 8 how: PIXELATE, BLUR or FILL, 9 color of
            FILL (RGB565; a GRAYSCALE frame takes its luma)
    cells   bytes, columns * rows: not 0 for marked ones. All of them have a pixel in the frame
    means   workspace, uint16, columns * rows

    PIXELATE gives all pixels of a cell its mean color. BLUR interpolates between the means at the centers of the cells,
    those at the edge of the rectangle repeated: so it should be a cell larger than what is marked. All in integers, each
    channel with the frame's own bits; means and interpolated values are rounded half up.
    """
    depth, frame_width, frame_height, left, top, columns, rows, size, how, color = params[:10]
    pixels = np.frombuffer(frame, dtype=np.uint16 if depth == 2 else np.uint8).reshape((frame_height, frame_width))
    view = memoryview(frame)
    if how == FILL and depth == 1:
        r, g, b = color >> 11, color >> 5 & 63, color & 31
        color = (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7
    spans = [_span(left + column, size, frame_width) for column in range(columns)]
    marked = [at for at in range(columns * rows) if cells[at]]
    if how != FILL:
        for at in range(columns * rows) if how == BLUR else marked:
            x0, x1 = spans[at % columns]
            y0, y1 = _span(top + at // columns, size, frame_height)
            means[at] = _mean(pixels[y0:y1, x0:x1], depth)
    for at in marked:
        x0, x1 = spans[at % columns]
        y0, y1 = _span(top + at // columns, size, frame_height)
        if how == BLUR:
            _interpolate(view, frame_width, (x0, y0, x1, y1), means, at % columns, at // columns, columns, rows, size, depth)
            continue
        value = color if how == FILL else means[at]
        row = bytes((value & 255, value >> 8) if depth == 2 else (value,)) * (x1 - x0)
        for y in range(y0, y1):
            _write(view, (y * frame_width + x0) * depth, row)


def _span(cell, size, pixels):
    # The first pixel of a cell, and its end.
    return cell * size, min(cell * size + size, pixels)


def _write(view, at, row):
    # A slice assigned as a whole: see colors.copy_rows.
    view[at : at + len(row)][:] = row


def _mean(cell, depth):
    count = cell.shape[0] * cell.shape[1]
    ones = np.ones(count)
    value = 0
    for factor, channel in zip((2048, 32, 1) if depth == 2 else (1,), _channels(np.array(cell, dtype=np.float), depth)):
        total = int(np.dot(channel.reshape((count,)), ones))  # exact, which ulab's sum is not
        value += (2 * total + count) // (2 * count) * factor
    return value


def _channels(values, depth):
    """The channels of pixels: floats, which hold whole numbers up to 2**24."""
    if depth == 1:
        return (values,)
    red = np.floor(values / 2048.0)
    rest = values - red * 2048.0
    green = np.floor(rest / 32.0)
    return red, green, rest - green * 32.0


def _interpolate(view, frame_width, area, means, column, row, columns, row_count, size, depth):
    x0, y0, x1, y1 = area
    middle_x, middle_y = min(x0 + size // 2, x1), min(y0 + size // 2, y1)
    for first, last, above in ((y0, middle_y, row - 1), (middle_y, y1, row)):
        for begin, end, before in ((x0, middle_x, column - 1), (middle_x, x1, column)):
            if first >= last or begin >= end:
                continue
            # Weights of the cell to the right and of that below, of 2 * size.
            right = _weights(begin, end, x0 - (column - before) * size, size)
            below = _weights(first, last, y0 - (row - above) * size, size).reshape((last - first, 1))
            corners = []
            for cell_row in (max(above, 0), min(above + 1, row_count - 1)):
                for cell in (max(before, 0), min(before + 1, columns - 1)):
                    corners.append(_channels(np.array([means[cell_row * columns + cell]], dtype=np.float), depth))
            values = np.zeros((last - first, end - begin))
            for channel, factor in zip(range(len(corners[0])), (2048.0, 32.0, 1.0) if depth == 2 else (1.0,)):
                a, b, c, d = [corner[channel] for corner in corners]
                mixed = (a * (2.0 * size - below) + c * below) * (2.0 * size - right)
                mixed = mixed + (b * (2.0 * size - below) + d * below) * right
                values = values + np.floor((mixed + 2.0 * size * size) / (4.0 * size * size)) * factor
            rows = np.array(values, dtype=np.uint16 if depth == 2 else np.uint8)
            for y in range(first, last):
                _write(view, (y * frame_width + begin) * depth, rows[y - first].tobytes())


def _weights(begin, end, start, size):
    # Of pixels from `begin` on: twice their distance from the center of the cell that starts at `start`.
    return np.array([2 * at + 1 - size - 2 * start for at in range(begin, end)], dtype=np.float)
