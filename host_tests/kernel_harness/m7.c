// Runs kernels on an emulated Cortex-M7 (QEMU's mps2-an500), which refuses instructions that this core lacks. Buffers are
// aligned to 16 bytes, all memory is accessible, and instructions are not counted; harness.c checks all that. Input and
// results have the same format as there, but only the value of a result is set.
#include <stdint.h>

#define INPUT 0x60000000u
#define OUTPUT 0x60800000u
#define BUFFERS 0x60c00000u
#define CODE 0x20000000u

#define CPACR (*(volatile uint32_t *) 0xE000ED88)

enum { VALUE, READ_ONLY, WRITTEN }; // kinds of argument

void reset(void);
void fault(void);
__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    (void *) 0x20100000, reset, fault, fault, fault, fault, fault,
};

static int call_host(int operation, const void *block)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void leave(uint32_t status)
{
    const uint32_t block[2] = {0x20026, status};
    call_host(0x20, block);
    for (;;)
        ;
}

void fault(void)
{
    leave(3);
}

static void copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    while (bytes--)
        *to++ = *from++;
}

void reset(void)
{
    CPACR |= 0xf << 20; // the floating-point unit
    __asm__ volatile("dsb\n isb");
    const uint32_t *in = (const uint32_t *) INPUT + 1;
    uint32_t bytes = *in++, runs = *in++;
    in++; // flags
    copy((uint8_t *) CODE, (const uint8_t *) in, bytes);
    in += (bytes + 3) / 4;
    uint8_t *out = (uint8_t *) OUTPUT;
    for (; runs; runs--) {
        uint32_t entry = *in++, arguments = *in++, kind[4] = {0}, size[4] = {0}, given[4] = {0};
        in++; // placement
        uint8_t *next = (uint8_t *) BUFFERS;
        for (uint32_t i = 0; i < arguments; i++) {
            kind[i] = *in++;
            if (kind[i] == VALUE) {
                given[i] = *in++;
                continue;
            }
            size[i] = *in++;
            copy(next, (const uint8_t *) in, size[i]);
            in += (size[i] + 3) / 4;
            given[i] = (uint32_t) next;
            next += (size[i] + 15) & ~15u;
        }
        uint32_t (*kernel)(uint32_t, uint32_t, uint32_t, uint32_t) = (void *) ((CODE + entry) | 1);
        uint32_t value = kernel(given[0], given[1], given[2], given[3]);
        for (uint32_t word = 0; word < 9; word++, out += 4)
            *(uint32_t *) out = word == 1 ? value : 0;
        for (uint32_t i = 0; i < arguments; i++)
            if (kind[i] == WRITTEN) {
                copy(out, (const uint8_t *) given[i], size[i]);
                out += (size[i] + 3) & ~3u;
            }
    }
    static const char name[] = "results";
    const uint32_t open[3] = {(uint32_t) name, 5, 7};
    const uint32_t file = call_host(1, open);
    const uint32_t block[3] = {file, OUTPUT, out - (uint8_t *) OUTPUT};
    call_host(5, block);
    call_host(2, &file);
    leave(0);
}
