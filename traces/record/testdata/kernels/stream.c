/* One thread reads one word of each of 4,096 lines, one after the other: stream PASSES. No load waits for
 * another one. */
#include "kernel.h"

enum { LINES = 4096 };
static struct { volatile long word; char rest[LINE - sizeof(long)]; } lines[LINES] __attribute__((aligned(4096)));
static int passes;

static void prepare(void) {}

static void work(int self)
{
	(void)self;
	for (int pass = 0; pass < passes; pass++)
		for (int i = 0; i < LINES; i++)
			lines[i].word;
}

int main(int count, char **words)
{
	passes = number(count, words, 1);
	return run_threads(1);
}
