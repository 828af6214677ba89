/* What the operands of an instruction are. */
#include "registers.h"

/* Without REX, byte registers 4 to 7 are AH, CH, DH and BH. */
unsigned byte_register(const struct parts *p, unsigned n) { return !p->extended && n >= 4 && n < 8 ? n - 4 : n; }

void general(struct effect *e, unsigned n, unsigned role, bool merges)
{
	if (role & READ || merges)
		e->reads |= BIT(n);
	if (role & WRITE)
		e->writes |= BIT(n);
}

void place(const struct parts *p, struct effect *e, unsigned role, bool byte)
{
	if (!p->memory) {
		general(e, byte ? byte_register(p, p->rm) : p->rm, role, role & WRITE && (byte || p->short_operand));
		return;
	}
	e->address |= p->address;
	e->memory = true;
	e->loads |= role & READ;
}

void operand(const struct parts *p, struct effect *e, unsigned role, bool byte)
{
	general(e, byte ? byte_register(p, p->reg) : p->reg, role, role & WRITE && (byte || p->short_operand));
}

void flags(struct effect *e, unsigned role) { general(e, FLAGS, role, false); }

bool stack(struct effect *e, bool loads)
{
	e->address |= BIT(RSP);
	e->memory = true;
	e->loads |= loads;
	return true;
}

void whole(const struct parts *p, struct effect *e, unsigned role)
{
	if (p->memory)
		place(p, e, role, false);
	else
		general(e, p->rm, role, false);
}
