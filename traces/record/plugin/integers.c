/* The registers of operations of one byte. */
#include "registers.h"

/* same reports whether both operands are one register, so that their difference is 0, whatever they hold. */
static bool same(const struct parts *p) { return !p->memory && p->reg == p->rm; }

/* arithmetic is ADD, OR, ADC, SBB, AND, SUB, XOR and CMP, by number, on two places or with the accumulator. */
static bool arithmetic(const struct parts *p, struct effect *e)
{
	unsigned which = p->operation >> 3, form = p->operation & 7;
	bool byte = !(form & 1), compares = which == 7;
	if ((which == 5 || which == 6) && form < 4 && same(p)) { /* 0 */
		e->writes |= BIT(byte ? byte_register(p, p->reg) : p->reg) | BIT(FLAGS);
		return true;
	}
	if (form < 2)
		place(p, e, compares ? READ : BOTH, byte), operand(p, e, READ, byte);
	else if (form < 4)
		operand(p, e, compares ? READ : BOTH, byte), place(p, e, READ, byte);
	else
		general(e, RAX, compares ? READ : BOTH, false);
	flags(e, which == 2 || which == 3 ? BOTH : WRITE);
	return true;
}

/* unary is TEST, NOT, NEG, MUL, IMUL, DIV and IDIV of operation F6 and F7. */
static bool unary(const struct parts *p, struct effect *e, bool byte)
{
	place(p, e, p->group == 2 || p->group == 3 ? BOTH : READ, byte);
	if (p->group != 2)
		flags(e, WRITE);
	if (p->group >= 4) {
		e->reads |= BIT(RAX) | (p->group >= 6 && !byte ? BIT(RDX) : 0);
		e->writes |= BIT(RAX) | (byte ? 0 : BIT(RDX));
	}
	return true;
}

/* group_five is INC, DEC, CALL, JMP and PUSH of operation FE and FF. */
static bool group_five(const struct parts *p, struct effect *e, bool byte)
{
	place(p, e, p->group < 2 ? BOTH : READ, byte);
	if (p->group < 2)
		flags(e, BOTH); /* the carry stays */
	else if (p->group != 4 && p->group != 5)
		stack(e, false);
	return p->group != 7;
}

/* coprocessor is the x87 unit, whose registers count as one. */
static bool coprocessor(const struct parts *p, struct effect *e)
{
	bool odd = p->operation & 1;
	if (!p->memory) {
		uint8_t modrm = (uint8_t)(0xc0 | p->group << 3 | (p->rm & 7));
		general(e, X87, BOTH, false);
		if (p->operation == 0xdf && modrm == 0xe0) /* FNSTSW AX */
			general(e, RAX, BOTH, false);
		else if ((p->operation == 0xdb || p->operation == 0xdf) && (p->group == 5 || p->group == 6))
			flags(e, WRITE); /* FCOMI */
		else if ((p->operation & 0xfe) == 0xda && p->group < 4)
			flags(e, READ); /* FCMOV */
		return true;
	}
	/* Even operations calculate with memory; odd ones load with 0, 4 and 5, but for FLDCW. */
	bool control = p->operation == 0xd9 && p->group >= 4;
	bool load = !odd || p->group == 0 || ((p->group == 4 || p->group == 5) && !control);
	place(p, e, load ? READ : WRITE, false);
	if (!control)
		general(e, X87, load ? BOTH : READ, false);
	return true;
}

/* strings are MOVS, CMPS, STOS, LODS and SCAS. */
static bool strings(const struct parts *p, struct effect *e)
{
	bool byte = !(p->operation & 1);
	e->memory = true;
	switch (p->operation & 0xfe) {
	case 0xa4: /* what is moved is in no register */
		e->address = BIT(RSI) | BIT(RDI);
		return true;
	case 0xa6:
		e->address = BIT(RSI) | BIT(RDI);
		e->loads = true;
		flags(e, WRITE);
		return true;
	case 0xaa:
		e->address = BIT(RDI);
		e->reads = BIT(RAX);
		return true;
	case 0xac:
		e->address = BIT(RSI);
		e->loads = true;
		general(e, RAX, WRITE, byte || p->short_operand);
		return true;
	}
	e->address = BIT(RDI);
	e->loads = true;
	e->reads = BIT(RAX);
	flags(e, WRITE);
	return true;
}

/* lower_half is the operations up to 7F, but for arithmetic. */
static bool lower_half(const struct parts *p, struct effect *e)
{
	switch (p->operation) {
	case 0x63: /* MOVSXD */
		operand(p, e, WRITE, false);
		place(p, e, READ, false);
		return true;
	case 0x68: case 0x6a: /* PUSH of a constant */
		return stack(e, false);
	case 0x69: case 0x6b: /* IMUL by a constant */
		operand(p, e, WRITE, false);
		place(p, e, READ, false);
		flags(e, WRITE);
		return true;
	case 0x6c: case 0x6d: case 0x6e: case 0x6f: /* INS, OUTS */
		e->address = BIT(p->operation < 0x6e ? RDI : RSI);
		return e->memory = true;
	}
	if (p->operation < 0x50 || p->operation >= 0x70)
		return p->operation >= 0x70; /* jumps */
	if (p->operation < 0x58)
		general(e, p->low, READ, false);
	else if (p->operation < 0x60)
		general(e, p->low, WRITE, p->short_operand);
	return p->operation < 0x60 && stack(e, p->operation >= 0x58);
}

/* moves is the operations from 80 to 9F. */
static bool moves(const struct parts *p, struct effect *e)
{
	bool byte = !(p->operation & 1);
	switch (p->operation) {
	case 0x80: case 0x81: case 0x83:
		place(p, e, p->group == 7 ? READ : BOTH, byte);
		flags(e, p->group == 2 || p->group == 3 ? BOTH : WRITE);
		return true;
	case 0x84: case 0x85: /* TEST */
		place(p, e, READ, byte), operand(p, e, READ, byte);
		flags(e, WRITE);
		return true;
	case 0x86: case 0x87: /* XCHG: which of the two goes where is not told apart */
		place(p, e, BOTH, byte), operand(p, e, BOTH, byte);
		return true;
	case 0x88: case 0x89:
		place(p, e, WRITE, byte), operand(p, e, READ, byte);
		return true;
	case 0x8a: case 0x8b:
		operand(p, e, WRITE, byte), place(p, e, READ, byte);
		return true;
	case 0x8c:
		place(p, e, WRITE, false);
		return true;
	case 0x8d: /* LEA */
		e->reads = p->address;
		operand(p, e, WRITE, false);
		return true;
	case 0x8e:
		place(p, e, READ, false);
		return true;
	case 0x8f:
		place(p, e, WRITE, false);
		return stack(e, true);
	case 0x98: /* CBW, CWDE, CDQE */
		general(e, RAX, BOTH, false);
		return true;
	case 0x99:
		general(e, RDX, WRITE, p->short_operand);
		general(e, RAX, READ, false);
		return true;
	case 0x9b:
		return true;
	case 0x9c: case 0x9d: /* PUSHF, POPF */
		flags(e, p->operation == 0x9c ? READ : WRITE);
		return stack(e, p->operation == 0x9d);
	case 0x9e: case 0x9f: /* SAHF, LAHF */
		general(e, RAX, p->operation == 0x9e ? READ : BOTH, false);
		flags(e, p->operation == 0x9e ? WRITE : READ);
		return true;
	}
	if (p->operation >= 0x90 && p->operation < 0x98 && (p->low != RAX)) /* XCHG with the accumulator */
		e->reads = e->writes = BIT(RAX) | BIT(p->low);
	return p->operation >= 0x90 && p->operation < 0x98;
}

/* upper_half is the operations from A0. */
static bool upper_half(const struct parts *p, struct effect *e)
{
	bool byte = !(p->operation & 1);
	switch (p->operation) {
	case 0xa0: case 0xa1: /* at a constant address */
		e->memory = e->loads = true;
		general(e, RAX, WRITE, byte || p->short_operand);
		return true;
	case 0xa2: case 0xa3:
		e->memory = true;
		general(e, RAX, READ, false);
		return true;
	case 0xa8: case 0xa9:
		general(e, RAX, READ, false);
		flags(e, WRITE);
		return true;
	case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3: /* shifts */
		place(p, e, BOTH, byte);
		if (p->operation >= 0xd2)
			e->reads |= BIT(RCX);
		flags(e, p->group == 2 || p->group == 3 || p->operation >= 0xd2 ? BOTH : WRITE);
		return true;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcf: /* returns */
		return stack(e, true);
	case 0xc6: case 0xc7:
		place(p, e, WRITE, byte);
		return p->group == 0;
	case 0xc9: /* LEAVE */
		e->frame = true;
		general(e, RBP, WRITE, false);
		return stack(e, true);
	case 0xcc: case 0xcd: case 0xe0: case 0xe1: case 0xe2: case 0xe3: case 0xe6: case 0xe7: case 0xe9: case 0xeb:
	case 0xee: case 0xef: case 0xf1: case 0xf4: case 0xf8: case 0xf9: case 0xfa: case 0xfb: case 0xfc: case 0xfd:
		return true; /* jumps, ports, interrupts, single flags */
	case 0xd7: /* XLAT */
		e->address = BIT(RBX) | BIT(RAX);
		e->memory = e->loads = true;
		general(e, RAX, WRITE, true);
		return true;
	case 0xe4: case 0xe5: case 0xec: case 0xed: /* IN */
		general(e, RAX, WRITE, byte || p->short_operand);
		return true;
	case 0xe8:
		return stack(e, false);
	case 0xf5:
		flags(e, BOTH);
		return true;
	case 0xf6: case 0xf7:
		return unary(p, e, byte);
	case 0xfe: case 0xff:
		return (!byte || p->group < 2) && group_five(p, e, byte);
	}
	if (p->operation >= 0xa4 && p->operation <= 0xaf)
		return strings(p, e);
	if (p->operation >= 0xd8 && p->operation <= 0xdf)
		return coprocessor(p, e);
	if (p->operation >= 0xb0 && p->operation <= 0xbf) { /* MOV of a constant */
		byte = p->operation < 0xb8;
		general(e, byte ? byte_register(p, p->low) : p->low, WRITE, byte || p->short_operand);
		return true;
	}
	return false;
}

/* integer_effect is the operations of one byte. */
bool integer_effect(const struct parts *p, struct effect *e)
{
	if (p->operation < 0x40)
		return (p->operation & 7) < 6 && arithmetic(p, e);
	if (p->operation < 0x80)
		return lower_half(p, e);
	return p->operation < 0xa0 ? moves(p, e) : upper_half(p, e);
}
