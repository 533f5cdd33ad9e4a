// gcc: -O2
// The frame rows between two mask rows are tinted together, because most of them need no interpolation: among mask pixels of
// 128 and more all is inside, and is blended; among smaller ones all is outside, and is skipped. Only between one of each, at
// the outline, the mask is interpolated, for eight columns at once: the four mask pixels around a frame pixel are gathered once
// for all of these rows. In each of them the left and the right two are interpolated to bytes, l and r, and these to
// (l * 256 + (r - l) * fx + 128) >> 8, which is at least 128 if the sum is at least 32640 before the rounding.
//
// A color channel becomes (new * a + old * (32 - a)) >> 5. The results are computed at the top of their lanes, and VSRI joins
// the three. If a is 16, the default, it is half of the sum: the pixels are added as a whole, without the last bit of a channel
// where it is set in one of them only, so that nothing is carried into the channel below.
//
// The loops are assembler, because GCC 12 makes no tail-predicated ones.
#include <arm_mve.h>
#include "tint_mask.h"

enum { AVERAGE, BLEND, GRAY };

void strip_columns(struct strip *s, int at, int step, int top, int fraction)
{
    int32x4_t position = vmlaq_n_s32(vdupq_n_s32(at), vreinterpretq_s32_u32(vidupq_n_u32(0, 1)), step);
    for (int n = 0; n < s->columns; n += 4) {
        int32x4_t inside = vminq_s32(vmaxq_s32(position, vdupq_n_s32(0)), vdupq_n_s32(top));
        vstrbq_s32((int8_t *)s->pixels + n, vshrq_n_s32(inside, 16));
        vstrbq_s32((int8_t *)s->fx + n, fraction ? vshrq_n_s32(inside, 8) : vdupq_n_s32(0));
        position = vaddq_n_s32(position, 4 * step);
    }
    int lefts = s->pixels[s->columns - 1] + 1;
    s->starts[0] = 0;
    for (int n = 1; n < lefts; n++)
        s->starts[n] = steps_to((n << 16) - at, step);
    s->starts[lefts] = s->columns;
}

static inline unsigned sixteen_bits(const uint8_t *row, int pixels)
{
    unsigned bits;
    __asm volatile("vctp.8 %1\nvpst\nvldrbt.u8 q0, [%2]\nvcmp.s8 lt, q0, zr\nvmrs %0, p0"
                   : "=r"(bits) : "r"(pixels), "r"(row) : "q0", "memory");
    return bits;
}

// Bit n: whether mask pixel n of the strip is 128 or more. The last pixel of the mask is its own right neighbor.
static unsigned bits_of(const uint8_t *row, int pixels)
{
    unsigned bits = sixteen_bits(row, pixels);
    if (pixels > 16)
        bits |= sixteen_bits(row + 16, pixels - 16) << 16;
    return bits | (bits & 1u << (pixels - 1)) << 1;
}

// Blends eight pixels at any address, with these instructions to load and store them. c0 to c3: as set in tint_rows.
#define AVERAGED(load, store) \
    load ".u8 q0, [%[at]]\nvorr q1, q0, %q[c0]\nvand q0, q0, %q[c1]\nvand q1, q1, %q[c2]\nvhadd.u16 q0, q0, q1\n" \
    store ".8 q0, [%[at]]"
#define BLENDED(load, store, red, green, blue) \
    load ".u8 q3, [%[at]]\nvshr.u16 q0, q3, #11\nvand q1, q3, %q[c2]\nvand q2, q3, %q[c3]\nvmlas.u16 q0, %q[c0], " red "\n" \
    "vmlas.u16 q1, %q[c1], " green "\nvmlas.u16 q2, %q[c0], " blue "\nvsri.16 q0, q1, #5\nvsri.16 q0, q2, #11\n" \
    store ".8 q0, [%[at]]"
#define GRAYED(load, store, red) \
    load ".u16 q0, [%[at]]\nvmlas.u16 q0, %q[c0], " red "\nvshr.u16 q0, q0, #8\n" store ".16 q0, [%[at]]"
#define CONSTANTS [c0] "w"(c0), [c1] "w"(c1), [c2] "w"(c2), [c3] "w"(c3)
#define CLOBBERED "q0", "q1", "q2", "q3", "lr", "cc", "memory"

// Columns inside, in one row.
#define FILL(tinted) \
    __asm volatile("dlstp.16 lr, %[columns]\n1:\n" tinted "letp lr, 1b" \
                   : [at] "+l"(at) \
                   : [columns] "r"(columns), [red] "r"(s->red), [green] "r"(s->green), [blue] "r"(s->blue), CONSTANTS \
                   : CLOBBERED)

// Up to eight columns at the outline, in all rows. Registers that are free behind the gathers hold what the rows need; q3 and
// c3 do so, too, unless BLENDED needs them. `first` sets what the rows need, `again` loads what BLENDED has overwritten.
#define TRACE(first, again, lower_left, tinted) \
    __asm volatile("vctp.16 %[columns]\nvpstt\nvldrbt.u16 q0, [%[left]]\nvldrbt.u16 q3, [%[fx]]\n" \
                   "vpstt\nvldrbt.u16 q1, [%[upper], q0]\nvldrbt.u16 q2, [%[lower], q0]\n" \
                   "vsub.i16 q2, q2, q1\nvshl.i16 q1, q1, #8\nadd %[upper], #1\nadd %[lower], #1\n" \
                   "vstrw.32 q1, [%[around]]\nvstrw.32 q2, [%[around], #48]\nvstrw.32 q3, [%[around], #64]\n" \
                   "vcmp.i16 ne, q3, zr\nvpstt\nvldrbt.u16 q1, [%[upper], q0]\nvldrbt.u16 q2, [%[lower], q0]\n" \
                   "vsub.i16 q2, q2, q1\nvshl.i16 q1, q1, #8\n" \
                   "vstrw.32 q1, [%[around], #16]\nvstrw.32 q2, [%[around], #32]\n" \
                   "movw %[left], #32640\nmov %[fx], #256\ndls lr, %[rows]\n" first "1:\n" \
                   "ubfx %[columns], %[position], #8, #8\nadd %[position], %[step]\n" \
                   "vldrw.32 q1, [%[around], #16]\nvldrw.32 q2, [%[around], #32]\nvmla.s16 q1, q2, %[columns]\n" \
                   "vldrw.32 q0, [%[around]]\n" again "vmla.s16 q0, " lower_left ", %[columns]\n" \
                   "vrshr.u16 q1, q1, #8\nvrshr.u16 q0, q0, #8\n" \
                   "vsub.i16 q1, q1, q0\nvmul.i16 q1, q1, q3\nvmla.s16 q1, q0, %[fx]\nvpt.u16 cs, q1, %[left]\n" \
                   tinted "\nadd %[at], %[frame_step]\nle lr, 1b" \
                   : [at] "+l"(at), [columns] "+r"(few), [left] "+l"(left), [fx] "+l"(fx), [upper] "+r"(above), \
                     [lower] "+r"(under), [position] "+r"(position), [rows] "+r"(rows), [c3] "+w"(c3) \
                   : [around] "r"(&around), [step] "r"(step), [frame_step] "r"(frame_step), [c0] "w"(c0), [c1] "w"(c1), \
                     [c2] "w"(c2) \
                   : CLOBBERED)

struct around {
    uint16_t lanes[5][8]; // upper left pixel * 256, upper right * 256, lower - upper of the right and of the left, fx
    int red, green, blue;
};

static void tint_rows(struct strip *s, int mode)
{
    struct around around;
    around.red = s->red;
    around.green = s->green;
    around.blue = s->blue;
    int frame_step = s->frame_step, step = s->step, depth = mode == GRAY ? 1 : 2;
    uint16x8_t c0 = vdupq_n_u16(mode == AVERAGE ? 0xf7de : mode == BLEND ? s->keep << 6 : s->keep);
    uint16x8_t c1 = vdupq_n_u16(mode == AVERAGE ? s->color | 0xf7de : s->keep);
    uint16x8_t c2 = vdupq_n_u16(mode == AVERAGE ? s->color : 0x7e0);
    uint16x8_t c3 = vdupq_n_u16(0x1f);
    while (s->rows > 0) {
        int row = s->at >> 16, below = s->below, count = smaller(s->rows, steps_to(((row + 1) << 16) - s->at, step));
        if (row < 0 || row >= s->last) { // above the first row and from the last row on, both rows are that row
            row = row < 0 ? 0 : s->last;
            below = 0;
        }
        const uint8_t *upper = s->mask + row * s->mask_step, *lower = upper + below;
        unsigned first = bits_of(upper, s->span), second = bits_of(lower, s->span);
        unsigned all = (2u << s->pixels[s->columns - 1]) - 1, inside = first & second, some = first | second;
        inside &= inside >> 1 & all;
        some = (some | some >> 1) & all;
        while (some) {
            int pixel = __builtin_ctz(some), is_inside = inside >> pixel & 1;
            int end = pixel + __builtin_ctz((is_inside ? ~inside : inside | ~some) >> pixel);
            int from = s->starts[pixel], columns = s->starts[end] - from; // none if mask pixels are smaller than the frame's
            some = some >> end << end;
            uint8_t *start = s->frame + from * depth;
            if (is_inside) {
                for (int n = columns > 0 ? count : 0; n > 0; n--, start += frame_step) {
                    uint8_t *at = start;
                    if (mode == AVERAGE)
                        FILL(AVERAGED("vldrb", "vstrb") ", #16\n");
                    else if (mode == BLEND)
                        FILL(BLENDED("vldrb", "vstrb", "%[red]", "%[green]", "%[blue]") ", #16\n");
                    else
                        FILL(GRAYED("vldrb", "vstrb", "%[red]") ", #8\n");
                }
                continue;
            }
            for (; columns > 0; columns -= 8, from += 8, start += 8 * depth) {
                const uint8_t *left = s->pixels + from, *fx = s->fx + from, *above = upper, *under = lower;
                uint8_t *at = start;
                int few = columns, position = s->at, rows = count;
                if (mode == AVERAGE)
                    TRACE("vldrw.32 %q[c3], [%[around], #48]\n", "", "%q[c3]", AVERAGED("vldrbt", "vpst\nvstrbt"));
                else if (mode == BLEND)
                    TRACE("ldrd %[upper], %[lower], [%[around], #80]\nldr %[rows], [%[around], #88]\n",
                          "vldrw.32 q3, [%[around], #64]\nvldrw.32 q2, [%[around], #48]\n", "q2",
                          BLENDED("vldrbt", "vpst\nvstrbt", "%[upper]", "%[lower]", "%[rows]"));
                else
                    TRACE("ldr %[upper], [%[around], #80]\nvldrw.32 %q[c3], [%[around], #48]\n", "", "%q[c3]",
                          GRAYED("vldrbt", "vpst\nvstrbt", "%[upper]"));
            }
        }
        s->rows -= count;
        s->at += count * step;
        s->frame += count * frame_step;
    }
}

void rows_rgb565(struct strip *s)
{
    tint_rows(s, s->keep == 16 ? AVERAGE : BLEND);
}

void rows_gray(struct strip *s)
{
    tint_rows(s, GRAY);
}
