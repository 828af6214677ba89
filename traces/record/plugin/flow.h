/* Which load gave an access its address or its data.
 *
 * Accesses of a thread are numbered from 1. For every register the plugin keeps the number of the latest load that its
 * content comes from: by being loaded, or through whatever instructions on registers. An access depends on the
 * latest of the loads that its address comes from, and a store also on those that its data come from.
 *
 * A value may also go through memory, as what a program keeps on its stack does: a load from where the thread has lately stored
 * depends on what the stored data come from.
 *
 * What a block of code does to this does not change from one execution to the next. So it is found out once, when the block
 * is translated: each access depends either on a load of the same block, or on registers as they were
 * when the block began; and so does what is in each register at its end. */
#ifndef CAROUSEL_FLOW_H
#define CAROUSEL_FLOW_H

#include "registers.h"

/* Where a value comes from: from a load of the same block, or, where from is NO_LOAD, from these registers at the
 * block's beginning. A load of the block is later than all that was in registers, so the two never matter together. */
enum { NO_LOAD = 0xffff };
struct origin {
	registers before;
	uint16_t from;
};

/* An instruction that may access memory: what a load depends on, and a store. */
struct use {
	struct origin load, store;
};

/* What a block does. */
struct flow {
	uint32_t unknown; /* instructions that the recorder does not know */
	uint16_t uses, outs;
	const struct use *use;
	const struct out {
		struct origin origin;
		uint8_t to; /* register */
	} *out;
};

/* A flow being found out, instruction by instruction. */
struct analysis;
struct analysis *flow_begin(void); /* there is one per thread of the host */
unsigned flow_add(struct analysis *, const uint8_t *code, size_t length); /* number of its use, or NO_LOAD */
void flow_end(struct analysis *, struct flow *); /* allocates what the flow points to */

/* What is known of a running thread's registers. */
struct registers_state {
	const struct flow *flow;   /* of the block that it executes, or NULL */
	uint64_t sent;             /* accesses told */
	uint64_t begun;            /* of those, before the block */
	uint64_t unknown;          /* instructions executed that are not known */
	uint64_t from[REGISTERS];  /* number of the load, or 0 */
	struct memory *memory;
};

void flow_enter(struct registers_state *, const struct flow *); /* the thread begins a block */
/* The numbers of what they depend on, or 0. An atomic access is both. */
uint64_t flow_load(const struct registers_state *, unsigned use, uint64_t address);
uint64_t flow_store(const struct registers_state *, unsigned use);
void flow_loaded(struct registers_state *, unsigned use); /* the access told last was its load */
void flow_stored(struct registers_state *, uint64_t address, uint64_t number); /* what is there now comes from this load */
void flow_forget(struct registers_state *);

#endif
