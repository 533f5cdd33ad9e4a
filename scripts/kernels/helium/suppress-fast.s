@ The vectors of suppress.c. int suppress_fast(params, values, indices)
@
@ Each candidate, in order, is compared with those kept so far, four at once, and is kept if none of its class overlaps it too
@ much. MVE cannot divide, so the quotient is computed by scalar instructions, and only if the boxes overlap at all (otherwise it
@ is 0 or NaN). About 40 instructions for four boxes and 10 for an overlap.
@
@ r0 params  r1 kept positions  r12 r9 r10 r11 rows x1 y1 x2 y2  r2 r3 scratch, r3 the lanes to test  r4-r7 the candidate's
@ x1 y1 x2 y2  r8 its area  lr scratch outside the loop
@ q0 positions  q1-q4 x1 x2 y1 y2 of the kept, then of the overlap, q2 its area  q5 union  q6 scratch  q7 zeros

        .syntax unified
        .thumb
        .include "params.inc"
        .equ    INTER, 0                @ stack: four floats
        .equ    UNION, 16               @ four floats
        .equ    CLASSES, 32
        .equ    KEEP, 36
        .equ    KEPT, 40
        .equ    AT, 44
        .equ    CLASS, 48
        .equ    FRAME, 56

        .global suppress_fast
        .type   suppress_fast, %function
suppress_fast:
        push    {r3-r11, lr}
        vpush   {d8-d15}
        sub     sp, #FRAME
        ldr     r3, [r0, #SUPPRESS_CAPACITY]
        mov     r12, r1
        add     r9, r1, r3, lsl #2
        add     r10, r9, r3, lsl #2
        add     r11, r10, r3, lsl #2
        add     r2, r2, r3, lsl #1
        str     r2, [sp, #CLASSES]
        add     r2, r2, r3, lsl #1
        str     r2, [sp, #KEEP]
        vmov.i32 q7, #0
        movs    r2, #0
        str     r2, [sp, #AT]
candidate:
        str     r2, [sp, #KEPT]         @ r2: kept so far
        ldr     r3, [sp, #AT]
        ldr     lr, [r0, #SUPPRESS_COUNT]
        cmp     r3, lr
        bge     done
        ldr     lr, [r0, #SUPPRESS_MOST]
        cmp     r2, lr
        bge     done
        ldr     r4, [r12, r3, lsl #2]
        ldr     r5, [r9, r3, lsl #2]
        ldr     r6, [r10, r3, lsl #2]
        ldr     r7, [r11, r3, lsl #2]
        ldr     lr, [sp, #CLASSES]
        ldrh    lr, [lr, r3, lsl #1]
        str     lr, [sp, #CLASS]
        vmov    s0, s1, r4, r5
        vmov    s2, s3, r6, r7
        vsub.f32 s2, s2, s0
        vsub.f32 s3, s3, s1
        vmul.f32 s2, s2, s3
        vmov    r8, s2
        ldr     r1, [sp, #KEEP]
        wlstp.32 lr, r2, keep
four:   vldrh.u32 q0, [r1], #8
        ldr     r2, [r0, #SUPPRESS_CLASS_AGNOSTIC]
        cbnz    r2, 1f
        ldr     r2, [sp, #CLASSES]
        ldr     r3, [sp, #CLASS]
        vldrh.u32 q1, [r2, q0, uxtw #1]
        vcmp.i32 eq, q1, r3
        b       2f
1:      vcmp.i32 eq, q7, q7             @ all lanes of the loop
2:      vmrs    r3, p0
        cmp     r3, #0
        beq     next
        vldrw.u32 q1, [r12, q0, uxtw #2]
        vldrw.u32 q2, [r10, q0, uxtw #2]
        vldrw.u32 q3, [r9, q0, uxtw #2]
        vldrw.u32 q4, [r11, q0, uxtw #2]
        vsub.f32 q5, q2, q1
        vsub.f32 q6, q4, q3
        vmul.f32 q5, q5, q6
        vpt.f32 lt, q1, r4
        vdupt.32 q1, r4
        vpt.f32 gt, q2, r6
        vdupt.32 q2, r6
        vpt.f32 lt, q3, r5
        vdupt.32 q3, r5
        vpt.f32 gt, q4, r7
        vdupt.32 q4, r7
        vsub.f32 q2, q2, q1
        vsub.f32 q4, q4, q3
        vmaxnm.f32 q2, q2, q7           @ NaN becomes 0
        vmaxnm.f32 q4, q4, q7
        vmul.f32 q2, q2, q4
        ldr     r2, [r0, #SUPPRESS_THRESHOLD]
        cmp     r2, #0
        blt     3f                      @ below zero even an IoU of 0 is too much
        vcmp.f32 gt, q2, q7
        vmrs    r2, p0
        ands    r3, r3, r2
        beq     next
3:      vadd.f32 q5, q5, r8
        vsub.f32 q5, q5, q2
        vstrw.32 q2, [sp, #INTER]
        vstrw.32 q5, [sp, #UNION]
        mov     r2, sp
4:      lsrs    r3, r3, #1              @ four bits a lane
        bcc     5f
        vldr    s0, [r2, #INTER]
        vldr    s1, [r2, #UNION]
        vdiv.f32 s0, s0, s1
        vldr    s1, [r0, #SUPPRESS_THRESHOLD]
        vcmp.f32 s0, s1
        vmrs    APSR_nzcv, fpscr
        bgt     suppressed
5:      adds    r2, #4
        lsrs    r3, r3, #3
        bne     4b
next:   letp    lr, four
keep:   ldrd    r3, r2, [sp, #KEEP]     @ and KEPT
        ldr     lr, [sp, #AT]
        strh    lr, [r3, r2, lsl #1]
        adds    r2, #1
        b       6f
suppressed:
        lctp                            @ leave the loop's predication
        ldrd    r2, lr, [sp, #KEPT]    @ and AT
6:      add     lr, lr, #1
        str     lr, [sp, #AT]
        b       candidate
done:   mov     r0, r2
        add     sp, #FRAME
        vpop    {d8-d15}
        pop     {r3-r11, pc}
