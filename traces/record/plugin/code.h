/* What the recorder knows of translated x86-64 code. */
#ifndef CAROUSEL_CODE_H
#define CAROUSEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow.h"

/* Traits of an instruction: it locks, is a repeated string instruction, or halts the processor; a locked one exchanges, always
 * or after a comparison. SYSTEM, that it belongs to the machine's operating system, is told by its address, not by its code. */
enum { LOCKED = 1, STRING = 2, SYSTEM = 4, HALT = 8, SWAPS = 16, COMPARES = 32 };
unsigned traits(const uint8_t *code, size_t length);

/* The marker: nopl with this displacement; its low half is a code. marker gives the code, or 0.
 * With the last one a machine tells that it is about to be switched off. */
enum { MARKER_TAG = 0x0CA7, MARKER_BEGIN = 1, MARKER_END = 2, MARKER_OVER = 0xff };
unsigned marker(const uint8_t *code, size_t length);

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };
#define NOWHERE UINT64_MAX

/* A translated block, as its execution hook needs it. Equal blocks share one: code is translated anew
 * whenever the emulator's buffer is full, and arguments of hooks can never be freed. */
struct shape {
	struct shape *next;
	uint64_t first, last; /* addresses of its first and last instruction's last byte */
	uint64_t last_start;
	uint64_t page[2]; /* recorded addresses of the pages that it begins and ends in, or NOWHERE */
	uint64_t digest;  /* of its code, which may change at one address */
	uint32_t length;
	bool string_first, string_last;
	bool system; /* code of the machine's operating system */
	struct flow flow;
};

/* intern finishes the analysis of a block that has not been seen before. */
const struct shape *intern(const struct shape *wanted, struct analysis *);
uint64_t digest_of(uint64_t before, const uint8_t *code, size_t length);

#endif
