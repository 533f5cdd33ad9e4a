@ The rows of a window of prototypes in planes (NCHW), bytes, with an even number of coefficients. prototype_mask.c calls it as
@ void planes(struct planes *), whose kind is
@   0 measure, 1 write    int8
@   2 measure, 3 write    uint8
@
@ Eight pixels run down the planes together, two coefficients in each turn: 6 instructions a coefficient. Measuring loads every
@ second pixel, by gathers. A row whose length is not a multiple of eight ends with a block that overlaps the one before it. If
@ fewer than eight are measured, the last pixel is repeated.
@
@ r0 element  r1 out  r2 plane  r3 blocks left  r4 r6 coefficients  r5 bias  r7 largest |sum|, or -shift  r8 the block's first
@ pixel  r9 first coefficient  r10 coefficient  r11 row  r12 struct  q0 q1 sums  q2 q3 pixels  q4 q5 every second pixel

        .syntax unified
        .thumb
        .equ    P, 0
        .equ    OUT, 4
        .equ    BLOCKS, 8
        .equ    OVERLAP, 12
        .equ    BIAS, 16
        .equ    LEVEL, 20               @ -shift; the largest |sum| is written here
        .equ    PLANE, 24
        .equ    COEFFICIENTS, 28
        .equ    ROWS, 32
        .equ    STEP, 36                @ bytes from row to row
        .equ    PAIRS, 40
        .equ    LAST, 44                @ offset of the last of the pixels that are measured together
        .equ    KIND, 48

        .macro  plane type, coefficient, write
        .if     \write
        vldrb.\type q2, [r0]
        vldrb.\type q3, [r0, #4]
        .else
        vldrb.\type q2, [r0, q4]
        vldrb.\type q3, [r0, q5]
        .endif
        add     r0, r0, r2
        vmla.s32 q0, q2, \coefficient
        vmla.s32 q1, q3, \coefficient
        .endm

        .macro  blocks type, write
        ldr     r3, [r12, #BLOCKS]
1:      cmp     r3, #1
        bne     2f
        ldr     r4, [r12, #OVERLAP]
        .if     \write
        subs    r1, r1, r4
        sub     r8, r8, r4
        .else
        sub     r8, r8, r4, lsl #1
        .endif
2:      mov     r0, r8
        mov     r10, r9
        ldr     lr, [r12, #PAIRS]
        vmov.i32 q0, #0
        vmov.i32 q1, #0
        dls     lr, lr
3:      ldrd    r4, r6, [r10], #8
        plane   \type, r4, \write
        plane   \type, r6, \write
        le      lr, 3b
        .irp    q, q0, q1
        vadd.i32 \q, \q, r5
        .if     \write
        vshl.s32 \q, r7
        vqmovunb.s32 \q, \q
        vqmovnb.u16 \q, \q
        vstrb.32 \q, [r1], #4
        .else
        vmaxav.s32 r7, \q
        .endif
        .endr
        .if     \write
        adds    r8, #8
        .else
        adds    r8, #16
        .endif
        subs    r3, #1
        bne     1b
        .endm

        .global planes
        .type   planes, %function
planes:
        push    {r4-r11, lr}
        vpush   {d8-d11}
        mov     r12, r0
        ldr     r11, [r12, #P]
        ldr     r1, [r12, #OUT]
        ldrd    r5, r7, [r12, #BIAS]    @ and LEVEL
        ldrd    r2, r9, [r12, #PLANE]   @ and COEFFICIENTS
        movs    r4, #0
        vidup.u32 q4, r4, #2
        vidup.u32 q5, r4, #2
        ldr     r4, [r12, #LAST]
        vdup.32 q0, r4
        vmin.u32 q4, q4, q0
        vmin.u32 q5, q5, q0
row:    mov     r8, r11
        ldr     r4, [r12, #KIND]
        tbh     [pc, r4, lsl #1]
9:      .short  (kind0 - 9b) / 2, (kind1 - 9b) / 2, (kind2 - 9b) / 2, (kind3 - 9b) / 2
kind0:  blocks  s32, 0
        b       next
kind1:  blocks  s32, 1
        b       next
kind2:  blocks  u32, 0
        b       next
kind3:  blocks  u32, 1
next:   ldrd    r4, r6, [r12, #ROWS]    @ and STEP
        add     r11, r11, r6
        subs    r4, #1
        str     r4, [r12, #ROWS]
        bgt     row
        str     r7, [r12, #LEVEL]
        vpop    {d8-d11}
        pop     {r4-r11, pc}
