/* swaps THREADS ROUNDS: threads exchange one word. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static long word, rounds;

static void *swap(void *number)
{
	for (long i = 0; i < rounds; i++)
		__atomic_exchange_n(&word, (long)(intptr_t)number, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t threads[64];
	int n = count > 2 ? atoi(arguments[1]) : 2;
	rounds = count > 2 ? atol(arguments[2]) : 1000;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, swap, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
