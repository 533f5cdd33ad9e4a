@ The rows of a window of prototype pixels with 32 values each; at least four pixels of a row are measured or written.
@ prototype_mask.c calls it as void rows_of_32(struct pass *), whose kind is
@   0 measure, 1 write    int8 with centered coefficients                    5 and 6 instructions a pixel
@   2 measure, 3 write    int8 with raw coefficients and their zero point   8 and 9
@   4 measure, 5 write    uint8 likewise                                    8 and 9
@   6 measure, 7 write    float32, zero point 0                             30 and 32
@
@ A pixel is two vectors; VMLAV sums sixteen products. (With raw coefficients VADDV sums the pixel's values too: this sum times
@ the zero point is subtracted.) Threshold, shift and saturation are applied to four sums at once, in q4. A row whose length is
@ not a multiple of four ends with a block that overlaps the one before it. Floats: four pixels at once, with their lanes in q0
@ to q3, so that a vector of coefficients is loaded once for all; lanes are added in the order that portable/boxes.py prescribes.
@
@ r0 pixel  r1 out  r2 blocks a row  r3 pixels by which the last block overlaps (negative while it runs)
@ r4 r6 r8 r10 sums  r5 bias  r7 largest |sum|, or -shift  r9 zero point  r11 row  r12 scratch
@ q0 q1 coefficients  q2 q3 pixel  q4 sums
@ Floats: r0 r4 r6 r8 pixels  r5 threshold  r7 largest |sum|, or the factor  r9 coefficients  r10 127  r12 to the next four

        .syntax unified
        .thumb
        .equ    P, 0
        .equ    OUT, 4
        .equ    BLOCKS, 8
        .equ    OVERLAP, 12
        .equ    BIAS, 16
        .equ    LEVEL, 20               @ -shift; the largest |sum| is written here
        .equ    ZERO, 24
        .equ    ROWS, 28                @ counted down
        .equ    STEP, 32                @ bytes from row to row
        .equ    KIND, 36
        .equ    COEFFICIENTS, 52

        .macro  pixel sum, type, raw, gap
        vldrb.u8 q2, [r0], #16
        vldrb.u8 q3, [r0], #\gap
        vmlav.\type \sum, q0, q2
        vmlava.\type \sum, q1, q3
        .if     \raw
        vaddv.\type r12, q2
        vaddva.\type r12, q3
        mls     \sum, r12, r9, \sum
        .endif
        .endm

        .macro  block type, raw, write
        .irp    sum, r4, r6, r8, r10
        .if     \write
        pixel   \sum, \type, \raw, 16
        .else
        pixel   \sum, \type, \raw, 48  @ every second pixel
        .endif
        .endr
        vmov    q4[2], q4[0], r4, r8
        vmov    q4[3], q4[1], r6, r10
        vadd.i32 q4, q4, r5
        .if     \write
        vshl.s32 q4, r7
        vqmovunb.s32 q4, q4
        vqmovnb.u16 q4, q4
        vstrb.32 q4, [r1], #4
        .else
        vmaxav.s32 r7, q4
        .endif
        .endm

        .macro  blocks type, raw, write
1:      block   \type, \raw, \write
        le      lr, 1b
        .endm

        @ All rows, with centered coefficients. r9 rows left  r12 bytes from row to row
        .macro  all_rows write
        ldrd    r9, r12, [r0, #ROWS]    @ and STEP
3:      mov     r0, r11
        dls     lr, r2
        blocks  s8, 0, \write
        cbz     r3, 4f
        .if     \write
        sub     r0, r0, r3, lsl #5
        subs    r1, r1, r3
        .else
        sub     r0, r0, r3, lsl #6
        .endif
        block   s8, 0, \write
4:      add     r11, r11, r12
        subs    r9, #1
        bne     3b
        b       done
        .endm

        .global rows_of_32
        .type   rows_of_32, %function
rows_of_32:
        push    {r0, r4-r11, lr}
        vpush   {d8-d15}
        add     r12, r0, #COEFFICIENTS
        vldrb.u8 q0, [r12]
        vldrb.u8 q1, [r12, #16]
        ldr     r11, [r0, #P]
        ldr     r1, [r0, #OUT]
        ldrd    r2, r3, [r0, #BLOCKS]
        ldrd    r5, r7, [r0, #BIAS]     @ and LEVEL
        ldr     r9, [r0, #ZERO]
        ldr     r12, [r0, #KIND]
        cmp     r12, #1
        blo     kind0
        beq     kind1
        movw    r10, #0                 @ for floats
        movt    r10, #0x42fe            @ 127
row:    mov     r0, r11
        dls     lr, r2
again:  ldr     r12, [sp, #64]          @ the struct, behind d8-d15
        ldr     r12, [r12, #KIND]
        tbh     [pc, r12, lsl #1]
2:      .short  0, 0, (kind2 - 2b) / 2, (kind3 - 2b) / 2, (kind4 - 2b) / 2, (kind5 - 2b) / 2
        .short  (kind6 - 2b) / 2, (kind7 - 2b) / 2
kind2:  blocks  s8, 1, 0
        b       measured
kind3:  blocks  s8, 1, 1
        b       written
kind5:  blocks  u8, 1, 1
written:
        cmp     r3, #0
        ble     next
        sub     r0, r0, r3, lsl #5
        subs    r1, r1, r3
        b       overlap
kind6:  movs    r12, #256               @ from a pixel measured to the next
        b       floats
kind7:  movs    r12, #128
floats: add     r4, r0, r12
        add     r6, r4, r12
        add     r8, r6, r12
        lsls    r12, r12, #2
1:
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vldrw.u32 q4, [r9, #16 * \k]
        vldrw.u32 q5, [r0, #16 * \k]
        vldrw.u32 q6, [r4, #16 * \k]
        vldrw.u32 q7, [r6, #16 * \k]
        .if     \k
        vmul.f32 q5, q5, q4
        vadd.f32 q0, q0, q5
        vldrw.u32 q5, [r8, #16 * \k]
        vmul.f32 q6, q6, q4
        vadd.f32 q1, q1, q6
        vmul.f32 q7, q7, q4
        vadd.f32 q2, q2, q7
        vmul.f32 q5, q5, q4
        vadd.f32 q3, q3, q5
        .else
        vmul.f32 q0, q5, q4
        vldrw.u32 q5, [r8, #16 * \k]
        vmul.f32 q1, q6, q4
        vmul.f32 q2, q7, q4
        vmul.f32 q3, q5, q4
        .endif
        .endr
        add     r0, r0, r12
        add     r4, r4, r12
        add     r6, r6, r12
        add     r8, r8, r12
        vadd.f32 s0, s0, s1
        vadd.f32 s2, s2, s3
        vadd.f32 s0, s0, s2
        vadd.f32 s4, s4, s5
        vadd.f32 s6, s6, s7
        vadd.f32 s1, s4, s6
        vadd.f32 s8, s8, s9
        vadd.f32 s10, s10, s11
        vadd.f32 s2, s8, s10
        vadd.f32 s12, s12, s13
        vadd.f32 s14, s14, s15
        vadd.f32 s3, s12, s14
        vsub.f32 q0, q0, r5
        cmp     r12, #512
        beq     4f
        vmaxnmav.f32 r7, q0
        le      lr, 1b
        cmp     r3, #0
        ble     next
        sub     r0, r0, r3, lsl #8
        b       overlap
4:      vmul.f32 q0, q0, r7
        vrintp.f32 q0, q0
        vadd.f32 q0, q0, r10
        vcvt.s32.f32 q0, q0             @ saturates, NaN becomes 0
        vqmovunb.s32 q0, q0
        vqmovnb.u16 q0, q0
        vstrb.32 q0, [r1], #4
        le      lr, 1b
        cmp     r3, #0
        ble     next
        sub     r0, r0, r3, lsl #7
        subs    r1, r1, r3
        b       overlap
kind4:  blocks  u8, 1, 0
measured:
        cmp     r3, #0
        ble     next
        sub     r0, r0, r3, lsl #6
overlap:
        negs    r3, r3
        mov     lr, #1
        b       again
next:   it      mi
        negmi   r3, r3
        ldr     r12, [sp, #64]
        ldrd    r4, r6, [r12, #ROWS]
        add     r11, r11, r6
        subs    r4, #1
        str     r4, [r12, #ROWS]
        bgt     row
done:   ldr     r12, [sp, #64]
        str     r7, [r12, #LEVEL]
        vpop    {d8-d15}
        pop     {r0, r4-r11, pc}
kind0:  all_rows 0
kind1:  all_rows 1
