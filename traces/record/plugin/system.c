/* The registers of operations after 0F that are not for vectors. */
#include "registers.h"

/* counters is operations that read clocks, counters and descriptions of the processor. */
static bool counters(const struct parts *p, struct effect *e)
{
	bool known = p->operation == 0x31 || p->operation == 0x32 || p->operation == 0x33 || p->operation == 0xa2 || p->operation == 0x05;
	if (p->operation == 0x05) /* SYSCALL: the kernel returns a value, and these are lost */
		e->writes = BIT(RAX) | BIT(RCX) | BIT(11);
	else if (known)
		e->writes = BIT(RAX) | BIT(RDX) | (p->operation == 0xa2 ? BIT(RBX) | BIT(RCX) : 0);
	return known;
}

/* tables is operation 0F 01, which has system registers. */
static bool tables(const struct parts *p, struct effect *e)
{
	uint8_t modrm = (uint8_t)(p->mode << 6 | p->group << 3 | (p->rm & 7));
	if (p->memory || p->group == 4 || p->group == 6)
		place(p, e, p->group == 4 ? WRITE : READ, false);
	else if (modrm == 0xd0 || modrm == 0xf9) /* XGETBV, RDTSCP */
		e->writes = BIT(RAX) | BIT(RDX) | (modrm == 0xf9 ? BIT(RCX) : 0);
	return true;
}

/* exchanges is CMPXCHG, XADD and CMPXCHG16B, and random numbers. */
static bool exchanges(const struct parts *p, struct effect *e)
{
	bool byte = !(p->operation & 1);
	flags(e, WRITE);
	if (p->operation >= 0xc0 && p->operation <= 0xc1) {
		place(p, e, BOTH, byte), operand(p, e, BOTH, byte);
		return true;
	}
	if (p->operation != 0xc7) {
		place(p, e, BOTH, byte), operand(p, e, READ, byte);
		general(e, RAX, BOTH, byte);
		return true;
	}
	if (p->memory && p->group == 1) {
		place(p, e, BOTH, false);
		e->reads |= BIT(RAX) | BIT(RDX) | BIT(RBX) | BIT(RCX);
		e->writes |= BIT(RAX) | BIT(RDX);
	} else {
		place(p, e, p->memory ? READ : WRITE, false); /* XSAVES, RDRAND, RDPID */
	}
	return true;
}

/* bits is BT, BTS, BTR, BTC, SHLD, SHRD and searches for bits. */
static bool bits(const struct parts *p, struct effect *e)
{
	uint8_t o = p->operation;
	if (o == 0xbc || o == 0xbd || o == 0xb8) { /* without the prefix the result stays where there is no bit */
		operand(p, e, o != 0xb8 && !p->repeat ? BOTH : WRITE, false);
		place(p, e, READ, false);
	} else if (o == 0xba) {
		place(p, e, p->group == 4 ? READ : BOTH, false);
	} else {
		bool tests = o == 0xa3, shifts = (o & 6) == 4;
		place(p, e, tests ? READ : BOTH, false);
		operand(p, e, READ, false);
		if (!shifts && p->memory)
			e->address |= BIT(p->reg); /* the bit's number says where it is */
		if (shifts && o & 1)
			e->reads |= BIT(RCX);
	}
	flags(e, WRITE);
	return true;
}

/* states is FS, GS and their bases, and instructions that keep the state of a unit. */
static bool states(const struct parts *p, struct effect *e)
{
	if (!p->memory) {
		if (p->repeat == 0xf3 && p->group < 4) /* RDFSBASE to WRGSBASE */
			place(p, e, p->group < 2 ? WRITE : READ, false);
		return true; /* fences */
	}
	if (p->group == 6 || p->group == 7) /* CLWB, CLFLUSH */
		return true;
	bool loads = p->group == 1 || p->group == 2 || p->group == 5;
	place(p, e, loads ? READ : WRITE, false);
	if (p->group == 1 || p->group == 5)
		e->writes |= ALL_VECTORS | BIT(X87);
	else if (p->group == 0 || p->group == 4)
		e->reads |= ALL_VECTORS | BIT(X87);
	return true;
}

/* system_effect is the operations after 0F that are not for vectors. */
bool system_effect(const struct parts *p, struct effect *e)
{
	uint8_t o = p->operation;
	if (p->map != 1 || p->vex)
		return false;
	if (counters(p, e))
		return true;
	if (o >= 0x40 && o < 0x50) { /* CMOV */
		operand(p, e, BOTH, false), place(p, e, READ, false);
		flags(e, READ);
		return true;
	}
	if (o >= 0x90 && o < 0xa0) { /* SETcc */
		place(p, e, WRITE, true);
		flags(e, READ);
		return true;
	}
	if (o >= 0xc8 && o < 0xd0) { /* BSWAP */
		general(e, p->low, BOTH, false);
		return true;
	}
	switch (o) {
	case 0x00:
		place(p, e, p->group < 2 ? WRITE : READ, false);
		return true;
	case 0x01:
		return tables(p, e);
	case 0x02: case 0x03: /* LAR, LSL */
		operand(p, e, BOTH, false), place(p, e, READ, false);
		flags(e, WRITE);
		return true;
	case 0x06: case 0x07: case 0x08: case 0x09: case 0x0b: case 0x0d: case 0x18: case 0x19: case 0x1a: case 0x1b:
	case 0x1c: case 0x1d: case 0x1e: case 0x1f: case 0x30: case 0x34: case 0x35: case 0x77:
		return true; /* prefetches, hints, and what has no register */
	case 0x20: case 0x21: case 0x22: case 0x23: /* control registers; ModRM always names a register */
		general(e, p->rm, o < 0x22 ? WRITE : READ, false);
		return true;
	case 0xa0: case 0xa1: case 0xa8: case 0xa9: /* FS and GS on the stack */
		return stack(e, o & 1);
	case 0xa3: case 0xa4: case 0xa5: case 0xab: case 0xac: case 0xad: case 0xb3: case 0xb8: case 0xba: case 0xbb: case 0xbc: case 0xbd:
		return bits(p, e);
	case 0xae:
		return states(p, e);
	case 0xaf:
		operand(p, e, BOTH, false), place(p, e, READ, false);
		flags(e, WRITE);
		return true;
	case 0xb0: case 0xb1: case 0xc0: case 0xc1: case 0xc7:
		return exchanges(p, e);
	case 0xb2: case 0xb4: case 0xb5:
		operand(p, e, WRITE, false), place(p, e, READ, false);
		return true;
	case 0xb6: case 0xb7: case 0xbe: case 0xbf: /* MOVZX, MOVSX */
		operand(p, e, WRITE, false), place(p, e, READ, !(o & 1));
		return true;
	case 0xc3: /* MOVNTI */
		place(p, e, WRITE, false), operand(p, e, READ, false);
		return true;
	}
	return o >= 0x80 && o < 0x90; /* jumps */
}
