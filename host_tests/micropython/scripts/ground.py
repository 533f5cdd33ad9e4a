"""Tracks of a street on a Plane, their heat maps, and detections that tiles have cut: all results as text."""

import n6post
import tracking

PIXELS = [(90, 120), (240, 95), (470, 330), (20, 340), (300, 180)]
METRES = [(0, 20), (7.5, 22), (6, 5), (-1, 4.5), (5.2, 12)]


class Cut:
    """A model that finds what of a frame's detections lies in its tile."""

    found = ()

    def predict(self, inputs):
        left, top, width, height = inputs[0].roi
        cut = []
        for d in self.found:
            x, y, w, h = d.rect
            x0, y0, x1, y1 = max(x, left), max(y, top), min(x + w, left + width), min(y + h, top + height)
            if x0 < x1 and y0 < y1:
                whole = (x1 - x0, y1 - y0) == (w, h)
                cut.append(d.replace(rect=(x0, y0, x1 - x0, y1 - y0), score=d.score if whole else d.score - 0.125))
        return cut


class Frame:
    """A picture of nothing but a size."""

    def width(self):
        return 480

    def height(self):
        return 360


def written(numbers):
    return numbers and ["%.4f" % number for number in numbers]


def run(path, masks):
    """Yields after each frame, so that MicroPython can collect garbage there."""
    tracker = n6post.Tracker(coast=0.24)
    plane = n6post.Plane(PIXELS, METRES, window=0.7)
    exact = n6post.Plane(PIXELS[:4], METRES[:4], anchor="center")
    maps = n6post.HeatMap(24, 18), n6post.HeatMap(16, 12, half_life=0.5), n6post.HeatMap(7, 5, anchor="box")
    eye = Cut()
    tiles = n6post.Tiles(eye, columns=3, tiles_per_frame=3)
    print(n6post.tiles((480, 360), columns=5, rows=3, overlap=0.35), "%.5f %.5f" % (plane.max_error, exact.max_error))
    for number, found in enumerate(tracking.read(path)):
        if not masks:
            found = [d.replace(mask=None) for d in found]
        elapsed_ms = (100, 40, 66.5)[number % 3]
        tracked = plane.update(tracker.update(found, elapsed_ms=elapsed_ms), elapsed_ms=elapsed_ms)
        for d in tracked:
            place = exact.to_world(d)
            print(d.track_id, written(plane.to_world(d)), written(place), place and exact.to_image(place))
            speed = plane.speed(d)
            print(written(plane.velocity(d)), "None" if speed is None else "%.3f" % speed)
        for one in maps:
            one.update(tracked, elapsed_ms=66.5)
            print(one.max_cell, written([one.value_at(240, 180) or 0.0]), n6post.to_json(one) if number % 10 == 9 else "")
        eye.found = found
        for d in tiles.predict(Frame()):
            print(d.rect, "%.3f" % d.score, d.mask and (d.mask.area, d.mask.centroid, d.mask.rect))
        for metric in ("ios", "iou"):
            print([d.rect for d in n6post.merge(found + tracked, metric=metric, overlap_threshold=0.3)])
        yield
