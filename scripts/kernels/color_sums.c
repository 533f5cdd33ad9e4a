// Sums of the colors of a mask's frame pixels. color_sums(frame, mask, params, out); see portable/places.py.
//
// In each row of the mask the runs of pixels inside are found. Each run is a block of frame pixels, which color_sums_block adds.
#include "color_sums.h"

// Words of `out`: the number of pixels, then these for each channel. A sum has 24 bits in its low word.
enum { SUM_HIGH, SUM_LOW, SQUARES_HIGH, SQUARES_LOW, LEAST, LARGEST, CHANNEL };

#define MOST 65535 // pixels whose squares have a sum of 32 bits

static void split(int32_t *out, uint64_t value)
{
    out[0] = (int32_t)(value >> 24);
    out[1] = (int32_t)(value & 0xFFFFFF);
}

struct sums {
    uint64_t sum, squares;
};

static void flush(struct block *block, struct sums *sums)
{
    for (int i = 0; i < 3; i++) {
        sums[i].sum += block->channels[i].sum;
        sums[i].squares += block->channels[i].squares;
        block->channels[i].sum = block->channels[i].squares = 0;
    }
}

int color_sums(const uint8_t *frame, const uint8_t *mask, const struct color_sums_params *params, int32_t *out)
{
    struct block block;
    struct sums sums[3];
    int depth = params->depth, width = params->width, stride = params->frame_width * depth, pixels = 0, pending = 0;
    const int32_t *columns = params->edges + 1, *rows = columns + width + 1; // behind their number
    block.depth = depth;
    block.stride = stride;
    for (int i = 0; i < 3; i++) {
        block.channels[i] = (struct channel){ 0, 255, 0, 0 };
        sums[i] = (struct sums){ 0, 0 };
    }
    for (int row = 0; row < params->height; row++, mask += params->step) {
        int first = rows[row], high = rows[row + 1] - first;
        if (high <= 0)
            continue;
        for (int column = 0; column < width;) {
            if (mask[column] < 128) {
                column++;
                continue;
            }
            int left = columns[column];
            while (column < width && mask[column] >= 128)
                column++;
            int across = columns[column] - left;
            if (across <= 0)
                continue;
            const uint8_t *at = frame + first * stride + left * depth;
            block.pixels = across;
            pixels += across * high;
            for (int down = high; down > 0; down -= block.rows) {
                if (pending + across > MOST) {
                    flush(&block, sums);
                    pending = 0;
                }
                block.rows = 0;
                while (block.rows < down && pending + across <= MOST) {
                    block.rows++;
                    pending += across;
                }
                block.at = at;
                color_sums_block(&block);
                at += block.rows * stride;
            }
        }
    }
    flush(&block, sums);
    *out++ = pixels;
    for (int i = 0; i < 3; i++, out += CHANNEL) {
        int from = depth == 2 ? i : 0;
        split(out + SUM_HIGH, sums[from].sum);
        split(out + SQUARES_HIGH, sums[from].squares);
        out[LEAST] = block.channels[from].least;
        out[LARGEST] = block.channels[from].largest;
    }
    return pixels;
}
