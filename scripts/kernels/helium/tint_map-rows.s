@ Blend a strip of the frame, up to 256 columns. tint_map.c calls it as void rows_rgb565(struct strip *), rows_gray alike.
@
@ For every row of the map and each of its frame rows, eight pixels at once, in 16-bit lanes, get their column of the map, class,
@ alpha (nothing more if all eight are transparent) and color; then the blend of draw_image follows: d + ((s - d) * a >> 5) for
@ each of r, g, b. Alpha has 33 levels on RGB565, 257 on gray. 33 instructions for eight RGB565 pixels (8 if transparent), 18
@ for eight gray ones.
@
@ r0 the strip in the frame's row, r1 map columns, r2 alphas, r3 colors (gray: their luma, 256 bytes), r4 the map's row, r5
@ columns, r6 bytes of a frame row, r7 pixel, r8 4112, r9 first frame row of each map row, r10 frame rows left of this one, r11
@ struct, r12 scratch, lr columns left.
 .syntax unified
 .thumb
 .equ FRAME, 0            @ followed by FRAME_STEP, bytes from row to row
 .equ MAP, 8              @ followed by MAP_STEP
 .equ ROWS, 16            @ the frame rows where each row of the map begins, and where the last ends
 .equ MAP_ROWS, 20        @ rows left
 .equ BOTTOM, 24          @ the frame's height
 .equ COLUMNS, 28
 .equ COLORS, 32          @ followed by ALPHAS
 .equ MAP_COLUMNS, 40     @ 256 halfwords
 .equ LUMA, 552           @ 256 bytes

 .macro begin
 push {r4-r11, lr}
 vpush {d8-d15}
 mov r11, r0
 ldrd r0, r6, [r11, #FRAME]
 ldrd r3, r2, [r11, #COLORS]
 ldr r4, [r11, #MAP]
 ldr r5, [r11, #COLUMNS]
 ldr r9, [r11, #ROWS]
 ldr r7, [r9]             @ the first row's first pixel
 mla r0, r7, r6, r0
 .endm

 .macro row next, end     @ the next row of the map: r10 its frame rows
 ldr r12, [r11, #MAP_ROWS]
 subs r12, r12, #1
 blt \end
 str r12, [r11, #MAP_ROWS]
 ldr r7, [r11, #BOTTOM]
 ldr r10, [r9], #4
 ldr r12, [r9]
 cmp r12, r7
 it gt
 movgt r12, r7
 subs r10, r12, r10
 ble \next
 .endm

 .macro line
 add r1, r11, #MAP_COLUMNS
 mov r7, r0
 add r0, r0, r6
 .endm

 .macro classes           @ classes to q0, alphas to q2
 vldrh.u16 q1, [r1], #16
 vldrb.u16 q0, [r4, q1]
 vldrb.u16 q2, [r2, q0]
 .endm

 .macro next_row          @ the map's row is done
 ldr r12, [r11, #MAP + 4]
 add r4, r4, r12
 .endm

 .global rows_rgb565
 .type rows_rgb565, %function
rows_rgb565:
 begin
 movw r8, #4112           @ 2 * 4112 * alpha / 65536, rounded, is alpha * 32 / 255, rounded
1:
 row 6f, 7f
2:
 line
 dlstp.16 lr, r5
3:
 classes
 vcmp.i16 ne, q2, zr
 vmrs r12, p0
 cmp r12, #0
 beq 4f
 vldrh.u16 q1, [r3, q0, uxtw #1]
 vqrdmulh.s16 q2, q2, r8
 vldrb.u8 q3, [r7]        @ (bytes: a frame may lie at any address)
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
 vstrb.8 q3, [r7], #16
 letp lr, 3b
 b 5f
4:
 adds r7, r7, #16
 letp lr, 3b
5:
 subs r10, r10, #1
 bne 2b
6:
 next_row
 b 1b
7:
 vpop {d8-d15}
 pop {r4-r11, pc}

 .global rows_gray
 .type rows_gray, %function
rows_gray:
 begin
 @ luma of all 256 colors: (38 r + 75 g + 15 b) >> 7 of 8-bit channels; 5 bits to 8 are r * 33 >> 2, 6 bits g * 65 >> 4
 add r7, r11, #LUMA
 mov r1, #33
 mov r8, #65
 movs r12, #32
 dls lr, r12
1:
 vldrh.u16 q0, [r3], #16
 vshr.u16 q1, q0, #11
 vmul.i16 q1, q1, r1
 vshr.u16 q1, q1, #2
 mov r12, #38
 vmul.i16 q1, q1, r12
 vmov.i16 q2, #31
 vand q2, q0, q2
 vmul.i16 q2, q2, r1
 vshr.u16 q2, q2, #2
 mov r12, #15
 vmul.i16 q2, q2, r12
 vadd.i16 q1, q1, q2
 vshl.i16 q0, q0, #5
 vshr.u16 q0, q0, #10
 vmul.i16 q0, q0, r8
 vshr.u16 q0, q0, #4
 mov r12, #75
 vmul.i16 q0, q0, r12
 vadd.i16 q0, q0, q1
 vshr.u16 q0, q0, #7
 vstrb.16 q0, [r7], #8
 le lr, 1b
 add r3, r11, #LUMA
1:
 row 6f, 7f
2:
 line
 dlstp.16 lr, r5
3:
 classes
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
 letp lr, 3b
 subs r10, r10, #1
 bne 2b
6:
 next_row
 b 1b
7:
 vpop {d8-d15}
 pop {r4-r11, pc}
