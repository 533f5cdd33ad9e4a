"""Legends of class maps and distances, in the lower left corner of a picture. Imported when one is drawn."""

from ..pixels.colors import FONT_HEIGHT, rgb565
from ..pixels.colors import text_scale as usual_text_scale
from .text import place_for, size_of, write


def draw_legend(target, entries, text_scale):
    """Write a legend: lines with a square and a text each, on black.

    target      of the picture, as of text.target_of
    entries     ((r, g, b), text) of each line
    text_scale  1 to 8, or None
    """
    _, _, width, height = target
    scale = text_scale or usual_text_scale(width)
    line = (FONT_HEIGHT + 2) * scale
    spans = [15 * scale + size_of(text, scale)[0] + scale for _, text in entries]
    if not spans:
        return
    w, h = max(spans), line * len(spans)
    x, y = place_for(target, 0, height - h - 2, w, h)
    part = False
    for (color, text), span in zip(entries, spans):
        # On black, because the tinted picture behind has the colors of the squares.
        write(target, x, y, span, line, "", 0, 0, scale, part)
        part = True
        write(target, x + 2 * scale, y + scale, 10 * scale, 10 * scale, "", rgb565(color), 0, scale, part)
        write(target, x + 15 * scale, y + scale, span - 15 * scale, FONT_HEIGHT * scale, text, -1, 0xFFFF, scale, part)
        y += line
