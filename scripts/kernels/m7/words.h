// Four bytes of a tensor in one register, for the Cortex-M7's SIMD instructions.
#include <arm_acle.h>
#include "tensors.h"

// At any address: the core can read unaligned words.
typedef uint32_t word_at __attribute__((aligned(1), may_alias));

static inline uint32_t four(const void *at)
{
    return *(const word_at *)at;
}
