// Four unequal phases for TestSampling, each behind a barrier: a stencil, the partition of keys into shared buckets, a
// walk through lists of their own, and sums that all threads read. Data have 4 MB.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16, SIDE = 256, KEYS = 1 << 15, BUCKETS = 64, NODES = 1 << 16, STEPS = 1200 };

static double grid[2][SIDE][SIDE];
static uint32_t keys[KEYS], sorted[KEYS], next[NODES];
static _Atomic uint32_t fill[BUCKETS];
static struct { _Alignas(64) uint64_t sum[BUCKETS]; } sums[THREADS];
static uint64_t totals[BUCKETS];
static pthread_barrier_t meet;
static int rounds;

static uint64_t mix(uint64_t x) {
	x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static void stencil(int id, int r) {
	double (*from)[SIDE] = grid[r % 2], (*to)[SIDE] = grid[1 - r % 2];
	for (int y = id * SIDE / THREADS; y < (id + 1) * SIDE / THREADS; y++)
		for (int x = 1; x < SIDE - 1 && y > 0 && y < SIDE - 1; x += 2)
			to[y][x] = 0.25 * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]);
}

static void partition(int id, int r) {
	for (int i = id * KEYS / THREADS; i < (id + 1) * KEYS / THREADS; i += 1 + r % 3) {
		uint32_t bucket = keys[i] % BUCKETS, at = atomic_fetch_add(&fill[bucket], 1);
		sorted[bucket * (KEYS / BUCKETS) + at % (KEYS / BUCKETS)] = keys[i];
	}
}

static uint32_t walk(int id, int r) {
	uint32_t at = id * (NODES / THREADS) + r;
	for (int i = 0; i < STEPS + (id + r) % 4 * (STEPS / 8); i++) at = next[at % NODES];
	return at;
}

static void add(int id, uint32_t more) {
	for (int b = 0; b < BUCKETS; b++) sums[id].sum[b] = more & 1;
	for (int i = id * KEYS / THREADS; i < (id + 1) * KEYS / THREADS; i += 4) sums[id].sum[sorted[i] % BUCKETS] += sorted[i];
	pthread_barrier_wait(&meet);
	for (int b = id * BUCKETS / THREADS; b < (id + 1) * BUCKETS / THREADS; b++) {
		totals[b] = 0, fill[b] = 0;
		for (int t = 0; t < THREADS; t++) totals[b] += sums[t].sum[b];
	}
}

static void *work(void *argument) {
	int id = (int)(intptr_t)argument;
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c1" ::: "memory");
	pthread_barrier_wait(&meet);
	for (int r = 0; r < rounds; r++) {
		stencil(id, r);
		pthread_barrier_wait(&meet);
		partition(id, r);
		pthread_barrier_wait(&meet);
		uint32_t at = walk(id, r);
		pthread_barrier_wait(&meet);
		add(id, at);
		pthread_barrier_wait(&meet);
	}
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c2" ::: "memory");
	return 0;
}

int main(int n, char **arguments) {
	rounds = n > 1 ? atoi(arguments[1]) : 13;
	for (int i = 0; i < KEYS; i++) keys[i] = mix(i);
	for (int i = 0; i < NODES; i++) next[i] = mix(i + 99) % NODES;
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) grid[0][y][x] = grid[1][y][x] = x * y % 17;
	pthread_t threads[THREADS];
	pthread_barrier_init(&meet, 0, THREADS);
	for (intptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
	work(0);
	for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
	printf("%lu %g\n", totals[5], grid[0][9][9]);
}
