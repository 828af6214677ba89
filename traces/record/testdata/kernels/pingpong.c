/* Threads hand a word on in a ring, spinning on it: pingpong THREADS ROUNDS. */
#include "kernel.h"

static volatile long turn __attribute__((aligned(LINE)));
static char apart[LINE] __attribute__((unused));
static int rounds;

static void prepare(void) {}

static void work(int self)
{
	for (int i = 0; i < rounds; i++) {
		while (turn % threads != self)
			;
		turn++;
	}
}

int main(int count, char **words)
{
	rounds = number(count, words, 2);
	return run_threads(number(count, words, 1));
}
