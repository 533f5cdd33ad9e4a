"""Detections of a street through a tracker, lines, zones and trails: all their results as text."""

import json

import n6post
from n6post.results.mask import Mask, MaskTransform


def read(path):
    """Frames of detections: rect, score, class, label and, if there is one, the parts of the mask."""
    file = open(path)
    transform = MaskTransform(*json.loads(file.readline()), (0, 0, 480, 360), frame_size=(480, 360))
    for line in file:
        found = []
        for rect, score, class_id, label, mask in json.loads(line):
            if mask:
                data, window, crop, clip = mask
                mask = Mask(bytes(data), tuple(window), tuple(crop), tuple(clip), transform)
            d = n6post.Detection(tuple(rect), score, class_id, label, mask or None, None)
            found.append(d.replace(frame_size=(480, 360)))
        yield found
    file.close()


def run(path, options, masks):
    """Yields after each frame, so that MicroPython can collect garbage there."""
    tracker = n6post.Tracker(**options)
    lines = n6post.LineZone((0, 250), (480, 200)), n6post.LineZone((240, 0), (240, 359), anchor="center", margin=4)
    zones = (
        n6post.PolygonZone([(60, 90), (420, 60), (470, 350), (10, 340)]),
        n6post.PolygonZone([(0, 0), (479, 0), (240, 359)]),
    )
    trail = n6post.Trail(8)
    for number, found in enumerate(read(path)):
        if not masks:
            found = [d.replace(mask=None) for d in found]
        tracked = trail.update(tracker.update(found, dt=(1.0, 0.5, 3.0)[number % 3]))
        print(number, n6post.to_json(tracked, outline=masks))
        print([t[:3] for t in tracker.tracks])
        for line in lines:
            entered, left = line.trigger(tracked)
            print([d.track_id for d in entered], [d.track_id for d in left], n6post.to_json(line))
        for zone in zones:
            print([d.track_id for d in zone.trigger(tracked, elapsed_ms=100)], n6post.to_json(zone))
            print([[zone.contains(x, y) for x in range(0, 480, 97)] for y in range(0, 360, 89)])
            if masks:
                print(["%.6f" % zone.coverage(d.mask) for d in tracked if d.mask is not None])
        print([trail.positions(d.track_id) for d in tracked])
        yield
