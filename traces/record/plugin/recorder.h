/* What the parts of the plugin share. */
#ifndef CAROUSEL_RECORDER_H
#define CAROUSEL_RECORDER_H

#include "flow.h"
#include "qemu.h"
#include "stream.h"

#include <stdatomic.h>

#define MOST_THREADS 65536

/* A thread of a program, or a processor of a machine. */
struct thread {
	uint64_t before;      /* instructions before the current block */
	uint64_t block;       /* instructions of the current block */
	uint64_t told;        /* instructions up to the last message */
	uint64_t string;      /* address of the string instruction that ended the last block, or 0 */
	uint64_t code;        /* address of the current block */
	uint64_t line;        /* address of the last fetched line, plus one */
	uint64_t locked_at;   /* number of the instruction with a LOCK prefix whose loads have been sent */
	uint64_t locked[2];   /* their addresses */
	uint64_t found;       /* what the last of them has read, in a machine */
	uint64_t left;        /* what an atomic has left, if that is known */
	bool left_known;
	unsigned locks;
	uint64_t futex;       /* word at which the thread sleeps, or 0 */
	uint64_t clear;       /* word that the kernel clears when the thread ends, or 0 */
	uint64_t clone_flags; /* of the clone call on its way, and its fourth argument */
	uint64_t clone_clear;
	struct registers_state flow;
	uint32_t turn;        /* instructions since the thread's turn began */
	bool hidden;          /* what it does is left out, see synchronise.h */
	bool works, has_turn; /* see relay.c */
	bool alive;
};

extern struct thread threads[MOST_THREADS];
enum region { BEFORE, WITHIN, AFTER };
extern _Atomic enum region region;
extern bool whole_system;

struct thread *known(unsigned processor);
void forget(struct thread *); /* it has ended */
/* dependence is the number of the access that this one depends on, or 0 */
void send_access(unsigned processor, enum kind, unsigned size, uint64_t address, uint64_t number, uint64_t dependence);
uint64_t place_of(const struct thread *, uint64_t number); /* a hash of an instruction's place in the code, not 0 */
void send_event(unsigned processor, enum kind, uint64_t value);

/* relay.c: turns */
void relay_begin(uint32_t turn);                            /* in instructions */
void relay_block(unsigned processor, uint32_t instructions); /* it is about to execute them; may wait */
void relay_atomic(unsigned processor, uint64_t address);     /* it has accessed a word by an atomic; may wait */
void relay_leave(struct thread *);                          /* it may sleep, or has ended */
void relay_fork(void);                                      /* in the child */
bool host_sleeps(long thread);                              /* a thread of the emulator, by the host's number */

/* threads.c: a program's threads */
void threads_attach(plugin_id);
void threads_fork(void); /* in the child */

/* machine.c: a machine's memory */
void machine_find_memory(void);
void machine_pages(const struct block *, size_t length, uint64_t page[2]);
void machine_access(unsigned processor, enum kind, unsigned what, access_info, uint64_t address, uint64_t number, uint64_t dependence);
uint64_t machine_value(access_info, uint64_t address); /* what memory holds there; 0 of devices, and of what lies in two pages */

/* turns.c: keeps the machine's time from depending on the host. Processors are asleep until they work. */
void turns_begin(unsigned processors);
void turns_work(unsigned processor);  /* it executes a block */
void turns_sleep(unsigned processor); /* it executes HLT */
void turns_tell(void);                /* sends which processors sleep */
void turns_end(void);

#endif
