"""Reading: a text that was read in a picture."""

from collections import OrderedDict, namedtuple

from ..tensors.lazy import later


class Reading(namedtuple("Reading", ("text", "score", "scores"))):
    """A text that was read, its score, and the score of each of its characters.

        reading = reader.predict([img])  # a model with a TextLine
        if reading:
            print(reading.text, reading.score)

    It is false if nothing was read: then its text is "", its score 0.0 and `scores` is empty.
    """

    def __bool__(self):
        return len(self[0]) > 0

    def as_dict(self):
        """The reading as a text and numbers. json.dumps makes the same text of it on a camera and on a PC.

        {"text": "AB123", "score": 0.957, "scores": [0.99, ...]}, scores rounded to 3 decimals.
        """
        rounded = later.results_dicts.rounded
        scores = [rounded(one) for one in self[2]]
        return OrderedDict([("text", self[0]), ("score", rounded(self[1])), ("scores", scores)])

    def draw(self, img, *, color=None):
        """Write the text and its score into the upper left corner of `img` (RGB565 or GRAYSCALE), and return img.

        color   (r, g, b) of the ground behind the text; None: the color of class 0
        """
        later.drawing_captions.draw_caption(img, self._caption(), color)
        return img

    def _drawn_by(self):
        return _draw

    def _caption(self):
        return [(0, self[0], self[1])] if self else []


def _draw(reading, *arguments):
    later.drawing_captions.draw_classification(reading._caption(), *arguments)
