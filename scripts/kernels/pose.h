// The part of pose.c that only cores with Helium have, in helium/pose-lanes.c: the steps of a thick line, eight at once.
#include <stdint.h>

struct canvas {
    uint8_t *frame;
    int width, height, depth, color;
};

// A thick line on its way: a row of pixels across it for each step along it, in 1/256 of a pixel.
struct band {
    int steep, along, across, step, side; // step and side: 1 or -1
    int near, far, width;
    int error; // of the next step
    int left; // steps
};

// Draws the whole rest. Returns 0, without having drawn, if it cannot draw the next step.
int pose_lanes(const struct canvas *, const struct band *);
