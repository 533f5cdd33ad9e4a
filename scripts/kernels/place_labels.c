// Find a position for each label. place_labels(params, table); see portable/drawing.py.
//
// For each label, the best detection's first, the four positions are tried in turn: each is compared with all labels before.
// The first `already` rows are texts that are in the picture already.
#include <stdint.h>
#include "params.h"

struct label {
    int32_t x, y, h, span;
};

static int taken(const struct label *first, const struct label *end, int x, int span, int y, int line)
{
    for (const struct label *other = first; other < end; other++) {
        int below = y - other->y;
        if (other->span && other->x < x + span && x < other->x + other->span && -line < below && below < line)
            return 1;
    }
    return 0;
}

int place_labels(const struct place_labels_params *params, struct label *labels)
{
    int width = params->frame_width, line = params->line, lowest = params->frame_height - line;
    for (struct label *at = labels + params->already; at < labels + params->count; at++) {
        int span = at->span, x = at->x, y = at->y;
        if (!span)
            continue;
        if (x + span > width)
            x = width > span ? width - span : 0;
        int top = y >= line ? y - line : y;
        if (taken(labels, at, x, span, top, line))
            for (int k = 0; k < 3; k++) {
                int other = k == 0 ? y : k == 1 ? y + at->h : y + at->h - line;
                if (other >= 0 && other <= lowest && !taken(labels, at, x, span, other, line)) {
                    top = other;
                    break;
                }
            }
        at->x = x;
        at->y = top;
    }
    return 0;
}
