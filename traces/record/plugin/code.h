/* What the recorder knows of translated x86-64 code. */
#ifndef CAROUSEL_CODE_H
#define CAROUSEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Traits of an instruction: it locks, or is a repeated string instruction. */
enum { LOCKED = 1, STRING = 2 };
unsigned traits(const uint8_t *code, size_t length);

/* The marker: nopl with this displacement; its low half is a code. marker gives the code, or 0. */
enum { MARKER_TAG = 0x0CA7, MARKER_BEGIN = 1, MARKER_END = 2 };
unsigned marker(const uint8_t *code, size_t length);

/* A translated block, as its execution hook needs it. Equal blocks share one: code is translated anew
 * whenever the emulator's buffer is full, and arguments of hooks can never be freed. */
struct shape {
	struct shape *next;
	uint64_t first, last; /* addresses of its first and last instruction's last byte */
	uint64_t last_start;
	uint32_t length;
	bool string_first, string_last;
};

const struct shape *intern(const struct shape *wanted);

#endif
