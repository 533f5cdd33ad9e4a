"""Detections of a street through a tracker, lines, zones and trails: everything that they tell, as text."""

import json

import n6post
from n6post.mask import Grid, Mask


class Detection(n6post.Detection):
    frame_size = (480, 360)


def read(path):
    """Frames of detections: rect, score, class, label and, where there is one, what a mask is made of."""
    file = open(path)
    grid = Grid(*json.loads(file.readline()), (0, 0, 480, 360), frame_size=(480, 360))
    for line in file:
        found = []
        for rect, score, class_id, label, mask in json.loads(line):
            if mask:
                data, window, crop, clip = mask
                mask = Mask(bytes(data), tuple(window), tuple(crop), tuple(clip), grid)
            found.append(Detection(tuple(rect), score, class_id, label, mask or None, None))
        yield found
    file.close()


def run(path, options, masks):
    """Yields after each frame: there MicroPython may collect."""
    tracker = n6post.Tracker(**options)
    lines = n6post.LineZone((0, 250), (480, 200)), n6post.LineZone((240, 0), (240, 359), "center", margin=4)
    zones = (
        n6post.PolygonZone([(60, 90), (420, 60), (470, 350), (10, 340)]),
        n6post.PolygonZone([(0, 0), (479, 0), (240, 359)]),
    )
    trail = n6post.Trail(8)
    for number, found in enumerate(read(path)):
        if not masks:
            found = [d.replace(mask=None) for d in found]
        tracked = trail.update(tracker.update(found, (1.0, 0.5, 3.0)[number % 3]))
        print(number, n6post.to_json(tracked, outline=masks))
        print([t[:3] for t in tracker.tracks])
        for line in lines:
            came, went = line.trigger(tracked)
            print([d.track_id for d in came], [d.track_id for d in went], n6post.to_json(line))
        for zone in zones:
            print([d.track_id for d in zone.trigger(tracked, 100)], n6post.to_json(zone))
            print([[zone.contains(x, y) for x in range(0, 480, 97)] for y in range(0, 360, 89)])
            if masks:
                print(["%.6f" % zone.share(d.mask) for d in tracked if d.mask is not None])
        print([trail.positions(d.track_id) for d in tracked])
        yield
