// Runs kernels on an emulated Cortex-M55 (QEMU's mps3-an547). A kernel can access only its machine code, its stack and
// its buffers (exact to the byte at one end of each); any other access is a fault. __init__.py is the PC's side.
//
// INPUT holds, as 32-bit words: magic, bytes of machine code, runs, flags, the machine code; then for every run: entry (byte
// offset into the machine code), arguments, placement, and for every argument kind, value or size, followed by a buffer's
// bytes (padded to 4). The results are written to the host's file "results": for every run `struct result`, then the
// bytes of the buffers that the kernel may write (padded to 4).
#include <stdint.h>

#define INPUT 0x68000000u
#define OUTPUT 0x70000000u
#define CODE 0x01100000u   // where the machine code is put: SRAM
#define STACK 0x01180000u  // the kernel's stack
#define STACK_BYTES 8192u
#define SLOT(i) (0x60000000u + (i) * 0x02000000u)
#define SLOT_START 0x00010000u
#define SLOT_END 0x01f00000u
#define STACK_FILL 0x57acf111u
#define MARK 0x01008000u   // scripts/dev/silicon/count_lines.c, if QEMU has loaded it, watches for stores there

enum { VALUE, READ_ONLY, WRITTEN };        // kinds of argument
enum { AT_END, AT_START };                 // which end of a buffer touches forbidden memory
enum { OK, FAULT, TIMEOUT, SPOILT_GUARD }; // status of a run

struct result {
    uint32_t status, value, instructions, stack, registers, fault_pc, fault_address, fault_status, interrupts;
};

#define REG(a) (*(volatile uint32_t *) (a))
#define COUNTER_CONTROL REG(0x58100000)
#define COUNTER 0x48101000u
#define CCR REG(0xE000ED14)
#define SHCSR REG(0xE000ED24)
#define CFSR REG(0xE000ED28)
#define MMFAR REG(0xE000ED34)
#define CPACR REG(0xE000ED88)
#define MPU_CTRL REG(0xE000ED94)
#define MPU_RNR REG(0xE000ED98)
#define MPU_RBAR REG(0xE000ED9C)
#define MPU_RLAR REG(0xE000EDA0)
#define MPU_MAIR0 REG(0xE000EDC0)
#define FPCCR REG(0xE000EF34)
#define SYST_CSR REG(0xE000E010)
#define SYST_RVR REG(0xE000E014)
#define SYST_CVR REG(0xE000E018)

// Shared by call() and the fault handler. The assembly code below contains the offsets as numbers.
struct context {
    uint32_t arguments[4]; // 0
    uint32_t entry;        // 16
    uint32_t sp;           // 20: of the harness
    uint32_t value;        // 24
    uint32_t before[2];    // 28
    uint32_t after[2];     // 36
    uint32_t psp;          // 44: after the call
    uint32_t r[8];         // 48: r4-r11 after the call
    uint32_t vpr;          // 80
    uint32_t fpscr;        // 84
    uint32_t status;       // 88
    uint32_t fault_pc;     // 92
    uint32_t d[16];        // 96: d8-d15 after the call
    uint32_t primask;      // 160
    uint32_t interrupts;   // 164: number so far
    uint32_t most;         // 168: maximum number; 0: the first one ends the kernel (timeout)
};
static struct context context __attribute__((used, aligned(8)));
static uint32_t main_stack[1024] __attribute__((used, aligned(8)));
extern char text_end;

void reset(void);
void fault(void);
void timeout(void);
__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    (char *) main_stack + sizeof main_stack, reset, fault, fault, fault, fault, fault, fault,
    0, 0, 0, fault, fault, 0, fault, timeout,
};

// Turn the MPU on, fill registers with known patterns, call the kernel on its own stack (PSP), record all, turn the MPU off.
void call(void);
__asm__(
    ".syntax unified\n .thumb\n .text\n .type call, %function\n"
    "call:\n"
    "    push {r4-r11, lr}\n"
    "    vpush {d8-d15}\n"
    "    movw r0, #:lower16:context\n    movt r0, #:upper16:context\n"
    "    str sp, [r0, #20]\n"
    "    ldr r1, =0x01182000\n"
    "    msr psp, r1\n"
    "    movs r1, #2\n    msr control, r1\n    isb\n" // thread mode on PSP, no FP context
    "    movw r1, #0xed94\n    movt r1, #0xe000\n    movs r2, #1\n    str r2, [r1]\n    dsb\n    isb\n"
    "    mov r1, #0x40000\n    vmsr fpscr, r1\n" // LTPSIZE 4: no tail predication; round to nearest
    "    ldr r4, =0x7fc12345\n    ldr r5, =0xff8abcde\n" // NaNs
    "    vmov.i32 q0, #-1\n    vdup.32 q1, r4\n    vdup.32 q2, r5\n    vmov.i32 q3, #0x55\n"
    "    vdup.32 q4, r5\n    vdup.32 q5, r4\n    vmov.i8 q6, #0xa6\n    vmov.i8 q7, #0x97\n"
    "    movw r4, #0x5a3c\n    vmsr vpr, r4\n"
    "    mov r4, #0x44444444\n    mov r5, #0x55555555\n    mov r6, #0x66666666\n    mov r7, #0x77777777\n"
    "    mov r8, #0x88888888\n    mov r9, #0x99999999\n    mov r10, #0xaaaaaaaa\n    mov r11, #0xbbbbbbbb\n"
    "    ldr r12, =0x48101000\n    ldr r1, [r12]\n    str r1, [r0, #28]\n    ldr r1, [r12, #4]\n    str r1, [r0, #32]\n"
    "    ldr r12, [r0, #16]\n"
    "    ldrd r2, r3, [r0, #8]\n    ldrd r0, r1, [r0, #0]\n"
    "    blx r12\n"
    "    movw r12, #:lower16:context\n    movt r12, #:upper16:context\n"
    "    str r0, [r12, #24]\n"
    "    ldr r0, =0x48101000\n    ldr r1, [r0]\n    str r1, [r12, #36]\n    ldr r1, [r0, #4]\n    str r1, [r12, #40]\n"
    "    mov r0, sp\n    str r0, [r12, #44]\n"
    "    str r4, [r12, #48]\n    str r5, [r12, #52]\n    str r6, [r12, #56]\n    str r7, [r12, #60]\n"
    "    str r8, [r12, #64]\n    str r9, [r12, #68]\n    str r10, [r12, #72]\n    str r11, [r12, #76]\n"
    "    vmrs r0, vpr\n    str r0, [r12, #80]\n    vmrs r0, fpscr\n    str r0, [r12, #84]\n"
    "    mrs r0, primask\n    str r0, [r12, #160]\n"
    "    mov r0, #0x40000\n    vmsr fpscr, r0\n    movs r0, #0\n    vmsr vpr, r0\n"
    "    add r0, r12, #96\n    vstmia r0, {d8-d15}\n"
    "recover:\n" // the fault handler returns here
    "    movw r0, #:lower16:context\n    movt r0, #:upper16:context\n"
    "    movw r1, #0xed94\n    movt r1, #0xe000\n    movs r2, #0\n    str r2, [r1]\n    dsb\n    isb\n"
    "    msr control, r2\n    isb\n    cpsie i\n"
    "    mov r1, #0x40000\n    vmsr fpscr, r1\n    vmsr vpr, r2\n"
    "    ldr sp, [r0, #20]\n"
    "    vpop {d8-d15}\n"
    "    pop {r4-r11, pc}\n"
    "    .ltorg\n"
    // Abandon the interrupted code: record its address, then return to `recover` with a forged stack frame.
    "    .type fault, %function\n    .type timeout, %function\n"
    // SysTick: either the kernel's timeout, or one of many interrupts that use the same state as kernels: vectors, flags,
    // rounding, predicates and a low-overhead loop. It saves what a compiled handler saves; the core saves the rest.
    "timeout:\n"
    "    movw r0, #:lower16:context\n    movt r0, #:upper16:context\n"
    "    ldrd r1, r2, [r0, #164]\n    adds r1, #1\n    str r1, [r0, #164]\n    cmp r1, r2\n    bhi 3f\n"
    "    push {r4, lr}\n    vpush {d8-d15}\n"
    "    movw r1, #0x009f\n    movt r1, #0xfbcc\n    vmsr fpscr, r1\n" // all flags, to zero, denormals flushed, default NaN
    "    movs r2, #5\n    dlstp.16 lr, r2\n"
    "4:  vdup.32 q0, r1\n    vmov.i8 q1, #0xc3\n    vcmp.i16 eq, q0, q1\n    vdup.32 q2, r0\n    vdup.32 q3, r2\n"
    "    vmov.i8 q4, #0x3c\n    vmov q5, q1\n    vmov q6, q0\n    vmov q7, q4\n    letp lr, 4b\n"
    "    movw r1, #0xc3a5\n    movt r1, #0xa5\n    vmsr vpr, r1\n"
    "    mov r3, r2\n    mov r12, r2\n"
    "    vpop {d8-d15}\n    pop {r4, pc}\n"
    "3:  movs r1, #2\n    b 1f\n"
    "fault:\n    movs r1, #1\n"
    "1:  movw r0, #:lower16:context\n    movt r0, #:upper16:context\n"
    "    str r1, [r0, #88]\n"
    "    mrs r2, psp\n    ldr r3, =0x01180000\n    cmp r2, r3\n    blo 2f\n    ldr r2, [r2, #24]\n    str r2, [r0, #92]\n"
    "2:  movw r1, #0xef34\n    movt r1, #0xe000\n    movs r3, #0\n    str r3, [r1]\n" // FPCCR: no FP state to save any more
    "    sub sp, #32\n"
    "    ldr r1, =recover\n    bic r1, r1, #1\n    str r1, [sp, #24]\n    mov r1, #0x01000000\n    str r1, [sp, #28]\n"
    "    mvn lr, #6\n" // 0xfffffff9: secure thread mode, main stack, no FP context
    "    bx lr\n"
    "    .ltorg\n");

static uint32_t semihost(uint32_t operation, const void *block)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void leave(uint32_t code)
{
    uint32_t block[2] = {0x20026, code};
    semihost(0x20, block);
    for (;;) {
    }
}

static void region(uint32_t index, uint32_t start, uint32_t end, int writable, int executable)
{
    // start and end on 32 bytes; AP: 0 read-write, 2 read-only, for privileged code
    MPU_RNR = index;
    if (start >= end) {
        MPU_RLAR = 0;
        return;
    }
    MPU_RBAR = start | (writable ? 0 : 2u << 1) | !executable;
    MPU_RLAR = (end - 32) | 1;
}

static void copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16)
        __asm__ volatile("vldrb.u8 q0, [%1]\n vstrb.8 q0, [%0]" : : "r"(to), "r"(from) : "memory", "q0");
    while (bytes--)
        *to++ = *from++;
}

static void fill(uint8_t *to, uint8_t *end, uint8_t value)
{
    while (to < end)
        *to++ = value;
}

static int filled(const uint8_t *from, const uint8_t *end, uint8_t value)
{
    while (from < end)
        if (*from++ != value)
            return 0;
    return 1;
}

static uint32_t instructions(const uint32_t *ticks)
{
    // -icount shift=5: an instruction takes 32 ns; the counter runs at 32 MHz
    return (uint32_t) ((((uint64_t) ticks[1] << 32 | ticks[0]) * 125 + 127) >> 7);
}

// One bit for each register that the kernel must restore: r4-r11, d8-d15, sp, FPSCR, VPR's masks, PRIMASK.
static uint32_t changed(void)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 8; i++) {
        bits |= (context.r[i] != 0x11111111u * (4 + i)) << i;
        uint32_t was = i < 2 ? 0xff8abcdeu : i < 4 ? 0x7fc12345u : i < 6 ? 0xa6a6a6a6u : 0x97979797u;
        bits |= (context.d[2 * i] != was || context.d[2 * i + 1] != was) << (8 + i);
    }
    bits |= (context.psp != STACK + STACK_BYTES) << 16;
    bits |= ((context.fpscr & 0x07f70000) != 0x40000) << 17; // flags and exceptions may change
    bits |= ((context.vpr & 0x00ff0000) != 0) << 18;
    bits |= (context.primask != 0) << 19;
    return bits;
}

// `period`: number of instructions between interrupts; 0: no interrupts. `saved`: the core saves the vectors. With one
// placement of the buffers it saves them when the handler first uses one (lazy stacking), with the other always.
static uint8_t *one_run(const uint32_t **input, uint8_t *output, uint32_t overhead, uint32_t period, int saved)
{
    static uint32_t first;
    const uint32_t *in = *input;
    uint32_t entry = *in++, arguments = *in++, placement = *in++;
    uint8_t *start[4] = {0}, guard = placement == AT_END ? 0xa5 : 0x5a;
    uint32_t kind[4] = {0}, size[4] = {0}, low[4], high[4];
    for (uint32_t i = 0; i < 4; i++) {
        low[i] = high[i] = 0;
        context.arguments[i] = 0xdead0000u + i;
        if (i < arguments) {
            kind[i] = *in++;
            if (kind[i] == VALUE) {
                context.arguments[i] = *in++;
            } else {
                size[i] = *in++;
                if (placement == AT_END) {
                    high[i] = SLOT(i) + SLOT_END;
                    start[i] = (uint8_t *) (high[i] - size[i]);
                    low[i] = (uint32_t) start[i] & ~31u;
                } else {
                    low[i] = SLOT(i) + SLOT_START;
                    start[i] = (uint8_t *) low[i];
                    high[i] = (low[i] + size[i] + 31) & ~31u;
                }
                fill((uint8_t *) low[i], start[i], guard);
                copy(start[i], (const uint8_t *) in, size[i]);
                fill(start[i] + size[i], (uint8_t *) high[i], guard);
                in += (size[i] + 3) / 4;
                context.arguments[i] = (uint32_t) start[i];
            }
        }
        region(5 + i, low[i], high[i], kind[i] == WRITTEN, 0);
    }
    *input = in;
    for (uint32_t *word = (uint32_t *) STACK; word < (uint32_t *) (STACK + STACK_BYTES); word++)
        *word = STACK_FILL;
    context.entry = (CODE + entry) | 1; // Thumb
    context.status = OK;
    context.fault_pc = 0;
    CFSR = 0xffffffff;
    context.interrupts = 0;
    context.most = period ? 16777216 / period : 0;
    FPCCR = !period || !saved ? 0 : placement == AT_END ? 0xc0000000 : 0x80000000; // ASPEN, LSPEN
    first = period ? (first + 17) % period : 0;
    SYST_RVR = period ? period + first : 0xffffff;
    SYST_CVR = 0;
    SYST_CSR = 7;
    if (period)
        SYST_RVR = period; // from the second interrupt on
    *(volatile uint8_t *) (MARK + 260) = 0; // nothing is in the cache
    *(volatile uint8_t *) (MARK + 256) = 0; // a stage begins
    call();
    *(volatile uint8_t *) (MARK + 257) = 0; // and ends
    SYST_CSR = 0;
    FPCCR = 0;

    struct result *result = (struct result *) output;
    result->status = context.status;
    result->value = context.value;
    result->instructions = instructions(context.after) - instructions(context.before) - overhead;
    result->registers = context.status == OK ? changed() : 0;
    result->fault_pc = context.fault_pc - CODE;
    result->fault_address = CFSR & 0x80 ? MMFAR : 0;
    result->fault_status = CFSR;
    result->interrupts = context.interrupts;
    const uint32_t *word = (const uint32_t *) STACK;
    while (word < (const uint32_t *) (STACK + STACK_BYTES) && *word == STACK_FILL)
        word++;
    result->stack = STACK + STACK_BYTES - (uint32_t) word;
    output += sizeof *result;
    for (uint32_t i = 0; i < arguments; i++) {
        if (kind[i] == VALUE)
            continue;
        if (!filled((uint8_t *) low[i], start[i], guard) || !filled(start[i] + size[i], (uint8_t *) high[i], guard))
            result->status = result->status == OK ? SPOILT_GUARD : result->status;
        if (kind[i] == WRITTEN) {
            copy(output, start[i], size[i]);
            output += (size[i] + 3) & ~3u;
        }
    }
    return output;
}

__attribute__((used)) static void main_(void)
{
    const uint32_t *input = (const uint32_t *) INPUT;
    if (*input++ != 0x6e36686d)
        leave(2);
    uint32_t code_bytes = *input++, runs = *input++, flags = *input++;
    copy((uint8_t *) CODE, (const uint8_t *) input, code_bytes);
    input += (code_bytes + 3) / 4;

    // Bit 0 of flags: low-overhead branches off (CCR.LOB, bit 19). Bit 1: nothing saves vectors from interrupts.
    // Bits 8 and up: number of instructions between interrupts.
    CCR = flags & 1 ? CCR & ~(1u << 19) : CCR | 1u << 19;
    SHCSR |= 7u << 16; // separate faults for memory, bus and usage
    COUNTER_CONTROL = 1;
    MPU_MAIR0 = 0x000000ff; // 0 normal memory
    region(0, 0, (uint32_t) &text_end, 0, 1);
    region(1, 0x01000000, 0x01010000, 1, 0);
    region(2, CODE, CODE + ((code_bytes + 31) & ~31u), 0, 1);
    region(3, STACK, STACK + STACK_BYTES, 1, 0);
    region(4, COUNTER, COUNTER + 32, 0, 0);

    // The cost of counting: the instructions that an empty function, `bx lr`, takes, minus one.
    const uint32_t nothing[] = {code_bytes, 0, AT_END};
    *(uint16_t *) (CODE + code_bytes) = 0x4770;
    region(2, CODE, CODE + ((code_bytes + 2 + 31) & ~31u), 0, 1);
    const uint32_t *from = nothing;
    one_run(&from, (uint8_t *) OUTPUT, 0, 0, 0);
    uint32_t overhead = ((struct result *) OUTPUT)->instructions - 1;

    uint8_t *output = (uint8_t *) OUTPUT;
    while (runs--)
        output = one_run(&input, output, overhead, flags >> 8, !(flags & 2));

    const uint32_t open[3] = {(uint32_t) "results", 5, 7}; // wb
    uint32_t file = semihost(1, open);
    const uint32_t write[3] = {file, OUTPUT, (uint32_t) output - OUTPUT};
    if (semihost(5, write))
        leave(3);
    leave(0);
}

__attribute__((naked)) void reset(void)
{
    __asm__ volatile(
        "    movw r0, #0xed88\n    movt r0, #0xe000\n    ldr r1, [r0]\n    orr r1, r1, #0xf00000\n    str r1, [r0]\n"
        "    movw r0, #0xef34\n    movt r0, #0xe000\n    movs r1, #0\n    str r1, [r0]\n" // FPCCR: exceptions do not save FP state
        "    dsb\n    isb\n"
        "    mov r0, #0x40000\n    vmsr fpscr, r0\n"
        "    b main_\n");
}
