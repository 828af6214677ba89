/* Threads increment a word under one lock: lock mutex|spin THREADS TIMES. */
#include "kernel.h"
#include <string.h>

static pthread_mutex_t mutex __attribute__((aligned(LINE))) = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin __attribute__((aligned(LINE)));
static volatile long guarded __attribute__((aligned(LINE)));
static int times, spins;

static void prepare(void) {}

static void increment(void)
{
	if (spins)
		pthread_spin_lock(&spin);
	else
		pthread_mutex_lock(&mutex);
	guarded++;
	if (spins)
		pthread_spin_unlock(&spin);
	else
		pthread_mutex_unlock(&mutex);
}

static void work(int self)
{
	(void)self;
	for (int i = 0; i < times; i++) {
		increment();
		for (int pause = 0; pause < 50; pause++)
			__asm__ volatile("nop");
	}
}

int main(int count, char **words)
{
	times = number(count, words, 3);
	spins = strcmp(words[1], "spin") == 0;
	pthread_spin_init(&spin, 0);
	increment(); /* the recorder looks for the library's functions at their first call */
	return run_threads(number(count, words, 2));
}
