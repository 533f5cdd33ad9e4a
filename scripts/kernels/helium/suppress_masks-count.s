@ Counts the pixels that are inside both masks, sixteen at once: int suppress_masks_count(const struct both *), see
@ suppress_masks.h. 6 instructions for sixteen pixels and 7 a row.
@
@ r0 the number of pixels  r1 r2 rows of the two masks  r3 r4 bytes from row to row  r5 width  r6 rows left  r7 r12 pixels

        .syntax unified
        .thumb
        .global suppress_masks_count
        .type   suppress_masks_count, %function
suppress_masks_count:
        push    {r4-r7, lr}
        ldrd    r1, r2, [r0]            @ first, second
        ldrd    r3, r4, [r0, #8]        @ their steps
        ldrd    r5, r6, [r0, #16]       @ width, height
        movs    r0, #0
1:      mov     r7, r1
        mov     r12, r2
        dlstp.8 lr, r5
2:      vldrb.u8 q0, [r7], #16
        vldrb.u8 q1, [r12], #16
        vand    q0, q0, q1
        vshr.u8 q0, q0, #7
        vaddva.u8 r0, q0
        letp    lr, 2b
        add     r1, r1, r3
        add     r2, r2, r4
        subs    r6, #1
        bne     1b
        pop     {r4-r7, pc}
