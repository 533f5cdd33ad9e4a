@ Sums over the coefficients of four prototype pixels at once, in any layout. prototype_mask.c calls it as
@   uint32x4_t sums(const void *p, const void *c, int step, int terms, uint32x4_t offsets, float zero, int dtype)
@ p: the first pixel's first value; c: coefficients, int for bytes, else float; step: bytes from one value of a pixel to its
@ next; offsets: of the four pixels, in elements; zero: the prototypes' zero point (not applied to bytes).
@
@ Bytes are summed in integers; other dtypes in float32, in the order that portable/boxes.py prescribes: (p - zero) * c, rounded
@ each time, is added to four sums in turn, and the result is (0 + 1) + (2 + 3). 5, or 8 or 9, instructions for a value of all
@ four pixels.
@
@ r0 p  r1 c  r2 step  r3 terms left  r4 coefficient  r12 zero  q0 offsets  q1-q4 sums  q5 four values
@ (A gather takes some cycles more than a plain load; the cache lines of neighboring pixels are already loaded.)

        .syntax unified
        .thumb

        .macro  bytes type
1:      vldrb.\type q2, [r0, q0]
        ldr     r4, [r1], #4
        add     r0, r0, r2
        vmla.s32 q1, q2, r4
        le      lr, 1b
        .endm

        .macro  floats integer
1:
        .irp    sum, q1, q2, q3, q4
        .if     \integer
        vldrh.s32 q5, [r0, q0, uxtw #1]
        vcvt.f32.s32 q5, q5
        .else
        vldrw.u32 q5, [r0, q0, uxtw #2]
        .endif
        ldr     r4, [r1], #4
        vsub.f32 q5, q5, r12
        add     r0, r0, r2
        vmul.f32 q5, q5, r4
        subs    r3, #1
        vadd.f32 \sum, \sum, q5
        beq     2f
        .endr
        b       1b
        .endm

        .global sums
        .type   sums, %function
sums:
        push    {r4, lr}
        vpush   {d8-d11}
        ldr     r12, [sp, #40]          @ dtype, behind r4, lr and d8-d11
        vmov    r4, s4                  @ zero, in q1
        vmov.i32 q1, #0
        dls     lr, r3
        cmp     r12, #66
        beq     u8
        cmp     r12, #98
        beq     s8
        .irp    sum, q2, q3, q4
        vmov.i32 \sum, #0
        .endr
        cmp     r12, #104
        mov     r12, r4
        bne     f32
        floats  1
u8:     bytes   u32
        b       3f
s8:     bytes   s32
        b       3f
f32:    floats  0
2:      vadd.f32 q1, q1, q2
        vadd.f32 q3, q3, q4
        vadd.f32 q1, q1, q3
3:      vmov    q0, q1
        vpop    {d8-d11}
        pop     {r4, pc}
