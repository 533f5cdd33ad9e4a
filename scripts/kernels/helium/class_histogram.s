@ Count the pixels of each class. class_histogram(classes, params, out); see portable/maps.py.
@
@ Six classes are compared with 16 pixels at once (14 instructions) until every pixel is counted. A map with classes from 24 on
@ is counted pixel by pixel instead (5 instructions each).
@
@ r0 the map, r1 address in it, r3 pixels, r5 pixels not counted yet, r7 first of the six classes, r9 address of their counts,
@ r11 out; r2, r4, r6, r8, r10, r12 the six counts; q0 pixels, q1 ones, q2-q7 the six classes.
 .syntax unified
 .thumb
 .include "params.inc"
 push {r8-r11}
 vpush {d8-d15}
 mov r9, r2
 mov r11, r2
 ldr r3, [r1, #CLASS_HISTOGRAM_PIXELS]
 mov r5, r3
 vmov.i8 q0, #0
 movs r1, #64
 dls lr, r1
1:
 vstrw.32 q0, [r2], #16
 le lr, 1b
 vmov.i8 q1, #1
 movs r7, #0
2:
 mov r1, r7
 .irp q, q2, q3, q4, q5, q6, q7
 vdup.8 \q, r1
 adds r1, r1, #1
 .endr
 .irp r, r2, r4, r6, r8, r10, r12
 mov \r, #0
 .endr
 mov r1, r0
 wlstp.8 lr, r3, 4f
3:
 vldrb.u8 q0, [r1], #16
 .macro tally class, number
 vpt.i8 eq, q0, \class
 vaddvat.u8 \number, q1
 .endm
 tally q2, r2
 tally q3, r4
 tally q4, r6
 tally q5, r8
 tally q6, r10
 tally q7, r12
 letp lr, 3b
4:
 stm r9!, {r2, r4, r6, r8, r10, r12}
 .irp r, r2, r4, r6, r8, r10, r12
 subs r5, r5, \r
 .endr
 beq 7f
 adds r7, r7, #6
 cmp r7, #24
 blo 2b
 @ Pixel by pixel, from the beginning: the counts so far are cleared.
 vmov.i8 q0, #0
 mov r9, r11
 movs r1, #6
 dls lr, r1
5:
 vstrw.32 q0, [r9], #16
 le lr, 5b
 dls lr, r3
6:
 ldrb r1, [r0], #1
 ldr r2, [r11, r1, lsl #2]
 adds r2, r2, #1
 str r2, [r11, r1, lsl #2]
 le lr, 6b
7:
 movs r0, #0
 vpop {d8-d15}
 pop {r8-r11}
