@ Add up the colors of a block of the frame. color_sums.c calls it as void color_sums_block(struct block *).
@
@ For r, g and b: r0, r4, r8 sum, r1, r5, r9 minimum, r2, r6, r10 sum of squares, r3, r7, r11 maximum; r12 address in the row.
@ On the stack: the block, then the row's address, bytes from row to row, rows left, pixels of a row.
@ 25 instructions for eight RGB565 pixels, 6 for sixteen GRAYSCALE pixels.
 .syntax unified
 .thumb
 .equ CHANNELS, 16        @ behind at, stride, rows and pixels
 .equ DEPTH, 64

 .global color_sums_block
 .type color_sums_block, %function
color_sums_block:
 push {r4-r11, lr}
 mov r12, r0
 ldm r12, {r0-r3}
 push {r0-r3, r12}        @ sp: row's address, stride, rows, pixels, block
 ldr r4, [r12, #DEPTH]
 add lr, r12, #CHANNELS
 cmp r4, #2
 bne 3f
 ldm lr, {r0-r11}
1:
 ldr r12, [sp]
 ldr lr, [sp, #12]
 dlstp.16 lr, lr
2:
 vldrh.u16 q0, [r12], #16
 vshr.u16 q1, q0, #11
 vshr.u16 q2, q0, #13
 vsli.16 q2, q1, #3
 vaddva.u16 r0, q2
 vminv.u16 r1, q2
 vmladava.u16 r2, q2, q2
 vmaxv.u16 r3, q2
 vshl.i16 q1, q0, #5
 vshr.u16 q2, q1, #14
 vshr.u16 q1, q1, #10
 vsli.16 q2, q1, #2
 vaddva.u16 r4, q2
 vminv.u16 r5, q2
 vmladava.u16 r6, q2, q2
 vmaxv.u16 r7, q2
 vshl.i16 q1, q0, #11
 vshr.u16 q2, q1, #13
 vshr.u16 q1, q1, #11
 vsli.16 q2, q1, #3
 vaddva.u16 r8, q2
 vminv.u16 r9, q2
 vmladava.u16 r10, q2, q2
 vmaxv.u16 r11, q2
 letp lr, 2b
 ldrd r12, lr, [sp]
 add r12, r12, lr
 ldr lr, [sp, #8]
 str r12, [sp]
 subs lr, lr, #1
 str lr, [sp, #8]
 bne 1b
 ldr r12, [sp, #16]
 add lr, r12, #CHANNELS
 stm lr, {r0-r11}
 b 6f
3:
 ldm lr, {r0-r3}
4:
 ldr r12, [sp]
 ldr lr, [sp, #12]
 dlstp.8 lr, lr
5:
 vldrb.u8 q2, [r12], #16
 vaddva.u8 r0, q2
 vminv.u8 r1, q2
 vmladava.u8 r2, q2, q2
 vmaxv.u8 r3, q2
 letp lr, 5b
 ldrd r12, lr, [sp]
 add r12, r12, lr
 ldr lr, [sp, #8]
 str r12, [sp]
 subs lr, lr, #1
 str lr, [sp, #8]
 bne 4b
 ldr r12, [sp, #16]
 add lr, r12, #CHANNELS
 stm lr, {r0-r3}
6:
 add sp, sp, #20
 pop {r4-r11, pc}
