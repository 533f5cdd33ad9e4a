@ Instructions whose number in each class is known, between marks: see test_silicon.py.
    .syntax unified
    .thumb
    .equ MARK, 0x67FFF000
    .section .vectors, "a"
    .word 0x01010000
    .word reset + 1
    .text
    .macro begin letter
    ldr r7, =MARK
    strb r7, [r7]
    strb r7, [r7, #\letter]
    strb r7, [r7, #256]
    .endm
    .macro end
    strb r7, [r7, #257]
    .endm
    .global reset
    .thumb_func
reset:
    ldr r0, =0xE000ED88
    ldr r1, [r0]
    orr r1, r1, #0xF00000
    str r1, [r0]
    dsb
    isb
    ldr r0, =0xE000ED14
    ldr r1, [r0]
    orr r1, r1, #0x80000
    str r1, [r0]
    isb

    ldr r0, =0x60000000
    ldr r1, =0x60010000
    mov r2, #1024
    begin 'v'
    dlstp.8 lr, r2            @ 1 loop start
1:  vldrb.u8 q0, [r0], #16    @ 64 vector loads
    vmul.i8 q1, q0, q0        @ 64 vector
    vadd.i8 q1, q1, q0        @ 64 vector
    vstrb.8 q1, [r1], #16     @ 64 vector stores
    letp lr, 1b               @ 64 loop ends
    end

    ldr r0, =0x60020000
    mov r2, #16
    mov r4, #0
    vidup.u8 q2, r4, #4
    vshl.i8 q2, q2, #0
    mov r4, #0
    vidup.u32 q3, r4, #8
    begin 'g'
    dls lr, r2                @ 1 loop start
2:  vldrb.u8 q0, [r0, q2]     @ 16 gathers of 16 lanes
    vldrw.u32 q1, [r0, q3, uxtw #2] @ 16 gathers of 4 lanes
    vstrb.8 q0, [r0, q2]      @ 16 scatters of 16 lanes
    vldrb.u32 q4, [r0]        @ 16 vector loads, widening
    vldrb.s16 q4, [r0, #8]    @ 16 vector loads, widening
    vstrb.16 q4, [r0, #8]     @ 16 vector stores, narrowing
    vld20.8 {q4, q5}, [r0]    @ 32 vector loads, interleaved
    vld21.8 {q4, q5}, [r0]
    vldrw.u32 q1, [r0], #16
    sub r0, r0, #16           @ 16 alu
    le lr, 2b                 @ 16 loop ends
    end

    ldr r0, =0x60030000
    mov r2, #10
    begin 'f'
    dls lr, r2
3:  vldr.f32 s0, [r0]         @ 10 float loads
    vldr.f32 s1, [r0, #4]     @ 10
    vadd.f32 s2, s0, s1       @ 10 float
    vfma.f32 s2, s0, s1       @ 10 float
    vmul.f32 s3, s2, s1       @ 10 float
    vdiv.f32 s3, s3, s1       @ 10 float divide
    vsqrt.f32 s3, s3          @ 10 float divide
    vcvt.s32.f32 s4, s3       @ 10 float
    vcmp.f32 s3, s2           @ 10 float
    vmrs apsr_nzcv, fpscr     @ 10 move
    vmov r3, s4               @ 10 move
    vmov s5, r3               @ 10 move
    vmaxnm.f32 s5, s4, s3     @ 10 float
    vselgt.f32 s5, s4, s3     @ 10 float
    vmov.f32 s6, #1.0         @ 10 float
    vpush {s0-s3}             @ 10 float store
    vpop {s0-s3}              @ 10 float load
    vstr.f32 s5, [r0, #8]     @ 10 float store
    vmov r3, r4, d1           @ 10 move
    vmov.32 q1[0], r3         @ 10 move
    vmov.s8 r3, q1[3]         @ 10 move
    vmov q1[2], q1[0], r3, r4 @ 10 move
    vdup.8 q2, r3             @ 10 vector
    vmov.i32 q3, #0           @ 10 vector
    vpst                      @ 10 vector
    vaddt.f32 q3, q2, q2      @ 10 vector
    vcmp.i8 eq, q2, q3        @ 10 vector
    vpsel q3, q2, q3          @ 10 vector
    vaddva.u8 r4, q2          @ 10 vector
    vmladava.s8 r4, q2, q3    @ 10 vector
    vctp.8 r2                 @ 10 vector
    vmrs r3, p0               @ 10 move
    vfma.f32 q3, q2, r3       @ 10 vector
    vcvt.f32.s32 q3, q2       @ 10 vector
    vrshr.s16 q3, q3, #2      @ 10 vector
    vqdmulh.s32 q3, q3, q2    @ 10 vector
    vcadd.f32 q3, q2, q1, #90 @ 10 vector
    vmovlb.s8 q3, q2          @ 10 vector
    vqmovunb.s16 q3, q2       @ 10 vector
    vmaxv.s8 r3, q2           @ 10 vector
    vminnma.f32 q3, q2        @ 10 vector
    vbrsr.8 q3, q2, r3        @ 10 vector
    vmlas.s8 q3, q2, r3       @ 10 vector
    le lr, 3b
    end

    ldr r0, =0x60040000
    mov r2, #7
    begin 's'
4:  ldr r3, [r0]              @ 7 loads
    ldrb r4, [r0, #1]         @ 7
    ldrsh.w r4, [r0, #2]      @ 7
    ldrd r4, r5, [r0, #8]     @ 7
    str r3, [r0, #16]         @ 7 stores
    strd r4, r5, [r0, #24]    @ 7
    strh.w r4, [r0, #40]      @ 7
    push {r0, r4, lr}         @ 7 store multiple
    pop {r0, r4, lr}          @ 7 load multiple
    ldm r0, {r3, r4, r5}      @ 7 load multiple
    stm.w r0, {r3, r4, r5}    @ 7 store multiple
    mul r3, r4, r5            @ 7 multiply
    smull r3, r4, r5, r5      @ 7 multiply
    mla r3, r4, r5, r5        @ 7 multiply
    sdiv r3, r4, r5           @ 7 divide
    udiv r3, r4, r5           @ 7 divide
    add.w r3, r4, r5, lsl #2  @ 7 alu
    adds r3, r4, #1           @ 7 alu
    uxtb r3, r4               @ 7 alu
    ubfx r3, r4, #1, #2       @ 7 alu
    clz r3, r4                @ 7 alu
    csel r3, r4, r5, eq       @ 7 alu
    it eq                     @ 7 other
    moveq r3, r4              @ 7 alu
    pld [r0]                  @ 7 prefetch
    mrs r3, primask           @ 7 other
    cbz r2, 5f                @ 7 branch
    bl 6f                     @ 7 branch
    subs r2, #1               @ 7 alu
    bne.w 4b                  @ 7 branch, 6 taken
5:  end

    @ 32 KB are read twice: as much as the data cache holds
    ldr r0, =0x60100000
    mov r1, #2
    begin 'c'
7:  mov r3, r0
    mov r2, #1024
8:  ldr r4, [r3], #32
    subs r2, #1
    bne 8b
    subs r1, #1
    bne 7b
    end

    @ five lines of one set, three times: one more than it has ways
    ldr r0, =0x60200000
    mov r1, #3
    begin 'k'
9:  mov r3, r0
    mov r2, #5
10: ldr r4, [r3], #8192 / 64
    add r3, r3, #8192 - 8192 / 64
    subs r2, #1
    bne 10b
    subs r1, #1
    bne 9b
    end

    @ 32 KB are written, and lines of another 32 KB take their places
    ldr r0, =0x60300000
    begin 'b'
    mov r2, #1024
11: str r4, [r0], #32
    subs r2, #1
    bne 11b
    mov r2, #1024
12: ldr r4, [r0], #32
    subs r2, #1
    bne 12b
    end

    @ a stage in a stage: 4 lines, of the outer stage's 8
    ldr r0, =0x60400000
    begin 'n'
    begin 'i'
    ldr r3, [r0]
    ldr r3, [r0, #32]
    ldr r3, [r0, #64]
    ldr r3, [r0, #96]
    end
    mov r2, #8
13: ldr r3, [r0], #32
    subs r2, #1
    bne 13b
    end

    ldr r0, =0x20026
    ldr r1, =0x18
    mov r0, r1
    ldr r1, =0x20026
    bkpt 0xAB
    b .
    .thumb_func
6:  bx lr                     @ 7 branch
    .ltorg
