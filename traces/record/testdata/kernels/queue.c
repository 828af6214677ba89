/* Threads take tasks from a queue by fetch-and-add: queue THREADS TASKS LOADS. A task is so many dependent loads from
 * memory of the thread; with none the threads only increment a word. */
#include "kernel.h"

enum { LINES = 64 };
static struct { void *next; char rest[LINE - sizeof(void *)]; } lines[MOST_THREADS][LINES] __attribute__((aligned(4096)));
static long next __attribute__((aligned(LINE)));
static int loads;
static long tasks __attribute__((aligned(LINE)));

static void prepare(void) {}

static void work(int self)
{
	void *volatile *at = (void *volatile *)&lines[self][0];
	while (__atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST) < tasks)
		for (int n = loads; n > 0; n--)
			at = *at;
}

int main(int count, char **words)
{
	tasks = number(count, words, 2);
	loads = number(count, words, 3);
	for (int t = 0; t < MOST_THREADS; t++)
		for (int i = 0; i < LINES; i++)
			lines[t][i].next = &lines[t][(i * 37 + 11) % LINES];
	return run_threads(number(count, words, 1));
}
