/* Reads instructions as hexadecimal text, one per line, and prints what they do with registers: see TestRegisters. */
#include "registers.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		uint8_t code[16];
		size_t length = 0;
		int used;
		unsigned byte;
		for (const char *at = line; length < sizeof code && sscanf(at, "%2x%n", &byte, &used) == 1; at += used)
			code[length++] = (uint8_t)byte;
		struct effect e = effect_of(code, length);
		printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %d%d%d%d\n", e.address, e.reads, e.writes, e.memory, e.loads, e.frame, e.unknown);
	}
	return 0;
}
