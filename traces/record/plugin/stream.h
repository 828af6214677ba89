/* What the plugin sends to the recorder, over a Unix socket, one connection per process: messages of 16
 * bytes in the order in which things happened. traces/record/stream.go reads them. */
#ifndef CAROUSEL_STREAM_H
#define CAROUSEL_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_VERSION 12

/* Kinds of messages. The first six are accesses and have an address, the instructions of the thread since its
 * previous access, how many accesses of the thread back is the load that it depends on, and a size. */
enum kind {
	LOAD = 0,
	STORE = 1,
	ATOMIC = 2,
	FETCH = 3,
	CLEARED = 4,  /* a store by the kernel, which tells whoever joins the thread that it has ended */
	DEVICE = 5,   /* to a device, or to memory that is not the machine's main memory: no address is told */
	PROCESS = 16, /* first message: value is STREAM_VERSION, instructions the process's number */
	STARTED = 17, /* thread exists; value is the thread that made it, or NOBODY */
	ENDED = 18,   /* thread has ended; instructions since its last access */
	WAKES = 19,   /* thread is about to wake those who sleep at the futex at value */
	WOKEN = 20,   /* thread has been woken at the futex at value */
	OVER = 21,    /* last message: value is an enum reason */
	WORK = 22,    /* value is instructions of the thread that are too many for its next access */
	ARRIVES = 24, /* thread is at the barrier at value, at which as many threads meet as instructions says */
	LOCKS = 25,   /* thread has got the lock at value */
	UNLOCKS = 26, /* thread releases the lock at value */
	SHOWN = 27,   /* thread goes on, after a barrier if it was at one */
	LEAVES = 28,  /* value is what the next message's atomic has left in memory */
	HALTS = 29,   /* processor sleeps until an interrupt */
	UNKNOWN = 23  /* value is how many instructions were executed whose registers the plugin does not know */
};

enum reason { PROGRAM_ENDED = 0, INSTRUCTIONS_REACHED = 1, RECORDS_REACHED = 2, SYMBOL_REACHED = 3, MARKER_REACHED = 4 };

#define NOBODY UINT64_MAX

/* Flags of an access of a machine; those of a program have LEFT_ZERO and EXCHANGE, and MISSED for each XCHG. Stores and atomics tell whether they
 * have left zero; atomics, whether they found zero, whether they exchange (XCHG, CMPXCHG) instead of computing, and whether they have missed: not found zero and, after a
 * comparison, left what they found. */
enum { MISSED = 0x08, FOUND_ZERO = 0x10, LEFT_ZERO = 0x20, EXCHANGE = 0x40, BY_SYSTEM = 0x80 };

/* In an access, the upper bits of instructions are the distance to the load that it depends on, or 0. */
enum { INSTRUCTION_BITS = 22, MOST_INSTRUCTIONS = (1 << INSTRUCTION_BITS) - 1, MOST_DISTANCE = 1023 };

/* In a data access, but for those of a machine's kernel, the bits of value above the address are a hash of the place in the
 * code. */
enum { ADDRESS_BITS = 48 };

struct message {
	uint64_t value;
	uint32_t instructions;
	uint8_t kind;
	uint8_t size; /* log2 of bytes, and for an access of a machine flags, see below */
	uint16_t thread;
};

/* The stream's functions demand that the caller holds the lock, so that the order of messages is the order
 * of what they tell. */
void stream_lock(void);
void stream_unlock(void);
void stream_open(const char *path);
void stream_append(enum kind, unsigned thread, unsigned size, uint64_t value, uint64_t instructions);
void stream_flush(void);
void stream_close(void);
bool stream_is_busy(void); /* waiting for the recorder; needs no lock */
/* The recorder's part of fork(): see stream.c. after is called in the child, with the lock free; a child
 * that is not followed has no stream. */
void stream_follow_children(int follow, void (*after)(void));
void fail(const char *problem);

#endif
