/* What x86-64 instructions do with registers: which give addresses, which go into results, and which get new
 * values. Immediate operands, conditions of jumps and what an instruction computes do not matter here. */
#ifndef CAROUSEL_REGISTERS_H
#define CAROUSEL_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers are bits of a set. The flags are one register, and so are all registers of the x87 and MMX units. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, VECTORS = 16, FLAGS = 48, X87 = 49, REGISTERS = 50 };
typedef uint64_t registers;
#define BIT(n) ((registers)1 << (n))
#define ALL_VECTORS ((registers)0xffffffff << VECTORS)

/* What an instruction does. Registers that it only moves on by a constant, as PUSH does with RSP, are not written:
 * they still come from where they came from. */
struct effect {
	registers address; /* give the address of an access, also of the stack's */
	registers reads;   /* go into what it writes, to registers and to memory */
	registers writes;  /* get a value made of these, and of what it loads */
	bool memory;       /* it may load or store */
	bool loads;        /* what it writes to registers comes from memory, too */
	bool frame;        /* LEAVE: RSP becomes RBP before all else */
	bool unknown;      /* nothing of the above is known but the address */
};

/* An instruction taken apart, as far as its encoding has these parts. */
struct parts {
	const uint8_t *code;
	size_t length;
	uint8_t operation;       /* last byte of the operation's code */
	unsigned map;            /* 0: one byte; 1: after 0F; 2: after 0F 38; 3: after 0F 3A */
	unsigned repeat;         /* the last prefix F2 or F3, or 0 */
	bool short_operand;      /* prefix 66 */
	bool extended;           /* there is a REX prefix: byte registers 4 to 7 are low ones */
	bool wide;               /* 64 bits */
	bool vex;                /* three operands */
	unsigned third;          /* register of the third operand */
	bool memory;             /* ModRM names a place in memory */
	unsigned low;            /* register in the low bits of the operation's code */
	unsigned mode, reg, rm;  /* of ModRM, registers with their extensions */
	unsigned group;          /* reg without its extension: part of the operation's code in some */
	registers address;       /* base and index */
	registers base;
	registers vector_index;  /* index of a gather */
};

struct effect effect_of(const uint8_t *code, size_t length);

/* What happens to an operand. */
enum { READ = 1, WRITE = 2, BOTH = 3 };

/* The operands of operations. A byte or a word leaves the rest of its register as it was, so it reads it. */
unsigned byte_register(const struct parts *, unsigned n); /* of which a byte operand is a part */
void general(struct effect *, unsigned n, unsigned role, bool merges);
void place(const struct parts *, struct effect *, unsigned role, bool byte);   /* of ModRM's rm: a register or memory */
void whole(const struct parts *, struct effect *, unsigned role);              /* the same, of 32 or 64 bits */
void operand(const struct parts *, struct effect *, unsigned role, bool byte); /* of ModRM's reg */
void flags(struct effect *, unsigned role);
bool stack(struct effect *, bool loads); /* true */

/* The parts of effect_of: operations of one byte, those after 0F that are not for vectors, and those for vectors. Each
 * returns false if it does not know the operation. */
bool integer_effect(const struct parts *, struct effect *);
bool system_effect(const struct parts *, struct effect *);
bool vector_effect(const struct parts *, struct effect *);

#endif
