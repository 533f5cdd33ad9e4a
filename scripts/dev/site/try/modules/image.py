"""What n6post's inputs need of the firmware's `image`: a picture, and the canvas that it is drawn on, scaled.

JavaScript moves the pixels (pixels.js). The results are those of stubs/image, for every pixel.
"""

import pixels

BINARY, GRAYSCALE, RGB565 = 0, 1, 2
BILINEAR, SCALE_ASPECT_KEEP, SCALE_ASPECT_IGNORE = 1, 2, 4


class Image:
    """A canvas of one byte a channel: RGB565 in 8 bits, as a network's input gets it, or gray.

    picture     the RGBA of a picture instead, in JavaScript
    """

    def __init__(self, width, height, pixformat=RGB565, picture=None):
        self._size, self._format, self.picture = (width, height), pixformat, picture
        self.channels = 3 if pixformat == RGB565 else 1
        self.data = bytearray(0 if picture is not None else width * height * self.channels)

    def width(self):
        return self._size[0]

    def height(self):
        return self._size[1]

    def format(self):
        return self._format

    def draw_rectangle(self, rect, color, fill):
        """Fill the whole canvas with a gray."""
        r, g = color[0] >> 3, color[1] >> 2
        one = bytes((r << 3 | r >> 2, g << 2 | g >> 4, r << 3 | r >> 2)) if self.channels == 3 else bytes(color[:1])
        self.data[:] = one * (len(self.data) // len(one))

    def draw_image(self, img, x, y, roi, x_scale=1.0, y_scale=1.0, hint=BILINEAR):
        aspect = hint & (SCALE_ASPECT_KEEP | SCALE_ASPECT_IGNORE)
        pixels.draw(self.data, *self._size, self.channels, img.picture, *img._size, x, y, x_scale, y_scale, *roi, aspect)
