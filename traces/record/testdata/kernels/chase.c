/* One thread follows pointers through all of 4,096 lines, in an order that no stride predicts: chase PASSES.
 * Between recordings with more and with fewer passes each load is an L1 miss that hits in the L2, and starts
 * when the one before it has ended. */
#include "kernel.h"

enum { LINES = 4096 };
static struct { void *next; char rest[LINE - sizeof(void *)]; } lines[LINES] __attribute__((aligned(4096)));
static int passes;

static void prepare(void) {}

static void work(int self)
{
	(void)self;
	void *volatile *at = (void *volatile *)&lines[0];
	for (long n = (long)passes * LINES; n > 0; n--)
		at = *at;
}

int main(int count, char **words)
{
	passes = number(count, words, 1);
	for (unsigned i = 0, at = 0; i < LINES; i++) { /* a full period, as 1664525 - 1 is divisible by 4 */
		unsigned next = (at * 1664525u + 1013904223u) % LINES;
		lines[at].next = &lines[next];
		at = next;
	}
	return run_threads(1);
}
