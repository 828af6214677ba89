#include "flow.h"

#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_USES = 4096 }; /* QEMU's blocks have at most 512 instructions */

/* Where the thread has stored lately, in words of eight bytes: a table in which later stores displace earlier ones. */
enum { WORDS = 256 };
struct memory {
	uint64_t number[MOST_USES]; /* of the load of each use of the block, where it is after begun */
	struct stored {
		uint64_t word, number;
	} stored[WORDS];
};

struct analysis {
	struct origin now[REGISTERS];
	struct use use[MOST_USES];
	unsigned uses;
	uint32_t unknown;
};

struct analysis *flow_begin(void)
{
	static __thread struct analysis *a;
	if (!a && !(a = malloc(sizeof *a)))
		fail("no memory is left");
	for (unsigned r = 0; r < REGISTERS; r++)
		a->now[r] = (struct origin){BIT(r), NO_LOAD};
	a->uses = a->unknown = 0;
	return a;
}

/* join is where a value comes from that is made of these registers. */
static struct origin join(const struct analysis *a, registers set)
{
	struct origin all = {0, NO_LOAD};
	for (; set; set &= set - 1) {
		const struct origin *o = &a->now[__builtin_ctzll(set)];
		all.before |= o->before;
		if (o->from != NO_LOAD && (all.from == NO_LOAD || o->from > all.from))
			all.from = o->from;
	}
	if (all.from != NO_LOAD)
		all.before = 0;
	return all;
}

unsigned flow_add(struct analysis *a, const uint8_t *code, size_t length)
{
	struct effect e = effect_of(code, length);
	unsigned use = NO_LOAD;
	if (e.frame)
		a->now[RSP] = a->now[RBP];
	if (e.memory && a->uses < MOST_USES) {
		use = a->uses++;
		a->use[use] = (struct use){join(a, e.address), join(a, e.address | e.reads)};
	}
	if (e.unknown) {
		a->unknown++;
		for (unsigned r = 0; r < REGISTERS; r++)
			a->now[r] = (struct origin){0, NO_LOAD};
		return use;
	}
	struct origin result = e.loads && use != NO_LOAD ? (struct origin){0, (uint16_t)use} : join(a, e.reads);
	for (registers w = e.writes; w; w &= w - 1)
		a->now[__builtin_ctzll(w)] = result;
	return use;
}

static void *copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes + 1);
	if (!to)
		fail("no memory is left");
	return memcpy(to, from, bytes);
}

void flow_end(struct analysis *a, struct flow *f)
{
	struct out out[REGISTERS];
	unsigned outs = 0;
	for (unsigned r = 0; r < REGISTERS; r++)
		if (a->now[r].from != NO_LOAD || a->now[r].before != BIT(r))
			out[outs++] = (struct out){a->now[r], (uint8_t)r};
	*f = (struct flow){.unknown = a->unknown, .uses = (uint16_t)a->uses, .outs = (uint16_t)outs,
	                   .use = copy(a->use, a->uses * sizeof *a->use), .out = copy(out, outs * sizeof *out)};
}

/* number_of is the number of the latest load that a value comes from, or 0. A load of the block may not have been
 * executed: a masked one, or a string instruction with nothing to do. */
static uint64_t number_of(const struct registers_state *s, const struct origin *o)
{
	if (o->from != NO_LOAD)
		return s->memory->number[o->from] > s->begun ? s->memory->number[o->from] : 0;
	uint64_t latest = 0;
	for (registers set = o->before; set; set &= set - 1) {
		uint64_t n = s->from[__builtin_ctzll(set)];
		latest = n > latest ? n : latest;
	}
	return latest;
}

void flow_enter(struct registers_state *s, const struct flow *next)
{
	const struct flow *f = s->flow;
	if (!s->memory && !(s->memory = calloc(1, sizeof *s->memory)))
		fail("no memory is left");
	if (f) {
		uint64_t value[REGISTERS];
		for (unsigned i = 0; i < f->outs; i++)
			value[i] = number_of(s, &f->out[i].origin);
		for (unsigned i = 0; i < f->outs; i++)
			s->from[f->out[i].to] = value[i];
	}
	s->flow = next;
	s->begun = s->sent;
	s->unknown += next->unknown;
}

uint64_t flow_load(const struct registers_state *s, unsigned use, uint64_t address)
{
	if (!s->flow || use >= s->flow->uses)
		return 0;
	const struct stored *stored = &s->memory->stored[address >> 3 & (WORDS - 1)];
	uint64_t number = number_of(s, &s->flow->use[use].load);
	return stored->word == address >> 3 && stored->number > number ? stored->number : number;
}

/* An instruction that has loaded before it stores depends on itself. */
uint64_t flow_store(const struct registers_state *s, unsigned use)
{
	if (!s->flow || use >= s->flow->uses)
		return 0;
	return s->memory->number[use] > s->begun ? s->memory->number[use] : number_of(s, &s->flow->use[use].store);
}

void flow_loaded(struct registers_state *s, unsigned use)
{
	if (s->memory && use < MOST_USES)
		s->memory->number[use] = s->sent;
}

void flow_stored(struct registers_state *s, uint64_t address, uint64_t number)
{
	if (s->memory)
		s->memory->stored[address >> 3 & (WORDS - 1)] = (struct stored){address >> 3, number};
}

void flow_forget(struct registers_state *s)
{
	free(s->memory);
	*s = (struct registers_state){0};
}
