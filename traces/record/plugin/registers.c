#include "registers.h"

/* take_prefixes reads legacy prefixes and REX, and returns where the operation's code begins. */
static size_t take_prefixes(struct parts *p, uint8_t *rex)
{
	size_t i = 0;
	for (; i < p->length; i++) {
		uint8_t b = p->code[i];
		if (b == 0x66)
			p->short_operand = true;
		else if (b == 0xf2 || b == 0xf3)
			p->repeat = b;
		else if (b != 0xf0 && b != 0x67 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 && b != 0x64 && b != 0x65)
			break;
	}
	if (i < p->length && (p->code[i] & 0xf0) == 0x40) {
		p->extended = true;
		*rex = p->code[i++];
		p->wide = *rex & 8;
	}
	return i;
}

/* take_vex reads a prefix C5, C4 or 62, whose bits are those of REX turned round. */
static size_t take_vex(struct parts *p, size_t i, uint8_t *rex)
{
	static const unsigned repeats[] = {0, 0, 0xf3, 0xf2};
	size_t prefix = p->code[i] == 0xc5 ? 2 : p->code[i] == 0xc4 ? 3 : 4;
	if (i + prefix >= p->length)
		return p->length;
	uint8_t first = ~p->code[i + 1], last = p->code[i + (prefix == 2 ? 1 : 2)];
	*rex = first >> 5 & 4;
	p->map = 1;
	if (prefix > 2) {
		*rex = first >> 5 & 7;
		p->map = p->code[i + 1] & (prefix == 3 ? 0x1f : 7);
		p->wide = last & 0x80;
	}
	p->vex = true;
	p->third = ~last >> 3 & 15;
	p->short_operand = (last & 3) == 1;
	p->repeat = repeats[last & 3];
	return i + prefix;
}

/* take_modrm reads ModRM and SIB. */
static void take_modrm(struct parts *p, size_t i, uint8_t rex)
{
	if (i >= p->length)
		return;
	uint8_t modrm = p->code[i];
	p->mode = modrm >> 6;
	p->group = modrm >> 3 & 7;
	p->reg = p->group | (rex << 1 & 8);
	p->rm = (modrm & 7) | (rex << 3 & 8);
	p->memory = p->mode != 3;
	if (!p->memory || (p->mode == 0 && (modrm & 7) == 5))
		return; /* a register, or relative to the instruction */
	if ((modrm & 7) != 4) {
		p->address = p->base = BIT(p->rm);
		return;
	}
	if (i + 1 >= p->length)
		return;
	uint8_t sib = p->code[i + 1];
	unsigned index = (sib >> 3 & 7) | (rex << 2 & 8), base = (sib & 7) | (rex << 3 & 8);
	p->vector_index = BIT(VECTORS + index);
	if (p->mode != 0 || (sib & 7) != 5)
		p->base = BIT(base);
	p->address = p->base | (index == RSP ? 0 : BIT(index));
}

struct effect effect_of(const uint8_t *code, size_t length)
{
	struct parts p = {.code = code, .length = length};
	struct effect e = {0};
	uint8_t rex = 0;
	size_t i = take_prefixes(&p, &rex);
	if (i < length && (code[i] == 0xc5 || code[i] == 0xc4 || code[i] == 0x62)) {
		bool evex = code[i] == 0x62;
		i = take_vex(&p, i, &rex);
		if (i < length && !evex)
			p.operation = code[i++];
		else
			p.map = 0, i++; /* EVEX: only its address is known */
	} else if (i < length && code[i] == 0x0f) {
		p.map = 1;
		if (++i < length && (code[i] == 0x38 || code[i] == 0x3a))
			p.map = code[i++] == 0x38 ? 2 : 3;
		if (i < length)
			p.operation = code[i++];
	} else if (i < length) {
		p.operation = code[i++];
	}
	p.low = (p.operation & 7) | (rex << 3 & 8);
	take_modrm(&p, i, rex);
	bool known = p.vex && p.map == 0 ? false
	             : p.map == 0        ? integer_effect(&p, &e)
	                                 : system_effect(&p, &e) || vector_effect(&p, &e);
	if (!known || i > length)
		e = (struct effect){.address = p.address, .memory = true, .unknown = true};
	return e;
}
