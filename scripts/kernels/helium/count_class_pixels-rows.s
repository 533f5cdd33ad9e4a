@ Count the frame pixels of a strip of a class map, up to 256 columns. count_class_pixels.c calls it as
@ int count_class_pixels_rows(const struct strip *).
@
@ r0 pixels, r1 class, r2 pixels of a row, r3 the map's row, r4 columns, r5 map rows left, r6 bytes from row to row, r7 address in
@ the row, r8 first frame row of each map row, r9 frame rows of one, r10 where the next begins, r12 the columns' widths.
@ 5 instructions for eight pixels.
 .syntax unified
 .thumb
 .equ MAP, 0              @ followed by MAP_STEP
 .equ ROWS, 8             @ followed by MAP_ROWS
 .equ COLUMNS, 16         @ followed by CLASS_ID
 .equ WIDTHS, 24          @ 256 words of 16 bits

 .global count_class_pixels_rows
 .type count_class_pixels_rows, %function
count_class_pixels_rows:
 push {r4-r11, lr}
 ldrd r3, r6, [r0, #MAP]
 ldrd r8, r5, [r0, #ROWS]
 ldrd r4, r1, [r0, #COLUMNS]
 add r11, r0, #WIDTHS
 movs r0, #0
 ldr r10, [r8], #4
1:
 mov r9, r10
 ldr r10, [r8], #4
 subs r9, r10, r9
 beq 3f
 mov r7, r3
 mov r12, r11
 movs r2, #0
 dlstp.16 lr, r4
2:
 vldrb.u16 q0, [r7], #8
 vldrh.u16 q1, [r12], #16
 vpt.i16 eq, q0, r1
 vaddvat.u16 r2, q1
 letp lr, 2b
 mla r0, r2, r9, r0
3:
 add r3, r3, r6
 subs r5, r5, #1
 bne 1b
 pop {r4-r11, pc}
