/* Threads meet at a barrier again and again: barrier THREADS TIMES. */
#include "kernel.h"

static int times;

static void prepare(void) {}

static void work(int self)
{
	(void)self;
	for (int i = 0; i < times; i++)
		pthread_barrier_wait(&meeting);
}

int main(int count, char **words)
{
	times = number(count, words, 2);
	return run_threads(number(count, words, 1));
}
