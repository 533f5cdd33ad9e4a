// gcc: -fno-tree-vectorize
// peaks(heat, plan, out): each joint's first maximum, refined to a fraction of a cell and mapped to the frame; the box of
// the visible ones.
//
// The search for the pixel of a joint's first maximum:
//   byte_channels, float_channels  pixel after pixel, the joints are the lanes, 16 or 4 at once: about 3 instructions a pixel.
//             The map is cut into blocks of 32 pixels or more; a joint's best block is kept, and the pixel is looked for
//             in that block alone. Loads are whole vectors, which reach into the next pixels: so in the last block, of 16
//             pixels or more, only the joints' own lanes.
//   byte_plane, float_plane  joint after joint, the pixels are the lanes; once for the maximum, once for its place: where the
//             joints lie plane by plane, or too few are left to be worth a pass of their own.
//   either    int16, which no known network puts out: value by value.
// uint8 becomes int8 of the same order by flipping its top bit. A NaN never is a maximum (VMAXNM takes the number).
#include "tensors.h"

#define INFINITE __builtin_inff()
#define NOINLINE __attribute__((noinline))

static int block_of(int pixels)
{
    int block = 32;
    while (block * 255 < pixels) // blocks are counted in lanes of bytes
        block *= 2;
    return block;
}

// Where the joints' first maxima are, as elements from their first pixel, to first[0 .. lanes - 1].
static NOINLINE void byte_channels(const int8_t *heat, int pixels, int joints, int lanes, int flip, int *first)
{
    const int block = block_of(pixels);
    int left = pixels, number = 0;
    const int8x16_t flips = vdupq_n_s8(flip);
    const int8_t *from = heat;
    int8x16_t best = vdupq_n_s8(-128), most;
    uint8x16_t where = vdupq_n_u8(0);
    do {
        most = veorq_s8(vdupq_n_s8(-128), flips);
        if (left >= block + 16) {
            left -= block;
            // most = max(most, 16 joints of a pixel), four pixels at a time
#define STEP(type) "vldrb.u8 q0, [%[from]]\n add %[from], %[from], %[joints]\n vmax." #type " %q[most], %q[most], q0\n"
#define LOOP(type) \
    __asm__("dls lr, %[n]\n1:\n" STEP(type) STEP(type) STEP(type) STEP(type) \
            "le lr, 1b\n" \
            : [from] "+r"(from), [most] "+w"(most) : [n] "r"(block >> 2), [joints] "r"(joints) : "q0", "lr", "memory")
            if (flip)
                LOOP(u8);
            else
                LOOP(s8);
            most = veorq_s8(most, flips);
        } else {
            most = vdupq_n_s8(-128);
            const mve_pred16_t own = vctp8q(lanes);
            for (; left; left--) {
                most = vmaxq_s8(most, veorq_s8(vldrbq_z_s8(from, own), flips));
                from += joints;
            }
        }
        where = vdupq_m_n_u8(where, number++, vcmpgtq_s8(most, best));
        best = vmaxq_s8(best, most);
    } while (left);
    int8_t values[16];
    uint8_t blocks[16];
    vstrbq_s8(values, veorq_s8(best, flips));
    vstrbq_u8(blocks, where);
    for (int j = 0; j < lanes; j++) {
        const int value = values[j];
        int at = blocks[j] * block * joints;
        while (heat[at] != value)
            at += joints;
        first[j] = at;
        heat++;
    }
}

static NOINLINE void float_channels(const float *heat, int pixels, int joints, int lanes, int *first)
{
    const int block = block_of(pixels);
    int left = pixels, number = 0;
    const float *from = heat;
    float32x4_t best = vdupq_n_f32(-INFINITE), most;
    uint32x4_t where = vdupq_n_u32(0);
    do {
        most = vdupq_n_f32(-INFINITE);
        if (left >= block + 16) {
            left -= block;
            for (int n = block / 4; n; n--) {
#define NEXT most = vmaxnmq_f32(most, vldrwq_f32(from)); from += joints
                NEXT; NEXT; NEXT; NEXT;
            }
        } else {
            const mve_pred16_t own = vctp32q(lanes);
            for (; left; left--) {
                most = vmaxnmq_f32(most, vldrwq_z_f32(from, own));
                from += joints;
            }
        }
        where = vdupq_m_n_u32(where, number++, vcmpgtq_f32(most, best));
        best = vmaxnmq_f32(best, most);
    } while (left);
    float values[4];
    uint32_t blocks[4];
    vstrwq_f32(values, best);
    vstrwq_u32(blocks, where);
    for (int j = 0; j < lanes; j++) {
        int at = blocks[j] * block * joints, end = pixels * joints;
        if (values[j] == -INFINITE)
            end = 0; // nothing but NaN and -infinity: the first pixel
        while (at < end && heat[at] != values[j])
            at += joints;
        first[j] = at < end ? at : 0;
        heat++;
    }
}

// GCC 12 makes no tail-predicated loops of its own: in them the lanes past the end are neither loaded nor compared. LCTP
// ends the predication where such a loop is left early. `step` leads from pixel to pixel.
static NOINLINE int byte_plane(const int8_t *heat, int pixels, int step, int flip)
{
    const int8_t *from = heat;
    int most = -128, hits;
    __asm__("dlstp.8 lr, %[pixels]\n"
            "1: vldrb.u8 q0, [%[from], %q[offsets]]\n"
            "   add %[from], %[from], %[step], lsl #4\n"
            "   veor q0, q0, %q[flips]\n"
            "   vmaxv.s8 %[most], q0\n"
            "   letp lr, 1b\n"
            "   mov %[from], %[heat]\n"
            "   dlstp.8 lr, %[pixels]\n"
            "2: vldrb.u8 q0, [%[from], %q[offsets]]\n"
            "   veor q0, q0, %q[flips]\n"
            "   vcmp.i8 eq, q0, %[most]\n"
            "   vmrs %[hits], p0\n"
            "   cbnz %[hits], 3f\n"
            "   add %[from], %[from], %[step], lsl #4\n"
            "   letp lr, 2b\n"
            "3: lctp\n"
            : [from] "+&r"(from), [most] "+&r"(most), [hits] "=&l"(hits)
            : [heat] "r"(heat), [pixels] "r"(pixels), [step] "r"(step), [flips] "w"(vdupq_n_s8(flip)),
              [offsets] "w"(vmulq_n_u8(vidupq_n_u8(0, 1), step))
            : "q0", "lr", "cc", "memory");
    return from - heat + __builtin_ctz(hits) * step;
}

static NOINLINE int float_plane(const float *heat, int pixels, int step)
{
    const float *from = heat;
    int most = 0xff800000, hits; // bits of -infinity
    __asm__("dlstp.32 lr, %[pixels]\n"
            "1: vldrw.u32 q0, [%[from], %q[offsets], uxtw #2]\n"
            "   add %[from], %[from], %[step], lsl #4\n"
            "   vmaxnmv.f32 %[most], q0\n"
            "   letp lr, 1b\n"
            "   mov %[from], %[heat]\n"
            "   dlstp.32 lr, %[pixels]\n"
            "2: vldrw.u32 q0, [%[from], %q[offsets], uxtw #2]\n"
            "   vcmp.f32 eq, q0, %[most]\n"
            "   vmrs %[hits], p0\n"
            "   cbnz %[hits], 3f\n"
            "   add %[from], %[from], %[step], lsl #4\n"
            "   letp lr, 2b\n"
            "3: lctp\n"
            : [from] "+&r"(from), [most] "+&r"(most), [hits] "=&l"(hits)
            : [heat] "r"(heat), [pixels] "r"(pixels), [step] "r"(step), [offsets] "w"(vmulq_n_u32(vidupq_n_u32(0, 1), step))
            : "q0", "lr", "cc", "memory");
    if (!hits || most == (int) 0xff800000)
        return 0; // nothing but NaN and -infinity: the first pixel
    return from - heat + (__builtin_ctz(hits) >> 2) * step;
}

static NOINLINE int either(const char *heat, int pixels, int step, int dtype)
{
    float most = element(heat, dtype);
    int first = 0;
    for (int at = 0; pixels; pixels--, at += step) {
        const float value = element(heat + (at << log2_size(dtype)), dtype);
        if (value > most)
            most = value, first = at;
    }
    return first;
}

// Where the parabola through three neighbours has its top, in cells from the middle one.
static inline float parabola(float low, float peak, float high)
{
    const float divisor = 2.0f * peak - low - high;
    if (!(divisor > 0.0f && divisor < INFINITE))
        return 0.0f;
    return __builtin_fminf(__builtin_fmaxf(0.5f * (high - low) / divisor, -0.5f), 0.5f);
}

// VMAXNM gives 0 for a NaN and for -0.
static inline float clipped(float a, float high)
{
    return __builtin_fminf(__builtin_fmaxf(a, 0.0f), high);
}

int peaks(const char *heat, struct peaks_plan *plan, float *out)
{
    const int dtype = plan->dtype, width = plan->width, height = plan->height, joints = plan->joints;
    const int pixel_step = plan->pixel_step, joint_step = plan->joint_step, pixels = width * height;
    const int flip = dtype == UINT8 ? -128 : 0, refine = plan->refine;
    const float zero_point = plan->zero_point, cut = dtype == FLOAT32 ? as_float(plan->cut) : (float) plan->cut;
    const float scale = as_float(plan->scale), ax = as_float(plan->ax), bx = as_float(plan->bx);
    const float ay = as_float(plan->ay), by = as_float(plan->by), right = plan->frame_width, bottom = plan->frame_height;
    float x1 = INFINITE, y1 = INFINITE, x2 = 0.0f, y2 = 0.0f, sum = 0.0f;
    int visible = 0, first[16];
    for (int joint = 0; joint < joints;) {
        const char *group = heat + (joint * joint_step << log2_size(dtype));
        const int left = joints - joint, step = pixel_step;
        int lanes = 1;
        if (dtype == INT16)
            *first = either(group, pixels, step, dtype);
        else if (dtype == FLOAT32 && joint_step == 1 && left > 2)
            float_channels((const float *) group, pixels, joints, lanes = left < 4 ? left : 4, first);
        else if (dtype == FLOAT32)
            *first = float_plane((const float *) group, pixels, step);
        else if (step > 17 || (joint_step == 1 && left > 6)) // the offset of a plane's lane 15 is 15 steps
            byte_channels((const int8_t *) group, pixels, joints, lanes = left < 16 ? left : 16, flip, first);
        else
            *first = byte_plane((const int8_t *) group, pixels, step, flip);

        joint += lanes;
        for (int lane = 0; lane < lanes; lane++) {
            const int pixel = first[lane] / step, row = pixel / width, column = pixel - row * width;
            const char *at = group + ((first[lane] + lane) << log2_size(dtype));
            const float peak = element(at, dtype);
            float x = column, y = row;
            if (refine) {
                // Left, right, above, below; at a border the peak itself, which leaves x or y as it is.
                const int dx = column > 0 && column < width - 1 ? step : 0;
                const int dy = row > 0 && row < height - 1 ? step * width : 0;
                const int32x4_t offsets = {-dx, dx, -dy, dy};
                const float32x4_t near = gather(at, (uint32x4_t) offsets, dtype, 0xffff);
                x += parabola(near[0], peak, near[1]);
                y += parabola(near[2], peak, near[3]);
            }
            x = clipped(x * ax + bx, right);
            y = clipped(y * ay + by, bottom);
            const float score = ((peak == peak ? peak : 0.0f) - zero_point) * scale;
            *out++ = x;
            *out++ = y;
            *out++ = score;
            if (peak >= cut) {
                x1 = __builtin_fminf(x1, x);
                y1 = __builtin_fminf(y1, y);
                x2 = __builtin_fmaxf(x2, x);
                y2 = __builtin_fmaxf(y2, y);
                sum += score;
                visible++;
            }
        }
    }
    plan->visible = visible;
    plan->x1 = visible ? as_bits(x1) : 0;
    plan->y1 = visible ? as_bits(y1) : 0;
    plan->x2 = as_bits(x2);
    plan->y2 = as_bits(y2);
    plan->total = as_bits(sum);
    return 0;
}
