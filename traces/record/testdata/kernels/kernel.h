/* Threads of a kernel that begin together, after the region's beginning, and meet before its end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Markers of the region; on RISC-V those of carousel run --program. */
#ifdef __riscv
#define MARK(code) __asm__ volatile("slti x0, x0, 0x7c0 + " #code ::: "memory")
#else
#define MARK(code) __asm__ volatile(".byte 0x0f, 0x1f, 0x80, " #code ", 0x00, 0xa7, 0x0c")
#endif
#define LINE 64
#define MOST_THREADS 16

static int threads;
static pthread_barrier_t meeting;

static void work(int self); /* of one thread, of the kernel that includes this file */
static void prepare(void);  /* of the first thread, within the region, before the others begin */

static void *run(void *argument)
{
	pthread_barrier_wait(&meeting);
	work((int)(intptr_t)argument);
	pthread_barrier_wait(&meeting);
	return NULL;
}

/* run_threads is the rest of main. */
static int run_threads(int count)
{
	pthread_t others[MOST_THREADS];
	if (count < 1 || count > MOST_THREADS)
		return fprintf(stderr, "1 to %d threads\n", MOST_THREADS), 2;
	threads = count;
	pthread_barrier_init(&meeting, NULL, (unsigned)threads);
	for (intptr_t i = 1; i < threads; i++)
		pthread_create(&others[i], NULL, run, (void *)i);
	usleep(50000); /* the others wait by then, so that nothing of how they begin is recorded */
	MARK(0x01);
	prepare();
	run(NULL);
	MARK(0x02);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	return 0;
}

static int number(int count, char **words, int at)
{
	if (at >= count)
		exit(2);
	return atoi(words[at]);
}
