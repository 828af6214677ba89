/* Each thread increments a counter of its own: sharing THREADS TIMES BYTES. Counters are so many bytes apart: with 8
 * they share lines falsely, with 128 they share nothing. */
#include "kernel.h"

static char counters[MOST_THREADS * 2 * LINE] __attribute__((aligned(4096)));
static int times, apart;

static void prepare(void) {}

static void work(int self)
{
	volatile long *own = (volatile long *)(counters + self * apart);
	for (int i = 0; i < times; i++)
		++*own;
}

int main(int count, char **words)
{
	times = number(count, words, 2);
	apart = number(count, words, 3);
	if (apart % 8 != 0 || apart < 8 || apart > 2 * LINE)
		return 2;
	return run_threads(number(count, words, 1));
}
