// A breadth-first search for TestSampling: the levels of a random graph, with a barrier behind each, from several
// sources. The graph has 5 MB.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, NODES = 1 << 15, DEGREE = 16, LOCAL = NODES / THREADS * 4 };

static uint32_t edges[NODES][DEGREE], first[NODES + 1];
static _Atomic uint32_t level[NODES];
static uint32_t frontier[2][NODES];
static uint32_t own[THREADS][LOCAL];
static struct { _Alignas(64) uint32_t n; } counts[THREADS];
static uint32_t size;
static pthread_barrier_t meet;
static int searches;

static uint64_t mix(uint64_t x) {
	x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static void search(int id, int number) {
	for (int i = id * NODES / THREADS; i < (id + 1) * NODES / THREADS; i++) atomic_store_explicit(&level[i], UINT32_MAX, memory_order_relaxed);
	pthread_barrier_wait(&meet);
	if (id == 0) {
		frontier[0][0] = mix(number) % NODES;
		level[frontier[0][0]] = 0, size = 1;
	}
	pthread_barrier_wait(&meet);
	for (uint32_t depth = 1; size > 0; depth++) {
		uint32_t n = 0, from = size * id / THREADS, to = size * (id + 1) / THREADS;
		for (uint32_t i = from; i < to; i++) {
			uint32_t node = frontier[(depth - 1) % 2][i];
			for (uint32_t e = 0; e < first[node]; e++) {
				uint32_t other = edges[node][e], unseen = UINT32_MAX;
				if (atomic_load_explicit(&level[other], memory_order_relaxed) == UINT32_MAX &&
				    atomic_compare_exchange_strong(&level[other], &unseen, depth) && n < LOCAL)
					own[id][n++] = other;
			}
		}
		counts[id].n = n;
		pthread_barrier_wait(&meet);
		uint32_t at = 0, all = 0;
		for (int t = 0; t < THREADS; t++) {
			if (t < id) at += counts[t].n;
			all += counts[t].n;
		}
		memcpy(&frontier[depth % 2][at], own[id], n * sizeof own[id][0]);
		pthread_barrier_wait(&meet);
		if (id == 0) size = all;
		pthread_barrier_wait(&meet);
	}
}

static void *work(void *argument) {
	int id = (int)(intptr_t)argument;
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c1" ::: "memory");
	pthread_barrier_wait(&meet);
	for (int s = 0; s < searches; s++) search(id, s);
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c2" ::: "memory");
	return 0;
}

int main(int n, char **arguments) {
	searches = n > 1 ? atoi(arguments[1]) : 6;
	for (int i = 0; i < NODES; i++) {
		first[i] = 1 + mix(i) % DEGREE;
		for (uint32_t e = 0; e < first[i]; e++) edges[i][e] = mix((uint64_t)i * DEGREE + e) % 2 ? mix(i * 31 + e) % NODES : (i + e + 1) % NODES;
	}
	pthread_t threads[THREADS];
	pthread_barrier_init(&meet, 0, THREADS);
	for (intptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
	work(0);
	for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
	uint64_t sum = 0;
	for (int i = 0; i < NODES; i++) sum += level[i];
	printf("%lu\n", sum);
}
