@ Tint a strip of the frame, up to 256 columns. tint_mask.c calls it as void rows_rgb565(struct strip *), rows_gray alike.
@
@ For every frame row, the two mask rows above and below it are interpolated into a row of bytes, v. If one of these is 128 or
@ more, eight frame pixels are processed at once. The mask is (left * 256 + (right - left) * fx + 128) >> 8: at least 128 if the
@ sum is at least 32640 before the rounding. If that holds for none of the eight, they are skipped; otherwise they are blended:
@ a color channel is (new * a + old * (32 - a)) >> 5. The results are computed at the top of their lanes, and VSRI joins the
@ three. 3 instructions a pixel, 1.6 outside the mask, and 9 for eight pixels of a mask row.
@
@ The row:     r0 frame  r1 v  r2 upper mask row  r3 lower  r4 fy  r6 rows left  r11 struct  q0 q1 rows  q3 maximum
@ The columns: r0 frame  r1 column's mask pixel  r2 its fx  r3 v  r4 v + 1  r5 32640  r7 r8 r9 red, green, blue * a, at the
@              top of their lanes  r10 lanes  q0-q3 scratch  q4 (32 - a) << 6  q5 32 - a  q6 green's bits  q7 blue's
@              (gray: r7 new * a  q4 256 - a)

        .syntax unified
        .thumb
        .equ    FRAME, 0
        .equ    FRAME_STEP, 4           @ bytes from row to row
        .equ    MASK, 8
        .equ    MASK_STEP, 12
        .equ    BELOW, 16               @ bytes to the lower mask row (0: nearest)
        .equ    LAST, 20                @ the last mask row
        .equ    SPAN, 24                @ mask columns under the strip
        .equ    AT, 28                  @ mask row of the frame row, 16.16
        .equ    STEP, 32
        .equ    ROWS, 36
        .equ    COLUMNS, 40
        .equ    KEEP, 44                @ 32 - a (gray: 256 - a)
        .equ    RED, 48                 @ red, green, blue
        .equ    PIXELS, 60              @ 256 bytes: a column's mask pixel in v
        .equ    FX, 316                 @ 256 bytes
        .equ    V, 572                  @ 260 bytes

        .macro  rows name, rgb
        .global rows_\name
        .type   rows_\name, %function
rows_\name:
        push    {r4-r11, lr}
        vpush   {d8-d15}
        mov     r11, r0
        ldr     r4, [r11, #KEEP]
        ldrd    r7, r8, [r11, #RED]
        ldr     r9, [r11, #RED + 8]
        .if     \rgb
        vdup.16 q5, r4
        vshl.i16 q4, q5, #6
        mov     r4, #0x7e0
        vdup.16 q6, r4
        vmov.i16 q7, #0x1f
        .else
        vdup.16 q4, r4
        .endif
        movw    r5, #32640
        ldr     r6, [r11, #ROWS]
1:      ldrd    r4, r3, [r11, #AT]
        add     r3, r3, r4
        str     r3, [r11, #AT]
        ldrd    r0, r1, [r11, #MASK]
        ldrd    r3, r12, [r11, #BELOW]
        asr     r2, r4, #16
        ubfx    r4, r4, #8, #8
        cmp     r2, r12                 @ above the first row and from the last row on, both rows are that row
        itt     ge
        movge   r2, r12
        movge   r3, #0
        cmp     r2, #0
        itt     lt
        movlt   r2, #0
        movlt   r3, #0
        mla     r2, r2, r1, r0
        add     r3, r3, r2
        add     r1, r11, #V
        ldr     r12, [r11, #SPAN]
        vmov.i32 q3, #0
        dlstp.16 lr, r12
2:      vldrb.u16 q0, [r2], #8
        vldrb.u16 q1, [r3], #8
        vsub.i16 q1, q1, q0
        vshl.i16 q0, q0, #8
        vmla.s16 q0, q1, r4
        vrshr.u16 q0, q0, #8
        vmax.u16 q3, q3, q0
        vstrb.16 q0, [r1], #8
        letp    lr, 2b
        movs    r12, #0
        vmaxv.u16 r12, q3
        ldr     r0, [r11, #FRAME]
        cmp     r12, #128
        blt     5f
        ldr     r12, [r11, #COLUMNS]
        add     r1, r11, #PIXELS
        add     r2, r11, #FX
        add     r3, r11, #V
        adds    r4, r3, #1
        dlstp.16 lr, r12
3:      vldrb.u16 q0, [r1], #8
        vldrb.u16 q1, [r3, q0]
        vldrb.u16 q2, [r4, q0]
        vldrb.u16 q3, [r2], #8
        vsub.i16 q2, q2, q1
        vmul.i16 q2, q2, q3
        vshl.i16 q1, q1, #8
        vadd.i16 q1, q1, q2
        vcmp.u16 cs, q1, r5
        vmrs    r10, p0
        cmp     r10, #0
        beq     4f
        .if     \rgb
        vldrb.u8 q0, [r0]               @ (bytes: a frame may lie at any address)
        vshr.u16 q1, q0, #11
        vand    q2, q0, q6
        vand    q3, q0, q7
        vmlas.u16 q1, q4, r7
        vmlas.u16 q2, q5, r8
        vmlas.u16 q3, q4, r9
        vsri.16 q1, q2, #5
        vsri.16 q1, q3, #11
        vpst
        vstrbt.8 q1, [r0]
4:      adds    r0, #16
        .else
        vldrb.u16 q0, [r0]
        vmlas.u16 q0, q4, r7
        vshr.u16 q0, q0, #8
        vpst
        vstrbt.16 q0, [r0]
4:      adds    r0, #8
        .endif
        letp    lr, 3b
5:      ldrd    r0, r1, [r11, #FRAME]
        add     r0, r0, r1
        str     r0, [r11, #FRAME]
        subs    r6, #1
        bne     1b
        vpop    {d8-d15}
        pop     {r4-r11, pc}
        .endm

        rows    rgb565, 1
        rows    gray, 0
