#include "code.h"

#include "stream.h"

#include <stdlib.h>

static bool is_prefix(uint8_t b)
{
	return b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 || b == 0x3e ||
	       b == 0x26 || b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40;
}

/* traits finds what matters in an x86-64 instruction: a LOCK prefix, or an exchange with memory, which
 * locks by itself; a repeated string instruction; HLT. */
unsigned traits(const uint8_t *code, size_t length)
{
	size_t i = 0;
	bool lock = false, repeated = false;
	for (; i < length && is_prefix(code[i]); i++) {
		lock |= code[i] == 0xf0;
		repeated |= code[i] == 0xf2 || code[i] == 0xf3;
	}
	if (i == length)
		return 0;
	uint8_t operation = code[i];
	bool memory = i + 1 < length && code[i + 1] >> 6 != 3;
	bool compares = operation == 0x0f && i + 1 < length && (code[i + 1] & 0xfe) == 0xb0;
	bool string = (operation >= 0xa4 && operation <= 0xa7) || (operation >= 0xaa && operation <= 0xaf);
	bool swaps = (operation == 0x86 || operation == 0x87) && memory;
	return (lock || swaps ? LOCKED : 0) | (swaps ? SWAPS : 0) | (lock && compares ? COMPARES : 0) | (repeated && string ? STRING : 0) | (operation == 0xf4 ? HALT : 0);
}

unsigned marker(const uint8_t *code, size_t length)
{
	if (length != 7 || code[0] != 0x0f || code[1] != 0x1f || code[2] != 0x80 || (code[5] | code[6] << 8) != MARKER_TAG)
		return 0;
	return code[3] | (unsigned)code[4] << 8;
}

#define SHAPES 65536
static struct shape *shapes[SHAPES];

uint64_t digest_of(uint64_t before, const uint8_t *code, size_t length)
{
	for (size_t i = 0; i < length; i++)
		before = (before ^ code[i]) * 0x100000001b3;
	return before;
}

const struct shape *intern(const struct shape *wanted, struct analysis *analysis)
{
	stream_lock();
	struct shape **list = &shapes[(wanted->first ^ wanted->first >> 16) % SHAPES], *s = *list;
	for (; s; s = s->next)
		if (s->first == wanted->first && s->last == wanted->last && s->last_start == wanted->last_start &&
		    s->digest == wanted->digest && s->page[0] == wanted->page[0] && s->page[1] == wanted->page[1] && s->length == wanted->length &&
		    s->string_first == wanted->string_first && s->string_last == wanted->string_last)
			break;
	if (!s) {
		s = malloc(sizeof *s);
		if (!s)
			fail("no memory is left");
		*s = *wanted;
		flow_end(analysis, &s->flow);
		s->next = *list;
		*list = s;
	}
	stream_unlock();
	return s;
}
