@ The loops of candidates.c over every class score of a head. TYPE is s8, u8, s16 or f32.
@
@ struct hit *columns(struct columns *): for channels x anchors. kind: 0 int8, 1 uint8, 2 int16, 3 float32. Computes the maxima
@ of 112 bytes of columns. Returns 0 if none reaches the cut. Otherwise it writes the maxima and, for each vector in which some
@ reach the cut, a pair: the mask of these bytes, and the vector's position in the maxima. It returns the end of the pairs.
@ Seven vectors run down the rows together, so one step and one branch serve seven loads and seven maxima: 2.3 instructions a
@ vector.
@
@ int64_t rows_TYPE(const void *p, int left, struct rows *): for anchors x channels. Finds the next anchor whose maximum reaches
@ the cut. The low word is the number of anchors left from there (0 if there is none), the high word the maximum. 10
@ instructions an anchor and 3 a vector.
@
@ int quiet_TYPE(const void *p, int bytes, int cut): the bytes before the first vector that has a score of at least the cut, or
@ all but the last few. TYPE is s8 or u8. For scores that are side by side, of which hardly any reaches the cut: 2.4
@ instructions a vector.
@
@ int find_SIZE(const void *p, int four_steps, int classes, int value, uint32x4_t offsets): the first class that has the
@ value, or 0 if there is none; four classes at once. SIZE is b, h (only the value's low bits are compared) or f32.
@
@ void insert(int *keys, uint16_t *anchors, int n, int key, int anchor): inserts into n descending keys, behind those that are
@ not less; the rest move up by one.
@
@ (A maximum skips quiet NaN. Of a signaling one, and of a subnormal number, a flag tells: see tensors.h.)

        .syntax unified
        .thumb
        .equ    P, 0                    @ struct columns
        .equ    ROWS, 4
        .equ    STEP, 8
        .equ    CUT, 12
        .equ    KIND, 16
        .equ    HITS, 20
        .equ    MAXIMA, 48
        .equ    VECTORS, 7

        .macro  maximum type, to, a, b
        .ifc    \type, f32
        vmaxnm.f32 \to, \a, \b
        .else
        vmax.\type \to, \a, \b
        .endif
        .endm

        @ to = the vector's largest lane
        .macro  across type, to, a
        .ifc    \type, f32
        movw    \to, #0
        movt    \to, #0xff80            @ minus infinity
        vmaxnmv.f32 \to, \a
        .else
        .ifc    \type, u8
        movs    \to, #0
        .else
        .ifc    \type, s8
        mvn     \to, #0x7f
        .else
        movw    \to, #0x7fff
        mvns    \to, \to
        .endif
        .endif
        vmaxv.\type \to, \a
        .endif
        .endm

        @ sets the flags so that GE means a >= cut (x and y are lost where those are floats)
        .macro  reaches type, a, cut, x, y
        .ifc    \type, f32
        vmov    \x, \a
        vmov    \y, \cut
        vcmp.f32 \x, \y
        vmrs    APSR_nzcv, fpscr
        .else
        cmp     \a, \cut
        .endif
        .endm

@ r0 struct  r1 element  r2 from the end of one row's seven vectors to the next  r3 cut  r4 scratch  r5 kind
@ q0-q6 maxima  q7 row
        .macro  columns type, exit
        wls     lr, lr, 2f
1:      add     r1, r1, r2
        .irp    q, q0, q1, q2, q3, q4, q5, q6
        vldrb.u8 q7, [r1], #16
        maximum \type, \q, \q, q7
        .endr
        le      lr, 1b
2:      maximum \type, q7, q0, q1
        .irp    q, q2, q3, q4, q5, q6
        maximum \type, q7, q7, \q
        .endr
        across  \type, r4, q7
        reaches \type, r4, r3, s30, s31
        b       \exit
        .endm

        .global columns
        .type   columns, %function
columns:
        push    {r4, r5, r6, lr}
        vpush   {d8-d15}
        ldrd    r1, lr, [r0, #P]
        ldrd    r2, r3, [r0, #STEP]
        ldr     r5, [r0, #KIND]
        subs    r2, #16 * VECTORS
        .irp    q, q0, q1, q2, q3, q4, q5, q6
        vldrb.u8 \q, [r1], #16
        .endr
        subs    lr, lr, #1
        tbh     [pc, r5, lsl #1]
9:      .short  (kind0 - 9b) / 2, (kind1 - 9b) / 2, (kind2 - 9b) / 2, (kind3 - 9b) / 2
kind0:  columns s8, reduced
kind1:  columns u8, reduced
kind2:  columns s16, reduced
kind3:  columns f32, reduced
reduced:
        it      lt
        movlt   r0, #0
        blt     5f
        add     r1, r0, #MAXIMA
        .irp    q, q0, q1, q2, q3, q4, q5, q6
        vstrb.8 \q, [r1], #16
        .endr
        add     r1, r0, #MAXIMA
        adds    r0, #HITS
        movs    r2, #0
        mov     lr, #VECTORS
3:      vldrb.u8 q0, [r1], #16
        tbb     [pc, r5]
9:      .byte   (8f - 9b) / 2, (7f - 9b) / 2, (6f - 9b) / 2, (10f - 9b) / 2
8:      vcmp.s8 ge, q0, r3
        b       11f
7:      vcmp.u8 cs, q0, r3
        b       11f
6:      vcmp.s16 ge, q0, r3
        b       11f
10:     vcmp.f32 ge, q0, r3
11:     vmrs    r4, p0
        cbz     r4, 4f
        strh    r4, [r0], #2
        strh    r2, [r0], #2
4:      adds    r2, #16
        le      lr, 3b
5:      vpop    {d8-d15}
        pop     {r4, r5, r6, pc}

@ r0 anchor's first class  r1 anchors left  r3 cut  r4 bytes from anchor to anchor  r5 classes  r6 class  r7 maximum
@ q0 running maxima  q1 scores  q2 the lowest value
        .macro  scan type, size
        .global rows_\type
        .type   rows_\type, %function
rows_\type:
        push    {r4-r7, lr}
        ldrd    r3, r4, [r2]
        ldr     r5, [r2, #8]
        .ifc    \type, u8
        vmov.i32 q2, #0
        .else
        .ifc    \type, f32
        movw    r7, #0
        movt    r7, #0xff80
        vdup.32 q2, r7
        .else
        .ifc    \type, s8
        vmov.i8 q2, #0x80
        .else
        vmov.i16 q2, #0x8000
        .endif
        .endif
        .endif
1:      mov     r6, r0
        vmov    q0, q2
        dlstp.\size lr, r5
2:
        .if     \size == 8
        vldrb.u8 q1, [r6], #16
        .elseif \size == 16
        vldrh.u16 q1, [r6], #16
        .else
        vldrw.u32 q1, [r6], #16
        .endif
        maximum \type, q0, q0, q1
        letp    lr, 2b
        across  \type, r7, q0
        reaches \type, r7, r3, s4, s5
        bge     3f
        add     r0, r0, r4
        subs    r1, #1
        bne     1b
3:      mov     r0, r1
        mov     r1, r7
        pop     {r4-r7, pc}
        .endm

@ r0 scores  r1 bytes  r2 cut  r3 scratch  r4 start
        .macro  quiet type, condition
        .global quiet_\type
        .type   quiet_\type, %function
quiet_\type:
        push    {r4, lr}
        mov     r4, r0
        lsrs    r3, r1, #8
        wls     lr, r3, 2f
1:      vldrb.u8 q0, [r0], #16
        .rept   15
        vldrb.u8 q1, [r0], #16
        maximum \type, q0, q0, q1
        .endr
        across  \type, r3, q0
        reaches \type, r3, r2, s4, s5
        bge     3f
        le      lr, 1b
2:      ubfx    r3, r1, #4, #4
        b       4f
3:      sub     r0, r0, #256
        movs    r3, #16
4:      wls     lr, r3, 6f
5:      vldrb.u8 q0, [r0], #16
        vcmp.\type \condition, q0, r2
        vmrs    r3, p0
        cbnz    r3, 7f
        le      lr, 5b
6:      subs    r0, r0, r4
        pop     {r4, pc}
7:      subs    r0, #16
        b       6b
        .endm

        .macro  find name, load, compare, scaled
        .global find_\name
        .type   find_\name, %function
find_\name:
        push    {r4, lr}
        dlstp.32 lr, r2
1:      \load   q1, [r0, q0\scaled]
        vcmp.\compare eq, q1, r3
        vmrs    r4, p0
        cbnz    r4, 2f
        add     r0, r0, r1
        letp    lr, 1b
        movs    r0, #0
        pop     {r4, pc}
2:      sub     r2, r2, lr              @ lr: the classes left
        lctp                            @ leave the loop's predication
        rbit    r4, r4
        clz     r4, r4
        add     r0, r2, r4, lsr #2
        pop     {r4, pc}
        .endm

@ r0 end of the keys  r1 end of the anchors  r2 left  r3 key  r4 r12 scratch
        .global insert
        .type   insert, %function
insert:
        push    {r4, lr}
        add     r0, r0, r2, lsl #2
        add     r1, r1, r2, lsl #1
        b       2f
1:      vldrw.u32 q0, [r0, #-16]        @ four at once while all four are less
        vcmp.s32 ge, q0, r3
        vmrs    r4, p0
        cbnz    r4, 4f
        vldrh.u32 q1, [r1, #-8]
        vstrw.32 q0, [r0, #-12]
        vstrh.32 q1, [r1, #-6]
        subs    r0, #16
        subs    r1, #8
2:      subs    r2, #4
        bge     1b
4:      adds    r2, #4
        beq     5f
3:      ldr     r4, [r0, #-4]
        cmp     r4, r3
        bge     5f
        str     r4, [r0], #-4
        ldrh    r4, [r1, #-2]
        strh    r4, [r1], #-2
        subs    r2, #1
        bne     3b
5:      ldr     r4, [sp, #8]
        str     r3, [r0]
        strh    r4, [r1]
        pop     {r4, pc}

        scan    s8, 8
        scan    u8, 8
        scan    s16, 16
        scan    f32, 32
        quiet   s8, ge
        quiet   u8, cs
        find    b, vldrb.u32, i32
        find    h, vldrh.u32, i32, ", uxtw #1"
        find    f32, vldrw.u32, f32, ", uxtw #2"
