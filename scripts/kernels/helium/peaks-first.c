// gcc: -fno-tree-vectorize
// Finds the pixels of the keypoints' first maxima:
//   byte_channels, float_channels  pixel after pixel, with the keypoints as lanes, 16 or 4 at once: about 3 instructions a
//             pixel. The map is divided into blocks of 32 pixels or more. The best block of each keypoint is kept, and the
//             pixel is searched for only there. Loads are whole vectors, which extend into the next pixels; so in the last
//             block, of 16 pixels or more, only the lanes of the keypoints are loaded. Floats are read once for up to 20
//             keypoints, because their maps do not fit into the cache.
//   byte_plane, float_plane  keypoint after keypoint, with the pixels as lanes: one pass for the maximum, one for its position.
//             Used if the heat maps are planes, or if too few keypoints are left for a pass of byte_channels.
//   by_value  int16, which no known network returns, and floats of which some are odd (tensors.h): value by value.
// uint8 becomes int8 of the same order by flipping its top bit. NaN is never a maximum (VMAXNM returns the number,
// if the NaN is a quiet one).
#include "peaks.h"
#include "vectors.h"

#define INFINITE __builtin_inff()
#define NOINLINE __attribute__((noinline))

static int block_of(int pixels)
{
    int block = 32;
    while (block * 255 < pixels) // blocks are counted in lanes of bytes
        block *= 2;
    return block;
}

// Writes the positions of the first maxima, in elements from each keypoint's first pixel, to first[0 .. lanes - 1].
static NOINLINE void byte_channels(const int8_t *heat, int pixels, int keypoints, int lanes, int flip, int *first)
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
            // most = max(most, 16 keypoints of a pixel), four pixels in each turn
#define STEP(type) "vldrb.u8 q0, [%[from]]\n add %[from], %[from], %[keypoints]\n vmax." #type " %q[most], %q[most], q0\n"
#define LOOP(type) \
    __asm__("dls lr, %[n]\n1:\n" STEP(type) STEP(type) STEP(type) STEP(type) \
            "le lr, 1b\n" \
            : [from] "+r"(from), [most] "+w"(most) : [n] "r"(block >> 2), [keypoints] "r"(keypoints) : "q0", "lr", "memory")
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
                from += keypoints;
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
        int at = blocks[j] * block * keypoints;
        while (heat[at] != value)
            at += keypoints;
        first[j] = at;
        heat++;
    }
}

enum { BLOCK = 64 }; // pixels, with floats

// Keeps the larger maxima of four keypoints, and the block in which they are.
static inline void keep(float *values, uint32_t *blocks, float32x4_t most, int number)
{
    const float32x4_t best = vldrwq_f32(values);
    vstrwq_p_u32(blocks, vdupq_n_u32(number), vcmpgtq_f32(most, best));
    vstrwq_f32(values, vmaxnmq_f32(best, most));
}

// The same, but up to 20 keypoints in each block, so that the values are read while they are in the cache.
static NOINLINE void float_channels(const float *heat, int pixels, int keypoints, int lanes, int *first)
{
    int left = pixels, number = 0;
    const float *from = heat;
    float values[KEYPOINTS];
    uint32_t blocks[KEYPOINTS];
    for (int j = 0; j < KEYPOINTS; j += 4) {
        vstrwq_f32(values + j, vdupq_n_f32(-INFINITE));
        vstrwq_u32(blocks + j, vdupq_n_u32(0));
    }
#define NEXT(most, offset) most = vmaxnmq_f32(most, vldrwq_f32(at + offset))
    for (; left >= BLOCK + 16; left -= BLOCK, number++, from += BLOCK * keypoints) {
        int j = 0;
        if (lanes > 12) { // four vectors
            const float *at = from;
            float32x4_t a = vdupq_n_f32(-INFINITE), b = a, c = a, d = a;
            for (int n = BLOCK / 2; n; n--) {
                NEXT(a, 0); NEXT(b, 4); NEXT(c, 8); NEXT(d, 12); at += keypoints;
                NEXT(a, 0); NEXT(b, 4); NEXT(c, 8); NEXT(d, 12); at += keypoints;
            }
            keep(values, blocks, a, number);
            keep(values + 4, blocks + 4, b, number);
            keep(values + 8, blocks + 8, c, number);
            keep(values + 12, blocks + 12, d, number);
            j = 16;
        }
        for (; j < lanes; j += 4) {
            const float *at = from + j;
            float32x4_t most = vdupq_n_f32(-INFINITE);
            for (int n = BLOCK / 4; n; n--) {
                NEXT(most, 0); at += keypoints;
                NEXT(most, 0); at += keypoints;
                NEXT(most, 0); at += keypoints;
                NEXT(most, 0); at += keypoints;
            }
            keep(values + j, blocks + j, most, number);
        }
    }
    for (int j = 0; j < lanes; j += 4) {
        const float *at = from + j;
        const mve_pred16_t own = vctp32q(lanes - j);
        float32x4_t most = vdupq_n_f32(-INFINITE);
        for (int n = left; n; n--) {
            most = vmaxnmq_f32(most, vldrwq_z_f32(at, own));
            at += keypoints;
        }
        keep(values + j, blocks + j, most, number);
    }
    for (int j = 0; j < lanes; j++) {
        int at = blocks[j] * BLOCK * keypoints, end = pixels * keypoints;
        if (values[j] == -INFINITE)
            end = 0; // nothing but NaN and -infinity: the first pixel
        while (at < end && heat[at] != values[j])
            at += keypoints;
        first[j] = at < end ? at : 0;
        heat++;
    }
}

// GCC 12 does not generate tail-predicated loops, which neither load nor compare the lanes past the end. LCTP ends the
// predication when such a loop is left early. step: elements from pixel to pixel.
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

static NOINLINE int by_value(const char *heat, int pixels, int step, int dtype)
{
    float most = -INFINITE;
    int first = 0;
    for (int at = 0; pixels; pixels--, at += step) {
        const float value = element(heat + (at << log2_size(dtype)), dtype);
        if (value > most)
            most = value, first = at;
    }
    return first;
}

int peaks_first(const struct heat *heat, int *first)
{
    const int step = heat->step, left = heat->keypoints, dtype = heat->dtype, pixels = heat->pixels;
    const int flip = dtype == UINT8 ? -128 : 0;
    int lanes = 1;
    clear_flags();
    if (dtype == INT16)
        *first = by_value(heat->group, pixels, step, dtype);
    else if (dtype == FLOAT32 && heat->keypoint_step == 1 && left > 2)
        float_channels((const float *) heat->group, pixels, step, lanes = left < KEYPOINTS ? left : KEYPOINTS, first);
    else if (dtype == FLOAT32)
        *first = float_plane((const float *) heat->group, pixels, step);
    else if (step > 17 || (heat->keypoint_step == 1 && left > 6)) // the offset of a plane's lane 15 is 15 steps
        byte_channels((const int8_t *) heat->group, pixels, step, lanes = left < 16 ? left : 16, flip, first);
    else
        *first = byte_plane((const int8_t *) heat->group, pixels, step, flip);
    if (dtype == FLOAT32 && met_odd_numbers())
        for (int lane = 0; lane < lanes; lane++)
            first[lane] = by_value(heat->group + 4 * lane, pixels, step, dtype);
    return lanes;
}
