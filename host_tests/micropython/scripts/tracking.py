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
    lines = (
        n6post.LineZone((0, 250), (480, 200), margin=0.1, min_frames=1),
        n6post.LineZone((240, 0), (240, 359), anchor="center", margin=4, min_frames=1),
        n6post.LineZone((200, 0), (260, 359), anchor=("bottom_left", "bottom_right"), count_coasting=True),
    )
    zones = (
        n6post.PolygonZone([(60, 90), (420, 60), (470, 350), (10, 340)], margin=0, min_frames=1, min_seconds=0.5),
        n6post.PolygonZone([(0, 0), (479, 0), (240, 359)], max_gap=0.3),
        n6post.PolygonZone([(90, 100), (300, 90), (250, 350)], anchor=("bottom_left", "bottom_right"), count_coasting=True),
    )
    trail = n6post.Trail(8)
    hold, alone = n6post.Hold(0.6, release=0.2), n6post.Hold(seconds=0.5)
    for number, found in enumerate(read(path)):
        if not masks:
            found = [d.replace(mask=None) for d in found]
        tracked = trail.update(tracker.update(found, elapsed_ms=(80, 40, 240.5)[number % 3]), elapsed_ms=120)
        for d in tracked:
            d.data["frames"] = d.data.get("frames", 0) + 1
        print(number, n6post.to_json(tracked, outline=masks))
        print([t[:3] + t[3:] for t in tracker.tracks])
        print([(d.age, d.missed, d.velocity, d.data) for d in tracked])
        print([d.track_id for d in tracker.started], [t for t in tracker.ended])
        held = hold.trigger([d for d in tracked if d.rect[0] < 240], elapsed_ms=100)
        print([(d.track_id, hold.held_time(d)) for d in held])
        print(alone.trigger(number % 9 != 8, elapsed_ms=99.5), alone.held_time())
        for line in lines:
            entered, left = line.trigger(tracked, elapsed_ms=100)
            print([d.track_id for d in entered], [d.track_id for d in left], n6post.to_json(line))
        for zone in zones:
            print([d.track_id for d in zone.trigger(tracked, elapsed_ms=100)], n6post.to_json(zone))
            print([d.track_id for d in zone.entered], [tuple(visit) for visit in zone.left], "%.4f" % zone.mean_dwell_time)
            print(int(100000 * zone.occupancy(tracked) + 0.5))
            print([[zone.contains(x, y) for x in range(0, 480, 97)] for y in range(0, 360, 89)])
            if masks:
                print(["%.6f" % zone.coverage(d.mask) for d in tracked if d.mask is not None])
        print([trail.positions(d.track_id) for d in tracked])
        yield
