// gcc: -O2
// Eight steps of a thick line at once, one in each lane: their pixels are scattered, row after row across the line.
#include <arm_mve.h>
#include "pose.h"

// Blends the pixels at offsets `at` where row >= inside. error: as of blend in pose.c, here from 0 to 256 only. A channel is
// (old - new) * error + new * 256, at the top of its lane. Assembler, because GCC moves a predicate to a register and back.
static inline __attribute__((always_inline)) void blend(uint8_t *base, int depth, int new, uint16x8_t at, uint16x8_t error,
                                                        uint16x8_t row, int inside)
{
    uint16x8_t a, b, c;
    if (depth == 1) {
        __asm volatile("vpt.u16 cs, %q[row], %[inside]\nvldrbt.u16 %q[a], [%[base], %q[at]]\nvsub.i16 %q[a], %q[a], %[new]\n"
                       "vmlas.s16 %q[a], %q[error], %[top]\nvshr.u16 %q[a], %q[a], #8\nvpst\nvstrbt.16 %q[a], [%[base], %q[at]]"
                       : [a] "=&w"(a)
                       : [row] "w"(row), [inside] "r"(inside), [base] "r"(base), [at] "w"(at), [error] "w"(error),
                         [new] "r"(new), [top] "r"(new << 8)
                       : "memory");
        return;
    }
    int red = new >> 11, green = new >> 5 & 63, blue = new & 31;
    __asm volatile("vpt.u16 cs, %q[row], %[inside]\nvldrht.u16 %q[a], [%[base], %q[at], uxtw #1]\n"
                   "vshl.i16 %q[b], %q[a], #5\nvshr.u16 %q[b], %q[b], #10\nvsub.i16 %q[b], %q[b], %[green]\n"
                   "vshl.i16 %q[c], %q[error], #2\nvmlas.s16 %q[b], %q[c], %[green10]\nvshl.i16 %q[c], %q[error], #3\n"
                   "vshl.i16 %q[error], %q[a], #11\nvshr.u16 %q[error], %q[error], #11\n"
                   "vshr.u16 %q[a], %q[a], #11\nvsub.i16 %q[a], %q[a], %[red]\nvmlas.s16 %q[a], %q[c], %[red11]\n"
                   "vsri.16 %q[a], %q[b], #5\nvsub.i16 %q[error], %q[error], %[blue]\n"
                   "vmlas.s16 %q[error], %q[c], %[blue11]\nvsri.16 %q[a], %q[error], #11\n"
                   "vpst\nvstrht.16 %q[a], [%[base], %q[at], uxtw #1]"
                   : [error] "+w"(error), [a] "=&w"(a), [b] "=&w"(b), [c] "=&w"(c)
                   : [row] "w"(row), [inside] "r"(inside), [base] "r"(base), [at] "w"(at), [red] "r"(red), [green] "r"(green),
                     [blue] "r"(blue), [red11] "r"(red << 11), [green10] "r"(green << 10), [blue11] "r"(blue << 11)
                   : "memory");
}

int pose_lanes(const struct canvas *c, const struct band *band)
{
    int width = c->width, depth = c->depth, steep = band->steep, side = band->side, near = band->near, far = band->far;
    int along = band->step * (steep ? width : 1), across = side * (steep ? 1 : width), last = (steep ? width : c->height) - 1;
    int most = 10 + (band->width + 256) / far; // rows across the line in which eight steps may have pixels
    int down = along < 0 ? -7 * along : 0, up = along > 0 ? 7 * along : 0;
    if (across < 0)
        down -= most * across;
    else
        up += most * across;
    int error = band->error, place = band->across;
    if (side < 0)
        place = last - place;
    if (error > 256 || down + up > 65535)
        return 0;
    // Offsets are unsigned: they count from the lowest pixel of eight steps.
    int first = (steep ? band->along * width + band->across : band->across * width + band->along) - down;
    uint8_t *base = c->frame + first * depth;
    int color = c->color;
    uint16x8_t lane = vidupq_n_u16(0, 1);
    uint16x8_t errors_from = vmulq_n_u16(lane, near), at_from = vmlaq_n_u16(vdupq_n_u16(down), lane, along);
    // x / far is x * inverse >> 23, exact for all that is divided here.
    uint16x8_t inverse = vdupq_n_u16((1 << 23) / far + 1);
    // The row across the line is counted in its direction up to the frame's last one, which is -1: a large unsigned number.
    int inside = 65535 - last;
    place -= last + 1;
    for (int left = band->left; left > 0; left -= 8) {
        // How far the line has moved to its side in each lane: (error + lane * near - 256) / far, rounded up.
        uint16x8_t errors = vaddq_n_u16(errors_from, error);
        uint16x8_t moved = vshrq_n_u16(vmulhq_u16(vqsubq_n_u16(errors, 257 - far), inverse), 7);
        errors = vmlaq_n_u16(errors, moved, -far);
        uint16x8_t at = vmlaq_n_u16(at_from, moved, across), row = vaddq_n_u16(moved, place);
        __asm("vctp.16 %1\nvpsel %q0, %q0, %q2" : "+w"(row) : "r"(left), "w"(vdupq_n_u16(0))); // behind the line's end: outside
        blend(base, depth, color, at, errors, row, inside);
        uint16x8_t full = vshrq_n_u16(vmulhq_u16(vaddq_n_u16(errors, 255 - far + band->width), inverse), 7); // without a blend
        uint16x8_t rest = vaddq_n_u16(vsubq_u16(vmulq_n_u16(full, far), errors), far - band->width);
        uint16x8_t end = vaddq_n_u16(vmlaq_n_u16(at, full, across), across);
        blend(base, depth, color, end, rest, vaddq_n_u16(vaddq_u16(row, full), 1), inside);
        int n = vmaxvq_u16(0, full);
        uint16x8_t to = vqaddq_u16(row, full), paint = vdupq_n_u16(color);
#define FILL(store) \
    __asm volatile("wls lr, %[n], 2f\n1:\nvadd.i16 %q[at], %q[at], %[across]\nvadd.i16 %q[row], %q[row], %[one]\n" \
                   "vpt.u16 cs, %q[row], %[inside]\nvcmpt.u16 cs, %q[to], %q[row]\nvpst\n" store "\nle lr, 1b\n2:" \
                   : [at] "+w"(at), [row] "+w"(row) \
                   : [n] "r"(n), [across] "r"(across), [one] "r"(1), [inside] "r"(inside), [to] "w"(to), [paint] "w"(paint), \
                     [base] "r"(base) \
                   : "lr", "memory")
        if (depth == 1)
            FILL("vstrbt.16 %q[paint], [%[base], %q[at]]");
        else
            FILL("vstrht.16 %q[paint], [%[base], %q[at], uxtw #1]");
        int reached = error - 257 + far + 8 * near, sides = reached > 0 ? reached / far : 0;
        error += 8 * near - sides * far;
        place += sides;
        base += (8 * along + sides * across) * depth;
    }
    return 1;
}
