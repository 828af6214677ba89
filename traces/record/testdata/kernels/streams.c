/* Threads count in histograms of their own, and then each adds up a part of all of them: streams ROUNDS. The sixteen
 * histograms begin in one set of an L1 of 256 sets, so that each thread reads sixteen streams that compete for its ways,
 * while the others write. */
#include "kernel.h"

enum { WORDS = 256, APART = 16384 };
static char memory[MOST_THREADS * APART] __attribute__((aligned(APART)));
static volatile long sums[MOST_THREADS][LINE / sizeof(long)] __attribute__((aligned(4096)));
static int rounds;

static volatile long *histogram(int of) { return (volatile long *)(memory + of * APART); }

/* prepare touches the pages in order, because a recording gives frames to pages in order of first touch. */
static void prepare(void)
{
	for (int page = 0; page < (int)sizeof memory / 4096; page++)
		*(volatile char *)(memory + page * 4096);
}

static void work(int self)
{
	for (int round = 0; round < rounds; round++) {
		volatile long *own = histogram(self);
		for (int i = 0; i < WORDS; i++)
			own[i]++;
		pthread_barrier_wait(&meeting);
		long sum = 0;
		for (int i = self * WORDS / threads; i < (self + 1) * WORDS / threads; i++)
			for (int other = 0; other < MOST_THREADS; other++)
				sum += histogram(other)[i];
		sums[self][0] = sum;
		pthread_barrier_wait(&meeting);
	}
}

int main(int count, char **words)
{
	rounds = number(count, words, 1);
	return run_threads(MOST_THREADS);
}
