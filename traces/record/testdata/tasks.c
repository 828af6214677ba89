/* Four threads take tasks by a counter, or, with OpenMP, the iterations of a loop: see TestTasksOfPrograms. */
#include <pthread.h>
#include <stdio.h>

#ifndef TASKS
#define TASKS 400
#endif
enum { WORDS = 512 };
static long next, table[WORDS], sums[4][8], done;

static void *work(void *argument)
{
	long *sum = sums[(long)argument];
	for (long t; (t = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < TASKS;)
		for (long i = 0; i < 5 + t * 7 % 16; i++)
			*(volatile long *)sum += table[(t * 31 + i * 5) % WORDS];
	return 0;
}

int main(void)
{
	for (long i = 0; i < WORDS; i++)
		table[i] = i;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(4) reduction(+ : done)
	for (int t = 0; t < TASKS; t++)
		for (int i = 0; i < 20; i++)
			done += table[(t * 17 + i * 3) % WORDS];
#else
	pthread_t thread[4];
	for (long i = 1; i < 4; i++)
		if (pthread_create(&thread[i], 0, work, (void *)i))
			return 2;
	work(0);
	for (int i = 1; i < 4; i++)
		pthread_join(thread[i], 0);
#endif
	return done + sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0] ? 0 : 1;
}
