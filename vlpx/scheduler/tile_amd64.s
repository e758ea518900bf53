#include "textflag.h"

DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA|NOPTR, $4

// ADDPRODUCTS adds to the sums of one anchor, whose numbers are at ANCHOR, the products with those of two members in Y8 and Y9.
#define ADDPRODUCTS(ANCHOR, OFFSET, SUM0, SUM1) \
	VMOVUPS OFFSET(ANCHOR)(SI*1), Y10 \
	VMULPS  Y10, Y8, Y11              \
	VMULPS  Y10, Y9, Y12              \
	VADDPS  Y11, SUM0, SUM0           \
	VADDPS  Y12, SUM1, SUM1

// EIGHT is one turn of the loop: eight numbers of each row.
#define EIGHT(OFFSET) \
	VMOVUPS OFFSET(BX)(SI*1), Y8       \
	VMOVUPS OFFSET(R11)(SI*1), Y9      \
	ADDPRODUCTS(AX, OFFSET, Y0, Y4)    \
	ADDPRODUCTS(R8, OFFSET, Y1, Y5)    \
	ADDPRODUCTS(R9, OFFSET, Y2, Y6)    \
	ADDPRODUCTS(R10, OFFSET, Y3, Y7)

// FOLD adds the upper four sums to the lower four.
#define FOLD(Y, X) \
	VEXTRACTF128 $1, Y, X8 \
	VADDPS       X8, X, X

// func tile(anchors, members *float32, stride, cols int, out *float32, outStride int)
TEXT ·tile(SB), NOSPLIT, $0-48
	MOVQ anchors+0(FP), AX
	MOVQ members+8(FP), BX
	MOVQ stride+16(FP), CX
	MOVQ cols+24(FP), DX
	MOVQ out+32(FP), DI
	SHLQ $2, CX            // bytes
	SHLQ $2, DX
	LEAQ (AX)(CX*1), R8    // the other anchors
	LEAQ (AX)(CX*2), R9
	LEAQ (R8)(CX*2), R10
	LEAQ (BX)(CX*1), R11   // the other member

	VXORPS Y0, Y0, Y0      // sums with member 0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4      // sums with member 1
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ   SI, SI

loop:
	EIGHT(0)
	EIGHT(32)
	ADDQ $64, SI
	CMPQ SI, DX
	JLT  loop

	FOLD(Y0, X0)
	FOLD(Y1, X1)
	FOLD(Y2, X2)
	FOLD(Y3, X3)
	FOLD(Y4, X4)
	FOLD(Y5, X5)
	FOLD(Y6, X6)
	FOLD(Y7, X7)
	VHADDPS X1, X0, X0     // neighbours, and neighbours of these
	VHADDPS X3, X2, X2
	VHADDPS X2, X0, X0
	VHADDPS X5, X4, X4
	VHADDPS X7, X6, X6
	VHADDPS X6, X4, X4

	VBROADCASTSS half<>(SB), X8
	VXORPS       X9, X9, X9
	VMULPS       X8, X0, X0
	VMULPS       X8, X4, X4
	VADDPS       X9, X0, X0      // makes -0 a +0
	VADDPS       X9, X4, X4
	VUNPCKLPS    X4, X0, X1      // both of anchor 0, both of anchor 1
	VUNPCKHPS    X4, X0, X2      // of anchors 2 and 3
	MOVQ         outStride+40(FP), CX
	SHLQ         $2, CX
	LEAQ         (DI)(CX*2), R8
	VMOVLPS      X1, (DI)
	VMOVHPS      X1, (DI)(CX*1)
	VMOVLPS      X2, (R8)
	VMOVHPS      X2, (R8)(CX*1)
	VZEROUPPER
	RET
