@ Compare a tile of rows with all vectors. nearest.c calls it as void nearest_tile(struct tile *).
@
@ Two vectors and three rows at once: 11 instructions for 16 channels of six pairs. A load lies between two multiplications
@ wherever it can: a Cortex-M55 executes both at the same time. A sum begins with -(|row|^2 >> 1). It may be a smaller distance
@ if it reaches the vector's cut, (2 - least) >> 1; then the exact value is compared, which is (|row|^2 & 1) - 2 sum.
@
@ r1 r3 vectors  r5 r7 r9 rows  r0 r2 r4 sums of the first vector  r6 r8 r10 of the second  r11 the next group
@ q0 q1 vectors  q2 q3 rows

        .syntax unified
        .thumb
        @ struct tile
        .equ    CHANNELS, 0
        .equ    APART, 16
        .equ    STEP, 24
        .equ    FIRST, 28
        .equ    ODD, 32
        .equ    TILE_END, 36
        .equ    GROUPS, 40
        .equ    GROUP, 36
        @ The stack
        .equ    CUTS, 0                 @ two
        .equ    END, 8                  @ of the groups
        .equ    VECTORS, 12             @ addresses of two
        .equ    REST, 20                @ channels & 63, channels >> 6
        .equ    OUT, 28                 @ address of the first vector's distance; vectors left
        .equ    TILE, 36
        .equ    PLACES, 40              @ of the two vectors
        .equ    SIZE, 48

        .macro  chunk next
        vmladava.s8 r0, q0, q2
        vldrb.8 q1, [r3], #16
        vmladava.s8 r6, q1, q2
        vldrb.8 q3, [r7], #16
        vmladava.s8 r2, q0, q3
        vldrb.8 q2, [r9], #16
        vmladava.s8 r8, q1, q3
        vmladava.s8 r4, q0, q2
        .if     \next
        vldrb.8 q0, [r1], #16
        .endif
        vmladava.s8 r10, q1, q2
        .if     \next
        vldrb.8 q2, [r5], #16
        .endif
        .endm

        @ r1 r3 cuts  r7 bits of odd rows  r9 number of the first row  r12 address of the distances
        .macro  better sum, cut, at, row
        cmp     \sum, \cut
        blt     1f
        ubfx    lr, r7, #\row, #1
        sub     lr, lr, \sum, lsl #1
        ldr     r5, [r12, #\at]
        cmp     lr, r5
        bge     1f
        str     lr, [r12, #\at]
        rsb     \cut, lr, #2
        asr     \cut, \cut, #1
        ldr     lr, [sp, #TILE]
        ldr     lr, [lr, #APART]
        add     lr, lr, #\at
        add     r5, r9, #\row
        str     r5, [r12, lr]
1:
        .endm

        .global nearest_tile
        .type   nearest_tile, %function
nearest_tile:
        push    {r4-r11, lr}
        sub     sp, sp, #SIZE
        str     r0, [sp, #TILE]
        ldr     r5, [r0, #TILE_END]
        str     r5, [sp, #END]
        ldrd    r5, r6, [r0, #STEP - 4] @ the first place, and the step
        add     r6, r6, r5
        strd    r5, r6, [sp, #PLACES]
        ldm     r0, {r1-r4}             @ channels, vectors, features, out
        and     r5, r1, #63
        lsr     r6, r1, #6
        strd    r5, r6, [sp, #REST]
2:                                      @ r0 tile  r1 channels  r2 vectors left  r3 the first of them  r4 its distance
        strd    r4, r2, [sp, #OUT]
        ldr     r5, [r4]
        rsb     r5, r5, #2
        asr     r5, r5, #1
        cmp     r2, #1
        ite     eq
        moveq   r7, r3                  @ the last vector twice, the second time with a cut that no sum reaches
        addne   r7, r3, r1
        strd    r3, r7, [sp, #VECTORS]
        beq     3f
        ldr     r6, [r4, #4]
        rsb     r6, r6, #2
        asr     r6, r6, #1
        b       4f
3:      mvn     r6, #0x80000000
4:      strd    r5, r6, [sp, #CUTS]
        add     r11, r0, #GROUPS
5:
        ldm     r11!, {r0, r2, r4, r5, r7, r9}
        ldm     r11!, {r1, r3, r12}     @ places
        ldrd    lr, r6, [sp, #PLACES]
        smlad   r10, r6, r12, r4
        smlad   r8, r6, r3, r2
        smlad   r6, r6, r1, r0
        smlad   r0, lr, r1, r0
        smlad   r2, lr, r3, r2
        smlad   r4, lr, r12, r4
        ldrd    r1, r3, [sp, #VECTORS]
        ldrd    r12, lr, [sp, #REST]
        wls     lr, lr, 7f
6:
        vldrb.8 q0, [r1], #16
        vldrb.8 q2, [r5], #16
        chunk   1
        chunk   1
        chunk   1
        chunk   0
        le      lr, 6b
7:
        wlstp.8 lr, r12, 9f
8:
        vldrb.8 q0, [r1], #16
        vldrb.8 q2, [r5], #16
        chunk   0
        letp    lr, 8b
9:
        ldm     sp, {r1, r3, r5}        @ cuts and end
        cmp     r0, r1
        itttt   lt
        cmplt   r2, r1
        cmplt   r4, r1
        cmplt   r6, r3
        cmplt   r8, r3
        it      lt
        cmplt   r10, r3
        bge     11f
10:
        cmp     r11, r5
        bne     5b
        ldr     r0, [sp, #TILE]
        ldrd    r5, r6, [sp, #PLACES]
        ldr     r1, [r0, #STEP]
        add     r5, r5, r1, lsl #1
        add     r6, r6, r1, lsl #1
        strd    r5, r6, [sp, #PLACES]
        ldr     r1, [r0, #CHANNELS]
        ldrd    r4, r2, [sp, #OUT]
        ldr     r3, [sp, #VECTORS]
        add     r3, r3, r1, lsl #1
        add     r4, r4, #8
        subs    r2, r2, #2
        bgt     2b
        add     sp, sp, #SIZE
        pop     {r4-r11, pc}
11:
        ldr     r5, [sp, #TILE]
        ldr     r12, [sp, #OUT]
        sub     r9, r11, r5
        subs    r9, r9, #GROUPS + GROUP
        movs    r7, #GROUP / 3
        udiv    r9, r9, r7              @ rows before those of this group
        ldr     r7, [r5, #ODD]
        lsrs    r7, r7, r9
        ldr     r5, [r5, #FIRST]
        add     r9, r9, r5
        better  r0, r1, 0, 0
        better  r2, r1, 0, 1
        better  r4, r1, 0, 2
        better  r6, r3, 4, 0
        better  r8, r3, 4, 1
        better  r10, r3, 4, 2
        strd    r1, r3, [sp, #CUTS]
        ldr     r5, [sp, #END]
        b       10b
