@ The class with the largest value at each pixel, or one channel compared with a cut. class_map(logits, params, out); see
@ portable/maps.py.
@
@ If that is cheap, each vector lane is a pixel: 16 pixels at once (8 of int16, 4 of float) go through the classes, with the best
@ value so far in q0 and its class in q1. A class replaces the best where it is greater. So the first maximum wins, and NaN
@ never does. "pixel after pixel": the classes of a pixel are side by side; "plane after plane": each class is a plane.
@   pairs    2 classes, pixel after pixel: VLD2 separates them                    5.25 instructions for 16 pixels
@   rows2    2 classes, plane after plane                                         5.5; floats of these two layouts: 28
@   few      3..5 classes, pixel after pixel: gathers with an offset vector for each class; with 3 or 4 classes the
@            other vectors load class 0 again, which is not greater than itself                                 20
@   planes   plane after plane, 48 pixels at once                                 5 for a class
@   gather   the remaining pixels of the others, 6..15 classes, int16 and float: gathers with one offset vector of pixels,
@            in which the last pixel repeats if fewer than a full vector are left  7 (bytes: 8) for a class
@ Vectors take a subnormal number for 0, and VMAXNM a signaling NaN for the maximum. Both leave a flag, as a quiet NaN does in a
@ comparison: then `exact` does all pixels again, value by value.
@ With bytes, pixel after pixel, from 16 classes on each lane is a class:
@   wide     16..32: two vectors that overlap                                     13 or 17 for a pixel
@   long     33..255: as many vectors as needed, the last one overlapping
@
@ r0 source, r2 destination, r3 dtype, r4 pixels left, r5 classes, r6 elements from pixel to pixel, r7 from class to
@ class, r8 cut; r1 and r9-r12 scratch. In gather and long q7 is 0x80 in all bytes for uint8, which makes them signed
@ bytes of the same order, and 0 for int8.
 .syntax unified
 .thumb
 .include "params.inc"

 .macro better type, cond, class      @ where q2 is greater than q0
 vptt.\type \cond, q2, q0
 vmovt q0, q2
 vmovt.i8 q1, #\class
 .endm

 .macro onto type, cond, bits, value, best, index @ the same with the class in r12
 vptt.\type \cond, \value, \best
 vmovt \best, \value
 vdupt.\bits \index, r12
 .endm

 push {r8-r11}
 vpush {d8-d15}
 .macro in_order entries:vararg       @ checks the order of the entries that one ldm loads from the beginning of params
 .set at, 0
 .irp entry, \entries
 .if CLASS_MAP_\entry - at
 .error "CLASS_MAP_\entry is not where ldm loads it from"
 .endif
 .set at, at + 4
 .endr
 .endm
 ldm r1, {r3-r8}
 in_order DTYPE, PIXELS, CLASSES, PIXEL_STEP, CLASS_STEP, CUT
 cmp r5, #1
 beq single
 cmp r3, #102
 beq float
 cmp r3, #104
 beq short

@ ---- bytes: s and u are the same code for int8 and uint8
 cmp r3, #66
 beq.w u_bytes

 .macro bytes v, type, cond, lowest, flip
\v\()_bytes:
 cmp r7, #1
 bne \v\()_planes
 cmp r5, #2
 beq \v\()_pairs
 cmp r5, #5
 bls \v\()_few
 cmp r5, #16
 blo \v\()_rest
 vmov.i8 q7, #\flip
 cmp r5, #32
 bhi long

 @ wide: r1 lanes of the maximum, r3 maximum, r9 offset of the second vector
 sub r9, r5, #16
 dls lr, r4
1:
 vldrb.u8 q0, [r0]
 add r0, r0, r9
 vldrb.u8 q1, [r0], #16     @ which ends where the next pixel begins
 vmax.\type q2, q0, q1
 mvn r3, #\lowest           @ -128; unsigned: 0
 vmaxv.\type r3, q2
 vcmp.i8 eq, q0, r3
 vmrs r1, p0
 cbz r1, 2f
 rbit r1, r1
 clz r1, r1
 strb r1, [r2], #1
 le lr, 1b
 b end
2:
 vcmp.i8 eq, q1, r3
 vmrs r1, p0
 rbit r1, r1
 clz r1, r1
 add r1, r1, r9
 strb r1, [r2], #1
 le lr, 1b
 b end

\v\()_pairs:
 lsls r1, r0, #30           @ VLD2 needs an aligned address: any other array is left to gather
 bne \v\()_rest
 vmov.i8 q2, #0
 vmov.i8 q3, #1
 lsrs r1, r4, #6
 wls lr, r1, 2f
1:
 .rept 4
 vld20.8 {q0, q1}, [r0]
 vld21.8 {q0, q1}, [r0]!
 vcmp.\type \cond, q1, q0
 vpsel q0, q3, q2
 vstrb.8 q0, [r2], #16
 .endr
 le lr, 1b
2:
 and r4, r4, #63
 b \v\()_rest

\v\()_few:
 mov r12, #0
 vidup.u8 q3, r12, #1
 vmul.i8 q3, q3, r5
 movs r1, #1
 vadd.i8 q4, q3, r1
 movs r1, #2
 vadd.i8 q5, q3, r1
 subs r1, r5, #3          @ 3, 4, 5 classes: 0, 1, 2
 it ne
 movne r1, #3
 vadd.i8 q6, q3, r1
 cmp r5, #5
 ite ne
 movne r1, #0
 moveq r1, #4
 vadd.i8 q7, q3, r1
 lsls r9, r5, #4
 lsrs r1, r4, #4
 wls lr, r1, 2f
1:
 vldrb.u8 q0, [r0, q3]
 vmov.i8 q1, #0
 vldrb.u8 q2, [r0, q4]
 better \type, \cond, 1
 vldrb.u8 q2, [r0, q5]
 better \type, \cond, 2
 vldrb.u8 q2, [r0, q6]
 better \type, \cond, 3
 vldrb.u8 q2, [r0, q7]
 vpt.\type \cond, q2, q0
 vmovt.i8 q1, #4
 add r0, r0, r9
 vstrb.8 q1, [r2], #16
 le lr, 1b
2:
 and r4, r4, #15
 b \v\()_rest

\v\()_planes:
 cmp r5, #2
 bne 3f
 @ rows2: r7 the second plane's address from here on
 mov r12, r7
 add r7, r7, r0
 vmov.i8 q2, #0
 vmov.i8 q3, #1
 lsrs r1, r4, #5
 wls lr, r1, 2f
1:
 .rept 2
 vldrb.u8 q0, [r0], #16
 vldrb.u8 q1, [r7], #16
 vcmp.\type \cond, q1, q0
 vpsel q0, q3, q2
 vstrb.8 q0, [r2], #16
 .endr
 le lr, 1b
2:
 mov r7, r12
 and r4, r4, #31
 b \v\()_rest
 @ planes: best q0, q3, q5, class q1, q4, q6; r1 address in the plane, r9 classes but the first
3:
 sub r9, r5, #1
4:
 subs r4, r4, #48
 blt 6f
 vldrb.u8 q0, [r0]
 vldrb.u8 q3, [r0, #16]
 vldrb.u8 q5, [r0, #32]
 vmov.i8 q1, #0
 vmov q4, q1
 vmov q6, q1
 mov r1, r0
 mov r12, #1
 dls lr, r9
5:
 add r1, r1, r7
 vldrb.u8 q2, [r1]
 onto \type, \cond, 8, q2, q0, q1
 vldrb.u8 q2, [r1, #16]
 onto \type, \cond, 8, q2, q3, q4
 vldrb.u8 q2, [r1, #32]
 onto \type, \cond, 8, q2, q5, q6
 add r12, r12, #1
 le lr, 5b
 vstrb.8 q1, [r2], #16
 vstrb.8 q4, [r2], #16
 vstrb.8 q6, [r2], #16
 add r0, r0, #48
 b 4b
6:
 adds r4, r4, #48
\v\()_rest:
 vmov.i8 q7, #\flip
 b gather8
 .endm


 bytes s, s8, gt, 127, 0
 bytes u, u8, hi, 0xffffffff, 0x80

@ ---- long: r1 address, r3 maximum, r9 whole vectors, r10 hits, r11 address of the last vector
long:
 sub r11, r5, #16
 add r11, r11, r0
 lsrs r9, r5, #4
1:
 mov r3, #-128
 mov r1, r0
 dls lr, r9
2:
 vldrb.u8 q0, [r1], #16
 veor q0, q0, q7
 vmaxv.s8 r3, q0
 le lr, 2b
 vldrb.u8 q0, [r11]
 veor q0, q0, q7
 vmaxv.s8 r3, q0
 mov r1, r0
3:
 cmp r1, r11
 it hi
 movhi r1, r11
 vldrb.u8 q0, [r1], #16
 veor q0, q0, q7
 vcmp.i8 eq, q0, r3
 vmrs r10, p0
 cmp r10, #0
 beq 3b
 rbit r10, r10
 clz r10, r10
 add r10, r10, r1
 sub r10, r10, r0
 subs r10, r10, #16
 strb r10, [r2], #1
 add r0, r0, r5
 add r11, r11, r5
 subs r4, r4, #1
 bne 1b
 b end

@ ---- gather: q3 lane numbers, q4 their offsets in elements; r1 address in the class, r3 bytes from class to class,
@ r9 bytes of a vector's pixels; r12 class, q7 -infinity for floats
 .macro load8 value
 vldrb.u8 \value, [r1, q4]
 veor \value, \value, q7
 .endm
 .macro load16 value
 vldrh.u16 \value, [r1, q4, uxtw #1]
 .endm
 .macro load32 value
 vldrw.u32 \value, [r1, q4, uxtw #2]
 .endm

 .macro gather type, bits, lanes, size, done=end
 cmp r4, #0
 beq \done
 lsl r3, r7, #\size
 lsl r9, r6, #4
 mov r12, #0
 vidup.u\bits q3, r12, #1
 vmul.i\bits q4, q3, r6
1:
 cmp r4, #\lanes
 bhs 2f
 subs r1, r4, #1
 vdup.\bits q4, r1
 vmin.u\bits q4, q4, q3
 vmul.i\bits q4, q4, r6
2:
 vmov.i8 q1, #0
 mov r1, r0
 load\bits q0
 .ifc \type, f32
 vmaxnm.f32 q0, q0, q7    @ NaN to -infinity
 .endif
 mov r12, #1
 sub lr, r5, #1
 dls lr, lr
3:
 add r1, r1, r3
 load\bits q2
 onto \type, gt, \bits, q2, q0, q1
 add r12, r12, #1
 le lr, 3b
 vctp.\bits r4
 vpst
 vstrbt.\bits q1, [r2]
 add r2, r2, #\lanes
 add r0, r0, r9
 subs r4, r4, #\lanes
 bgt 1b
 .endm

gather8:
 gather s8, 8, 16, 0
 b end
short:
 gather s16, 16, 8, 1
 b end
float:
 push {r0, r2, r4}
 vmrs r12, fpscr
 bic r12, r12, #0x89
 vmsr fpscr, r12
 movw r12, #0
 movt r12, #0xff80
 vdup.32 q7, r12
 cmp r5, #2
 bne 3f
 @ two floats, four pixels at once; r12 the second plane
 vmov.i32 q2, #0
 vmov.i32 q3, #1
 add r12, r0, r7, lsl #2
 lsrs r1, r4, #2
 and r4, r4, #3
 .macro larger
 vmaxnm.f32 q0, q0, q7
 vcmp.f32 gt, q1, q0
 vpsel q0, q3, q2
 vstrb.32 q0, [r2], #4
 le lr, 1b
 .endm
 cmp r7, #1
 bne 2f
 wls lr, r1, 3f
1:
 vld20.32 {q0, q1}, [r0]
 vld21.32 {q0, q1}, [r0]!
 larger
 b 3f
2:
 wls lr, r1, 3f
1:
 vldrw.u32 q0, [r0], #16
 vldrw.u32 q1, [r12], #16
 larger
3:
 gather f32, 32, 4, 2, checked

checked:
 pop {r0, r2, r4}
 vmrs r1, fpscr
 tst r1, #0x89              @ invalid operation, underflow, subnormal input
 beq end
 @ exact: r1 address, r3 best class, r12 class, s0 best value or cut
 lsl r6, r6, #2
 lsl r7, r7, #2
 movw r9, #0
 movt r9, #0xff80
1:
 mov r1, r0
 movs r3, #0
 mov r12, #0
 cmp r5, #1
 beq 3f
 vmov s0, r9
2:
 vldr s1, [r1]
 vcmp.f32 s1, s0
 vmrs APSR_nzcv, fpscr
 itt gt
 vmovgt.f32 s0, s1
 movgt r3, r12
 add r1, r1, r7
 add r12, r12, #1
 cmp r12, r5
 blt 2b
 b 4f
3:
 vmov s0, r8
 vldr s1, [r1]
 vcmp.f32 s1, s0
 vmrs APSR_nzcv, fpscr
 it ge
 movge r3, #1
4:
 strb r3, [r2], #1
 add r0, r0, r6
 subs r4, r4, #1
 bne 1b
 b end

@ ---- single: r1 what is written at or above the cut; 0 where an integer cut is above all that the dtype has
single:
 movs r1, #1
 vmov.i8 q2, #0
 .macro cut type, cond, bits, wide, unit
 vdup.\bits q1, r1
 \wide lr, r4
1:
 vldr\unit q0, [r0], #16
 vcmp.\type \cond, q0, r8
 vpsel q0, q1, q2
 vstrb.\bits q0, [r2], #16 / (\bits / 8)
 letp lr, 1b
 .endm
 .macro within low_high, bits
 \low_high r9, #\bits, r8
 cmp r8, r9
 it gt
 movgt r1, #0
 mov r8, r9
 .endm
 cmp r3, #102
 beq 4f
 cmp r3, #104
 beq 3f
 cmp r3, #66
 beq 2f
 within ssat, 8
 cut s8, ge, 8, dlstp.8, b.u8
 b end
2:
 within usat, 8
 cut u8, cs, 8, dlstp.8, b.u8
 b end
3:
 within ssat, 16
 cut s16, ge, 16, dlstp.16, h.u16
 b end
4:
 push {r0, r2, r4}
 vmrs r12, fpscr
 bic r12, r12, #0x89
 vmsr fpscr, r12
 cut f32, ge, 32, dlstp.32, w.u32
 b checked
end:
 movs r0, #0              @ the result: an address left here would become a large int, on the heap
 vpop {d8-d15}
 pop {r8-r11}
