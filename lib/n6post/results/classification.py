"""Classification: the most probable classes of a picture."""

from collections import OrderedDict, namedtuple

from ..tensors.lazy import later


class ClassScore(namedtuple("ClassScore", ("class_id", "label", "score"))):
    def as_dict(self):
        """The class as numbers and a text, for JSON."""
        return later.results_dicts.record_as_dict(self, ("class_id", "label", "score"))


class Classification:
    """The most probable classes of a picture, best first.

        result = classifier.predict([img])
        if result.label == "person" and result.score > 0.8:
            ...
        for class_id, label, score in result:
            print(label, score)

    It has a length, and each item has `class_id`, `label` and `score`. It is empty if no class reaches the threshold.
    """

    def __init__(self, class_ids, scores, labels):
        self._class_ids = class_ids  # best first
        self._scores = scores
        self._labels = labels  # of all classes, or () if they have none

    def _name_of(self, class_id):
        return self._labels[class_id] if class_id < len(self._labels) else str(class_id)

    @property
    def class_id(self):
        """The number of the best class; None if there is none."""
        return self._class_ids[0] if self._class_ids else None

    @property
    def label(self):
        """The label of the best class; None if there is none."""
        return self._name_of(self._class_ids[0]) if self._class_ids else None

    @property
    def score(self):
        """The score of the best class, 0..1; 0.0 if there is none."""
        return self._scores[0] if self._scores else 0.0

    def score_of(self, class_id):
        """The score of a class, given by number or label; 0.0 for one that is not among the best."""
        for number, score in zip(self._class_ids, self._scores):
            if class_id == number or class_id == self._name_of(number):
                return score
        return 0.0

    def __len__(self):
        return len(self._class_ids)

    def __getitem__(self, at):
        class_ids = self._class_ids[at]
        if not isinstance(class_ids, list):
            return ClassScore(class_ids, self._name_of(class_ids), self._scores[at])
        return [ClassScore(class_id, self._name_of(class_id), score) for class_id, score in zip(class_ids, self._scores[at])]

    def __iter__(self):
        return iter(self[:])

    def draw(self, img, *, color=None):
        """Write the best class and its score into the upper left corner of `img` (RGB565 or GRAYSCALE), and return img.

        color   (r, g, b) of the ground behind the text; None: the color of the class
        """
        later.drawing_captions.draw_caption(img, self, color)
        return img

    def _drawn_by(self):
        return later.drawing_captions.draw_classification

    def as_dict(self):
        """The classes as numbers and strings. json.dumps makes the same text of it on a camera and on a PC.

        {"classes": [{"class_id": 1, "label": "person", "score": 0.957}, ...]}, scores rounded to 3 decimals.
        """
        rounded = later.results_dicts.rounded
        classes = []
        for class_id, label, score in self:
            classes.append(OrderedDict([("class_id", class_id), ("label", label), ("score", rounded(score))]))
        return {"classes": classes}

    def __repr__(self):
        return "Classification(%s)" % ", ".join(["%s %.3f" % one[1:] for one in self])
