@ tint_map(r0 frame, r1 classes, r2 plan, r3 palette): the class map, scaled to the nearest, blended over the frame in its
@ classes' colours: draw_image's own arithmetic (16.16 steps through the map, 33 levels of alpha on RGB565, 257 on grey).
@
@ Eight pixels at once, in 16-bit lanes: their places in the map, their classes, alphas (nothing more where all eight
@ are transparent), colours, then d + ((s - d) * a >> 5) for each of r, g, b. 36 instructions for eight RGB565 pixels
@ (11 where transparent), 21 for eight grey ones.
@
@ In the loops: r0 first pixel of the frame's row, r1 map, r2 alphas, r3 colours (grey: their luma, 256 bytes on the stack), r4
@ the map's row, r5 columns, r6 step of eight columns, r7 pixel, r8 4112, r9 bytes of a frame row, r10 place in the map,
@ vertical (16.16), r11 its step, r12 scratch, lr columns left; q6 and q7 places of even and odd pixels (16.16).
@ On the stack: 0 and 16 q6 and q7 at a row's begin, 32 width of the map, 36 rows left, 40 luma.
 .syntax unified
 .thumb
 .include "plans.inc"
 push {r8-r11}
 vpush {d8-d15}
 sub sp, sp, #296
 vmov s2, r0
 vldr s0, [r2, #TINT_MAP_Y_SCALE]
 ldr r12, [r2, #TINT_MAP_FRAME_HEIGHT]
 ldr r4, [r2, #TINT_MAP_Y]
 ldr r5, [r2, #TINT_MAP_HEIGHT]
 ldr r6, [r2, #TINT_MAP_Y0]
 ldr r7, [r2, #TINT_MAP_Y1]
 bl axis
 mov r0, r4               @ first row
 mov r8, r5
 mov r10, r6
 mov r11, r7
 vldr s0, [r2, #TINT_MAP_X_SCALE]
 ldr r12, [r2, #TINT_MAP_FRAME_WIDTH]
 mov r9, r12
 ldr r4, [r2, #TINT_MAP_X]
 ldr r5, [r2, #TINT_MAP_WIDTH]
 str r5, [sp, #32]
 ldr r6, [r2, #TINT_MAP_X0]
 ldr r7, [r2, #TINT_MAP_X1]
 bl axis
 cmp r5, #0
 it gt
 cmpgt r8, #0
 ble end
 str r8, [sp, #36]
 mla r4, r0, r9, r4       @ first pixel
 ldr r12, [r2, #TINT_MAP_DEPTH] @ bytes a pixel
 mul r4, r4, r12
 mul r9, r9, r12
 vmov r0, s2
 add r0, r0, r4
 movs r4, #0
 vidup.u32 q6, r4, #2
 vmul.i32 q6, q6, r7
 vadd.i32 q6, q6, r6
 vstrw.32 q6, [sp]
 vadd.i32 q7, q6, r7
 add r4, sp, #16
 vstrw.32 q7, [r4]
 lsls r6, r7, #3
 add r2, r3, #512
 cmp r12, #1
 beq gray

 .macro row
 asrs r4, r10, #16
 add r10, r10, r11
 ldr r7, [sp, #32]
 mla r4, r4, r7, r1
 vldrw.u32 q6, [sp]
 add r7, sp, #16
 vldrw.u32 q7, [r7]
 mov r7, r0
 add r0, r0, r9
 .endm

 .macro place             @ classes to q0, alphas to q2
 vshrnb.i32 q1, q6, #16
 vshrnt.i32 q1, q7, #16
 vadd.i32 q6, q6, r6
 vadd.i32 q7, q7, r6
 vldrb.u16 q0, [r4, q1]
 vldrb.u16 q2, [r2, q0]
 .endm

 movw r8, #4112           @ 2 * 4112 * alpha / 65536, rounded, is alpha * 32 / 255, rounded
1:
 row
 dlstp.16 lr, r5
3:
 place
 vcmp.i16 ne, q2, zr
 vmrs r12, p0
 cmp r12, #0
 beq 4f
 vldrh.u16 q1, [r3, q0, uxtw #1]
 vqrdmulh.s16 q2, q2, r8
 vldrh.u16 q3, [r7]
 vshr.u16 q0, q1, #11     @ red to q4
 vshr.u16 q4, q3, #11
 vsub.i16 q0, q0, q4
 vmul.i16 q0, q0, q2
 vshr.s16 q0, q0, #5
 vadd.i16 q4, q4, q0
 vshl.i16 q0, q1, #5      @ green to q5
 vshr.u16 q0, q0, #10
 vshl.i16 q5, q3, #5
 vshr.u16 q5, q5, #10
 vsub.i16 q0, q0, q5
 vmul.i16 q0, q0, q2
 vshr.s16 q0, q0, #5
 vadd.i16 q5, q5, q0
 vmov.i16 q0, #31         @ blue to q3
 vand q1, q1, q0
 vand q3, q3, q0
 vsub.i16 q1, q1, q3
 vmul.i16 q1, q1, q2
 vshr.s16 q1, q1, #5
 vadd.i16 q3, q3, q1
 vsli.16 q3, q5, #5
 vsli.16 q3, q4, #11
 vstrh.16 q3, [r7], #16
 letp lr, 3b
 b 5f
4:
 adds r7, r7, #16
 letp lr, 3b
5:
 ldr r12, [sp, #36]
 subs r12, r12, #1
 str r12, [sp, #36]
 bne 1b
 b end

gray:
 @ luma of all 256 colours: (38 r + 75 g + 15 b) >> 7 of 8-bit channels; 5 bits to 8 are r * 33 >> 2, 6 bits g * 65 >> 4
 add r7, sp, #40
 movs r4, #32
 dls lr, r4
4:
 vldrh.u16 q0, [r3], #16
 vshr.u16 q1, q0, #11
 movs r4, #33
 vmul.i16 q1, q1, r4
 vshr.u16 q1, q1, #2
 mov r12, #38
 vmul.i16 q1, q1, r12
 vmov.i16 q2, #31
 vand q2, q0, q2
 vmul.i16 q2, q2, r4
 vshr.u16 q2, q2, #2
 mov r12, #15
 vmul.i16 q2, q2, r12
 vadd.i16 q1, q1, q2
 vshl.i16 q0, q0, #5
 vshr.u16 q0, q0, #10
 movs r4, #65
 vmul.i16 q0, q0, r4
 vshr.u16 q0, q0, #4
 mov r12, #75
 vmul.i16 q0, q0, r12
 vadd.i16 q0, q0, q1
 vshr.u16 q0, q0, #7
 vstrb.16 q0, [r7], #8
 le lr, 4b
 add r3, sp, #40
5:
 row
 dlstp.16 lr, r5
6:
 place
 vldrb.u16 q1, [r3, q0]
 vshr.u16 q3, q2, #7      @ alpha * 256 / 255, rounded
 vadd.i16 q2, q2, q3
 vldrb.u16 q3, [r7]
 vsub.i16 q1, q1, q3      @ modulo 65536: (s - d) * a + 256 d is s * a + d * (256 - a), which fits
 vmul.i16 q1, q1, q2
 vshl.i16 q3, q3, #8
 vadd.i16 q1, q1, q3
 vshr.u16 q1, q1, #8
 vstrb.16 q1, [r7], #8
 letp lr, 6b
 ldr r12, [sp, #36]
 subs r12, r12, #1
 str r12, [sp, #36]
 bne 5b
 b end

@ One axis of the map. In: r4 position, s0 scale, r5 size, r6 and r7 clip, r12 the frame's size. Out: r4 first pixel, r5
@ pixels (0 or less: none), r6 its place in the map (16.16), r7 step from pixel to pixel.
axis:
 push {r0, r3}
 vmov r0, s0              @ the scale as MicroPython's 30-bit floats hold it, which draw_image takes
 lsrs r3, r0, #2
 bfi r0, r3, #0, #2
 vmov s0, r0
 pop {r0, r3}
 vmov s1, r5
 vcvt.f32.s32 s1, s1
 vmul.f32 s1, s1, s0
 vcvtm.s32.f32 s1, s1     @ pixels of the whole map
 vmov r5, s1
 add r5, r5, r4
 cmp r5, r12
 it gt
 movgt r5, r12
 cmp r5, r7
 it gt
 movgt r5, r7
 mov r7, #0x47800000      @ 65536
 vmov s1, r7
 vdiv.f32 s1, s1, s0
 vcvtm.s32.f32 s1, s1
 vmov r7, s1
 rsb r12, r4, #0
 bic r12, r12, r12, asr #31 @ pixels of the map left of the frame
 bic r4, r4, r4, asr #31
 lsl r12, r12, #16
 vmov s1, r12
 vcvt.f32.s32 s1, s1
 vdiv.f32 s1, s1, s0
 vcvtm.s32.f32 s1, s1
 vmov r12, s1
 subs r6, r6, r4
 bic r6, r6, r6, asr #31  @ pixels that the clip takes off
 add r4, r4, r6
 mla r6, r6, r7, r12
 subs r5, r5, r4
 bx lr

end:
 movs r0, #0
 add sp, sp, #296
 vpop {d8-d15}
 pop {r8-r11}
