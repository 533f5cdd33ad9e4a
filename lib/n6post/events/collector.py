"""Collector: saves the frames of which the network was unsure, to train it on them.

    collector = n6post.Collector("/sdcard/collected")
    while True:
        img = cam.snapshot()
        detections = tracker.update(model.predict([n6post.Letterbox(img)]))
        collector.update(detections, img)  # before anything is drawn

On a PC, `n6post collect` fetches the pictures, shows them, and makes a dataset of them.
"""

import os

from micropython import const
from ulab import numpy as np

from ..pixels.colors import depth_of
from ..results.yolo_text import to_yolo
from ..tensors.lazy import later
from ..tensors.options import Options, number
from ..tracking.anchor_points import MAX_LOST_TRACKS, PerTrack, checked
from ..tracking.clock import START, next_clock
from ..tracking.gallery import Gallery

# The signs of a frame worth training on, the rarest first.
_NEW = const(0)
_CHANGED = const(1)
_LOST = const(2)
_APPEARED = const(3)
_UNSURE = const(4)
_REASONS = ("new", "changed", "lost", "appeared", "unsure")
_WORTH_NEW = 2.0  # for each new class; what the others count is divided by the number of objects

# The entries of a track.
_SEEN = const(0)  # milliseconds of the clock
_COUNT = const(1)  # its detections so far
_LAST = const(2)  # the last of them; once it is lost, without its mask and keypoints
_SAVED = const(3)  # a bit for each reason for which it was saved

_STEADY = const(3)  # detections after which the network should find a track in each frame
_PAUSE = const(1000)  # milliseconds without a frame; for as long after it, and at the start, tracks may begin anywhere
_LOOK_AGAIN = const(1000)  # milliseconds until the next look, if all objects were similar to those of earlier pictures
_QUALITY = const(90)

# What an object looks like: SIDE x SIDE gray values of its box, each the mean of four of FINE x FINE points.
_SIDE = const(8)
_FINE = const(16)
_SIMILAR = 0.9
_KEPT = const(100)  # earlier pictures with which a new one is compared
_FLAT = 8.0  # gray values: boxes whose contrast is less than this are all similar
_GROW = 0.1


class Collector(PerTrack):
    """Saves frames worth training on, each as NUMBER_REASON_WORTH.jpg, with the boxes that the network found in a .txt.

    folder      where the files are written, for example "/sdcard/collected"; it is made if it is not there
    below       scores below this are unsure
    every       seconds between two pictures
    max_files   pictures in the folder. If it is full, a frame worth more replaces the one worth least

    What makes a frame worth training on:

    new         a class that was never there before
    changed     a track with another class than in the frame before
    lost        a track that was found in three frames or more is not found in this one, and neither the border nor another
                object hides it. Its last box is in the .txt file, too
    appeared    a track that begins away from the border
    unsure      a score below `below`. Choose a processor's `threshold` well below that

    REASON is the first of these that a frame has. WORTH is the mean of all its objects, in hundredths: 100 for one that is
    lost, appears or changes, up to 100 for a low score; 200 more for each new class. A track is the reason once at most for
    each of them, and nothing but a new class is saved that looks like the object of one of the last 100 pictures. Detections
    without a `track_id` can only be new and unsure. ValueError for options out of range.
    """

    _option = Options()
    below = _option("below", 0.5, number, 0.0, 1.0)
    every = _option("every", 5.0, number, 0.0, 1e6)
    max_files = _option("max_files", 1000, number, 1, 100000)

    def __init__(self, folder, **options):
        super().__init__(**options)
        if not isinstance(folder, str) or not folder:
            raise ValueError("folder: expected a text, got %r" % (folder,))
        self._folder, self._said = folder, None
        self._files = self._listed()  # pictures, the next number, and the worth and the name of the one worth least
        self.reset()

    def reset(self):
        """Forget all tracks, and what the saved pictures show. The files stay."""
        self._shown = Gallery(_SIMILAR, max_vectors=_KEPT)  # what the objects of the last pictures look like
        self._classes = []
        self._state = START, {}, 0, 0  # the clock; the tracks; when it may save again; since when there was no pause

    @property
    def _tracks(self):  # type: ignore[override]
        return self._state[1]

    @property
    def folder(self):
        """The folder of the pictures."""
        return self._folder

    @property
    def count(self):
        """The number of pictures in the folder."""
        return self._files[0]

    def update(self, detections, img, *, elapsed_ms=None):
        """Examine a frame; returns the path of the picture that it has saved, or None.

        detections  as Tracker.update returns them, or without a tracker
        img         the frame, RGB565 or GRAYSCALE, before anything is drawn on it
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Call it in every frame, with an empty list too. If a file cannot be written, for example because the card is full,
        this prints a sentence, once for each reason, and tries again after `every` seconds. ValueError for anything but
        detections and an image.
        """
        depth_of(img, "")
        last_clock, last_tracks, ready, steady = self._state
        clock = next_clock(last_clock, elapsed_ms)
        now, before = clock[0], last_clock[0]
        oldest = self._oldest(checked(detections), now)
        if now - before > _PAUSE:
            steady = now
        found, tracks = [], dict(last_tracks)
        signs = self._signs(detections, found, tracks, now)
        is_steady = now - steady >= _PAUSE
        if signs:
            signs = [sign for sign in signs if sign[0] != _APPEARED or is_steady and _is_visible(sign[5], found, img)]
        for track_id, track in last_tracks.items() if len(tracks) > len(found) else ():
            seen, count, last, saved = track
            if tracks[track_id] is not track:
                continue
            if seen < oldest or len(tracks) > MAX_LOST_TRACKS:
                del tracks[track_id]
            elif seen == before:  # found in the last frame, but not in this one
                last = last.replace(mask=None, keypoints=None)
                tracks[track_id] = seen, count, last, saved
                if is_steady and count >= _STEADY and _is_visible(last, found, img):
                    signs.append((_LOST, 0, track_id, 1.0, track_id, last))
        path = None
        if signs and now >= ready:
            # The mean of all objects: a sum would be highest where there are many.
            new = len([sign for sign in signs if sign[0] == _NEW])
            lost = len([sign for sign in signs if sign[0] == _LOST])
            worth = _WORTH_NEW * new + sum([sign[3] for sign in signs]) / (len(found) + lost)
            worth = min(int(100 * worth + 0.5), 999)
            reasons = [sign for sign in sorted(signs) if not _is_saved(tracks, sign)]
            if reasons and (self._files[0] < self.max_files or worth > self._files[2]):
                path, wait = self._first_saved(reasons, worth, found, img, tracks)
                ready = now + min(int(1000 * self.every), wait)
        self._state = clock, tracks, ready, steady
        return path

    def _signs(self, detections, found, tracks, now):
        """The signs of a frame: (reason, two numbers for their order, what it counts, track id, detection).

        Adds what was found, without what only coasts, to `found` and `tracks`.
        """
        signs, below, classes = [], self.below, self._classes
        for at, d in enumerate(detections):
            track_id, _, missed, _, _, _ = d._track
            if missed:
                continue
            _, score, class_id, _, _, _ = d
            found.append(d)
            if track_id is not None:
                track = tracks.get(track_id)
                if track is None:
                    track = now, 0, d, 0
                    signs.append((_APPEARED, 0, at, 1.0, track_id, d))
                elif track[_LAST][2] != class_id:
                    signs.append((_CHANGED, 0, at, 1.0, track_id, d))
                tracks[track_id] = now, track[_COUNT] + 1, d, track[_SAVED]
            if class_id not in classes:
                classes = classes + [class_id]
                signs.append((_NEW, 0, at, 0.0, track_id, d))
            if score < below:
                signs.append((_UNSURE, score, at, 1.0 - score / below, track_id, d))
        return signs

    def _first_saved(self, signs, worth, found, img, tracks):
        """The path of the picture, or None if it shows nothing new, or cannot be written; milliseconds until the next."""
        for reason, _, _, _, track_id, d in signs:
            vector = None if reason == _NEW else _appearance(img, d)
            if vector is not None and self._shown.match(vector):
                continue
            path = self._saved(img, reason, worth, found + [d] if reason == _LOST else found)
            if path:
                track = tracks.get(track_id)
                if track:
                    tracks[track_id] = track[:_SAVED] + (track[_SAVED] | 1 << reason,)
                new = set([one[2] for one in found]) - set(self._classes)
                if new:
                    self._classes = self._classes + sorted(new)
                if vector is not None:
                    self._shown.enroll(0, vector)
            return path, 1 << 30
        return None, _LOOK_AGAIN

    def _saved(self, img, reason, worth, found):
        """Write a picture and its boxes; returns the path, or None if they cannot be written."""
        path = "%s/%05d_%s_%03d" % (self._folder, self._files[1], _REASONS[reason], worth)
        text = to_yolo(found)
        jpeg = img.to_jpeg(quality=_QUALITY, copy=True)
        try:
            try:
                os.mkdir(self._folder)
            except OSError:  # it is there; if it cannot be made, the next line says why
                pass
            with open(path + ".jpg", "wb") as file:
                file.write(jpeg.bytearray())
            with open(path + ".txt", "w") as file:  # last: a picture without it is not whole
                file.write(text)
        except Exception as error:  # a MemoryError too, which is raised again
            self._remove(path)
            if not isinstance(error, OSError):
                raise
            if str(error) != self._said:
                print("n6post: %s.jpg could not be saved: %s" % (path, error))
            self._said, path = str(error), None
        else:
            self._said = None
        self._files = self._listed()
        while path and self._files[0] > self.max_files:  # after it is written: nothing is lost if it cannot be
            self._remove("%s/%s" % (self._folder, self._files[3]))
            self._files = self._listed()
        return path and path + ".jpg"

    def _remove(self, path):
        for ending in (".jpg", ".txt"):  # if the second remains, it is still listed, and removed later
            try:
                os.remove(path + ending)
            except OSError:
                pass

    def _listed(self):
        """The number of pictures in the folder, the next number, and the worth and the name of the one worth least."""
        count, number, worst = 0, 1, (1 << 30, "")
        try:
            names = os.listdir(self._folder)
        except OSError:  # it is not there yet
            names = []
        for name in names:
            parts = name[:-4].split("_")
            if name.endswith(".txt") and len(parts) == 3 and parts[0].isdigit() and parts[2].isdigit():
                count, number = count + 1, max(number, int(parts[0]) + 1)
                worst = min(worst, (int(parts[2]), name[:-4]))
        return (count, number) + worst

    def to_state(self):
        """What the objects of the last pictures look like, and the known classes, for State."""
        known, vectors = self._shown.to_state()
        known["classes"] = self._classes
        return known, vectors

    def from_state(self, state):
        """Take back what `to_state` returned, so that nothing is saved a second time after a restart."""
        self._shown.from_state(state)
        self._classes = state[0]["classes"]


def _is_saved(tracks, sign):
    """Whether the track of a sign has been the reason of a picture before."""
    reason, track_id = sign[0], sign[4]
    track = tracks.get(track_id)
    return track is not None and track[_SAVED] >> reason & 1


def _is_visible(d, found, img):
    """Whether no track should begin or end here: it is away from the border, and no other object hides it."""
    x, y, w, h = d[0]
    width, height = d.frame_size or (img.width(), img.height())
    return (
        min(4 * x, 4 * (width - x - w)) >= w
        and min(4 * y, 4 * (height - y - h)) >= h
        and not [one for one in found if one is not d and d.overlap(one) > 0.5]
    )


def _appearance(img, d):
    """What a detection looks like: 8 x 8 gray values of its part of the picture, minus their mean, and a constant."""
    points = np.zeros((_FINE, _FINE), dtype=np.uint8)
    x, y, w, h = roi = later.results_places.region_in(img, d, _GROW)
    canvas = later.pixels_colors.gray(points, _FINE, _FINE)
    # The scale is a hair larger, so that rounding loses no row.
    canvas.draw_image(img, 0, 0, x_scale=(_FINE + 0.01) / w, y_scale=(_FINE + 0.01) / h, roi=roi)
    pairs = np.zeros((_SIDE, _FINE))
    for at in range(_SIDE):
        pairs[at, 2 * at : 2 * at + 2] = 0.5
    values = np.dot(np.dot(pairs, points), pairs.transpose()).reshape((_SIDE * _SIDE,))
    vector = np.zeros(_SIDE * _SIDE + 1)
    vector[: _SIDE * _SIDE] = values - np.mean(values)
    vector[_SIDE * _SIDE] = _FLAT * _SIDE
    return vector
