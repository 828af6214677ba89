/* Threads do tasks of dependent loads from memory of their own, without any data sharing: readonly THREADS TASKS BYTES.
 * For each task they read a limit that nobody writes, and the first thread writes its result so many bytes after it:
 * with 8 the result shares the limit's line, with 64 it has its own. */
#include "kernel.h"

enum { LINES = 64, LOADS = 1000 };
static struct { void *next; char rest[LINE - sizeof(void *)]; } lines[MOST_THREADS][LINES] __attribute__((aligned(4096)));
static char shared[2 * LINE] __attribute__((aligned(4096)));
static int tasks, apart;

static void prepare(void) {}

static void work(int self)
{
	volatile long *limit = (volatile long *)shared, *result = (volatile long *)(shared + apart);
	void *volatile *at = (void *volatile *)&lines[self][0];
	for (int task = 0; task < tasks; task++) {
		for (long n = *limit; n > 0; n--)
			at = *at;
		if (self == 0)
			*result = (long)(intptr_t)at;
	}
}

int main(int count, char **words)
{
	tasks = number(count, words, 2);
	apart = number(count, words, 3);
	if (apart % 8 != 0 || apart < 8 || apart > LINE)
		return 2;
	*(long *)shared = LOADS;
	for (int t = 0; t < MOST_THREADS; t++)
		for (int i = 0; i < LINES; i++)
			lines[t][i].next = &lines[t][(i * 37 + 11) % LINES];
	return run_threads(number(count, words, 1));
}
