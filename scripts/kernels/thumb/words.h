// Four bytes of a tensor at once, in one register: what a Cortex-M7 has of vectors.
#include <arm_acle.h>
#include "tensors.h"

// At any address: the core reads words that are not aligned.
typedef uint32_t word_at __attribute__((aligned(1), may_alias));

static inline uint32_t four(const void *at)
{
    return *(const word_at *)at;
}
