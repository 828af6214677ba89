/* The registers of operations on vectors, and of those that VEX prefixes have added. Where an operation has two operands
 * without VEX, the first of which is also the result, it has three with it: the third replaces the result as a source. */
#include "registers.h"

/* Kinds of operations by their operands: reg and rm are those of ModRM. */
enum kind {
	UNKNOWN,
	NOTHING,
	INTO,      /* reg becomes a function of itself and rm */
	INTO_SELF, /* the same, which is a constant where both are one register */
	FROM,      /* reg becomes a function of rm alone */
	STORES,    /* rm becomes reg */
	MERGES,    /* a part of rm, a register, becomes that of reg */
	COMPARES,  /* the flags tell of both */
	MASKED_FROM,
	MASKED_STORES,
	FUSED,     /* reg becomes a function of itself, the third operand and rm */
	GATHERS,
	SHIFTS,    /* rm by a constant */
	BLENDS,    /* INTO, by the first register or by one named in the last byte */
	REG_GENERAL,      /* FROM, with reg a general register */
	RM_GENERAL,       /* FROM, with rm a general register */
	RM_GENERAL_INTO,  /* INTO, with rm a general register */
	STORES_GENERAL,   /* STORES, with rm a general register */
};

static void vector(struct effect *e, unsigned n, unsigned role) { general(e, n, role, false); }

/* into notes a result, and what is read with rm: the result as it was, or the third operand. */
static void into(const struct parts *p, struct effect *e, unsigned reg)
{
	vector(e, reg, WRITE);
	vector(e, p->vex ? VECTORS + p->third : reg, READ);
}

/* apply notes the operands of a kind. narrow: vectors are those of the MMX unit. */
static void apply(const struct parts *p, struct effect *e, enum kind kind, bool narrow)
{
	unsigned reg = narrow ? X87 : VECTORS + p->reg, rm = narrow ? X87 : VECTORS + p->rm;
	registers third = BIT(VECTORS + p->third);
	bool stores = kind == STORES || kind == MASKED_STORES || kind == STORES_GENERAL;
	if (p->memory)
		place(p, e, stores ? WRITE : READ, false);
	else if (kind == RM_GENERAL || kind == RM_GENERAL_INTO || kind == STORES_GENERAL)
		whole(p, e, stores ? WRITE : READ);
	else if (kind != SHIFTS && kind != NOTHING)
		vector(e, rm, stores ? WRITE : READ);
	switch (kind) {
	case UNKNOWN: case NOTHING:
		break;
	case INTO_SELF:
		if (!p->memory && rm == (p->vex ? VECTORS + p->third : reg)) {
			e->reads = 0;
			vector(e, reg, WRITE);
			break;
		}
		/* fall through */
	case INTO: case RM_GENERAL_INTO:
		into(p, e, reg);
		break;
	case FROM: case RM_GENERAL:
		vector(e, reg, WRITE);
		break;
	case STORES: case STORES_GENERAL:
		vector(e, reg, READ);
		break;
	case MERGES:
		into(p, e, rm);
		vector(e, reg, READ);
		break;
	case COMPARES:
		vector(e, reg, READ);
		flags(e, WRITE);
		break;
	case MASKED_FROM: /* the mask is the third operand */
		vector(e, reg, WRITE);
		e->reads |= third;
		break;
	case MASKED_STORES:
		vector(e, reg, READ);
		e->reads |= third;
		break;
	case FUSED:
		vector(e, reg, BOTH);
		e->reads |= third;
		break;
	case GATHERS:
		e->address = p->base | p->vector_index;
		vector(e, reg, BOTH);
		e->reads |= third;
		e->writes |= third;
		break;
	case SHIFTS:
		vector(e, p->vex ? VECTORS + p->third : rm, WRITE);
		vector(e, rm, READ);
		break;
	case BLENDS:
		into(p, e, reg);
		e->reads |= p->vex ? BIT(VECTORS + (p->code[p->length - 1] >> 4)) : BIT(VECTORS);
		break;
	case REG_GENERAL:
		general(e, p->reg, WRITE, false);
		break;
	}
}

static bool between(uint8_t operation, uint8_t low, uint8_t high) { return operation >= low && operation <= high; }

/* first_map is the operations after 0F. */
static enum kind first_map(const struct parts *p)
{
	uint8_t o = p->operation;
	bool scalar = p->repeat;
	switch (o) {
	case 0x10: return scalar && !p->memory ? INTO : FROM;
	case 0x11: return scalar && !p->memory ? MERGES : STORES;
	case 0x12: case 0x16: return scalar ? FROM : INTO;
	case 0x13: case 0x17: case 0x29: case 0x2b: case 0x7f: case 0xe7: return STORES;
	case 0x14: case 0x15: case 0x54: case 0x55: case 0x56: case 0x58: case 0x59: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
	case 0x7c: case 0x7d: case 0xc2: case 0xc6: return INTO;
	case 0x28: case 0x5b: case 0x6f: case 0x70: case 0xe6: case 0xf0: return FROM;
	case 0x2a: return RM_GENERAL_INTO;
	case 0x2c: case 0x2d: case 0x50: case 0xc5: case 0xd7: return REG_GENERAL;
	case 0x2e: case 0x2f: return COMPARES;
	case 0x51: case 0x52: case 0x53: case 0x5a: return scalar ? INTO : FROM;
	case 0x57: case 0x64: case 0x65: case 0x66: case 0x74: case 0x75: case 0x76: case 0xd8: case 0xd9: case 0xe8: case 0xe9:
	case 0xef: case 0xf8: case 0xf9: case 0xfa: case 0xfb: return INTO_SELF;
	case 0x6e: return RM_GENERAL;
	case 0x71: case 0x72: case 0x73: return SHIFTS;
	case 0x77: case 0xae: return NOTHING; /* VZEROUPPER, VLDMXCSR */
	case 0x7e: return scalar ? FROM : STORES_GENERAL;
	case 0xc4: return RM_GENERAL_INTO;
	case 0xd6: return scalar ? UNKNOWN : STORES;
	}
	return between(o, 0x60, 0x6d) || between(o, 0xd0, 0xfe) ? INTO : UNKNOWN;
}

/* second_map is the operations after 0F 38. */
static enum kind second_map(const struct parts *p)
{
	uint8_t o = p->operation;
	switch (o) {
	case 0x0e: case 0x0f: case 0x17: return COMPARES;
	case 0x10: case 0x14: case 0x15: return BLENDS;
	case 0x13: case 0x18: case 0x19: case 0x1a: case 0x1c: case 0x1d: case 0x1e: case 0x2a: case 0x41: case 0x58: case 0x59:
	case 0x5a: case 0x78: case 0x79: case 0xdb: return FROM;
	case 0x29: case 0x37: return INTO_SELF;
	case 0x2c: case 0x2d: case 0x8c: return MASKED_FROM;
	case 0x2e: case 0x2f: case 0x8e: return MASKED_STORES;
	case 0x90: case 0x91: case 0x92: case 0x93: return GATHERS;
	}
	if (between(o, 0x20, 0x25) || between(o, 0x30, 0x35))
		return FROM;
	if (between(o, 0x96, 0xbf))
		return FUSED;
	return between(o, 0x00, 0x0d) || between(o, 0x16, 0x16) || between(o, 0x28, 0x2b) || between(o, 0x36, 0x40) ||
	       between(o, 0x45, 0x47) || between(o, 0xc8, 0xcf) || between(o, 0xdc, 0xdf) ? INTO : UNKNOWN;
}

/* third_map is the operations after 0F 3A. */
static enum kind third_map(const struct parts *p)
{
	uint8_t o = p->operation;
	switch (o) {
	case 0x00: case 0x01: case 0x04: case 0x05: case 0x08: case 0x09: case 0xdf: return FROM;
	case 0x02: case 0x06: case 0x18: case 0x21: case 0x38: case 0x44: case 0x46: return INTO;
	case 0x14: case 0x15: case 0x16: case 0x17: return STORES_GENERAL;
	case 0x19: case 0x1d: case 0x39: return STORES;
	case 0x20: case 0x22: return RM_GENERAL_INTO;
	case 0x4a: case 0x4b: case 0x4c: return BLENDS;
	}
	return between(o, 0x0a, 0x0f) || between(o, 0x40, 0x42) || between(o, 0xcc, 0xcf) ? INTO : UNKNOWN;
}

/* on_general is the operations on general registers that have come with vectors: CRC32, MOVBE, ADCX and those of BMI. */
static bool on_general(const struct parts *p, struct effect *e)
{
	registers third = p->vex ? BIT(p->third) : 0;
	if (p->map == 3 && p->vex && p->operation == 0xf0) { /* RORX */
		whole(p, e, READ);
		general(e, p->reg, WRITE, false);
		return true;
	}
	if (p->map != 2 || p->operation < 0xf0 || p->operation > 0xf7)
		return false;
	switch (p->operation) {
	case 0xf0: case 0xf1:
		if (p->repeat == 0xf2) { /* CRC32 */
			general(e, p->reg, BOTH, false);
			place(p, e, READ, p->operation == 0xf0);
		} else {
			bool load = p->operation == 0xf0;
			operand(p, e, load ? WRITE : READ, false);
			place(p, e, load ? READ : WRITE, false);
		}
		return true;
	case 0xf3: /* BLSR and its like: the result is the third operand */
		whole(p, e, READ);
		e->writes |= third;
		flags(e, WRITE);
		return p->vex;
	case 0xf6:
		whole(p, e, READ);
		if (p->vex) { /* MULX */
			e->reads |= BIT(RDX);
			e->writes |= third | BIT(p->reg);
		} else { /* ADCX, ADOX */
			general(e, p->reg, BOTH, false);
			flags(e, BOTH);
		}
		return true;
	}
	whole(p, e, READ); /* ANDN, BZHI, PDEP, PEXT, BEXTR and shifts */
	general(e, p->reg, WRITE, false);
	e->reads |= third;
	if (!p->repeat && !p->short_operand)
		flags(e, WRITE);
	return p->vex;
}

/* compares_strings is PCMPESTRM to PCMPISTRI. */
static bool compares_strings(const struct parts *p, struct effect *e)
{
	if (p->map != 3 || !between(p->operation, 0x60, 0x63))
		return false;
	apply(p, e, COMPARES, false);
	if (p->operation < 0x62)
		e->reads |= BIT(RAX) | BIT(RDX);
	e->writes |= p->operation & 1 ? BIT(RCX) : BIT(VECTORS);
	return true;
}

/* vector_effect is the operations on vectors. */
bool vector_effect(const struct parts *p, struct effect *e)
{
	if (on_general(p, e) || compares_strings(p, e))
		return true;
	uint8_t o = p->operation;
	bool plain = !p->vex && !p->short_operand && !p->repeat;
	bool narrow = plain && (p->map > 1 || o >= 0x60) && !(p->map == 1 && (o == 0xc2 || o == 0xc6)) &&
	              !(p->map == 2 && between(o, 0xc8, 0xcf)) && !(p->map == 3 && between(o, 0xcc, 0xcf));
	if (p->map == 1 && o == 0xf7) { /* MASKMOVDQU */
		e->address = BIT(RDI);
		e->memory = true;
		e->reads = narrow ? BIT(X87) : BIT(VECTORS + p->reg) | BIT(VECTORS + p->rm);
		return true;
	}
	if (p->map == 1 && plain && (o == 0x2a || o == 0x2c || o == 0x2d || o == 0xd6)) {
		narrow = true; /* between the MMX unit and vectors: both count as one */
		if (p->memory)
			place(p, e, READ, false);
		e->reads |= BIT(X87) | (p->memory ? 0 : BIT(VECTORS + p->rm));
		e->writes |= BIT(X87) | (o == 0x2a ? BIT(VECTORS + p->reg) : 0);
		return true;
	}
	if (p->map == 1 && o == 0xd6 && p->repeat && !p->memory) { /* MOVQ2DQ, MOVDQ2Q */
		e->reads = p->repeat == 0xf3 ? BIT(X87) : BIT(VECTORS + p->rm);
		e->writes = p->repeat == 0xf3 ? BIT(VECTORS + p->reg) : BIT(X87);
		return true;
	}
	enum kind kind = p->map == 1 ? first_map(p) : p->map == 2 ? second_map(p) : p->map == 3 ? third_map(p) : UNKNOWN;
	if (kind != UNKNOWN)
		apply(p, e, kind, narrow);
	return kind != UNKNOWN;
}
