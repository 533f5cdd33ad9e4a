@ Add the frame rows of a row of the map to those of each column of the class. class_bands.c calls it as
@ void class_bands_row(const struct map_row *).
@
@ r0 address in the map, r1 class, r2 address in the columns' frame rows, r3 frame rows of this row.
@ 6 instructions for eight pixels.
 .syntax unified
 .thumb
 .equ COLUMNS, 16

 .global class_bands_row
 .type class_bands_row, %function
class_bands_row:
 push {r4, lr}
 ldr r4, [r0, #COLUMNS]
 ldm r0, {r0-r3}
 dlstp.16 lr, r4
1:
 vldrb.u16 q0, [r0], #8
 vldrh.u16 q1, [r2]
 vpt.i16 eq, q0, r1
 vaddt.i16 q1, q1, r3
 vstrh.16 q1, [r2], #16
 letp lr, 1b
 pop {r4, pc}
