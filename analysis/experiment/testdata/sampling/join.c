// A hash join for TestSampling. In each round threads put one relation into a shared hash table, meet, look the
// other relation up, meet, and add up what each of them has found. Table and relations have 6 MB.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16, SLOTS = 1 << 17, BUILD = 1 << 14, PROBE = 1 << 15 };

static struct { _Atomic uint64_t key; uint64_t value; } table[SLOTS];
static uint64_t probes[8][PROBE], inner[8][BUILD];
static struct { _Alignas(64) uint64_t sum, found; } results[THREADS];
static pthread_barrier_t meet;
static int rounds;

static uint64_t mix(uint64_t x) {
	x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static void build(uint64_t key) {
	for (uint64_t at = mix(key) % SLOTS;; at = (at + 1) % SLOTS) {
		uint64_t empty = 0;
		if (atomic_load(&table[at].key) == key || atomic_compare_exchange_strong(&table[at].key, &empty, key)) {
			table[at].value = key * 3;
			return;
		}
	}
}

static void probe(int id, uint64_t key) {
	for (uint64_t at = mix(key) % SLOTS, k; (k = atomic_load(&table[at].key)) != 0; at = (at + 1) % SLOTS)
		if (k == key) {
			results[id].sum += table[at].value, results[id].found++;
			return;
		}
}

static void *work(void *argument) {
	int id = (int)(intptr_t)argument;
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c1" ::: "memory");
	pthread_barrier_wait(&meet);
	for (int r = 0; r < rounds; r++) {
		for (int i = id * BUILD / THREADS; i < (id + 1) * BUILD / THREADS; i++) build(inner[r % 8][i] + 1);
		pthread_barrier_wait(&meet);
		// Threads have unequal parts.
		int part = PROBE / THREADS, own = part - (id + r) % 4 * part / 8;
		for (int i = id * part; i < id * part + own; i++) probe(id, probes[r % 8][i] + 1);
		pthread_barrier_wait(&meet);
		for (int t = 0; t < THREADS; t++) results[id].sum ^= results[(id + t) % THREADS].found;
		for (int i = id * SLOTS / THREADS; i < (id + 1) * SLOTS / THREADS && r % 4 == 3; i++) table[i].key = 0;
		pthread_barrier_wait(&meet);
	}
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c2" ::: "memory");
	return 0;
}

int main(int n, char **arguments) {
	rounds = n > 1 ? atoi(arguments[1]) : 12;
	for (int r = 0; r < 8; r++) {
		for (int i = 0; i < BUILD; i++) inner[r][i] = mix(r * BUILD + i) % (2 * SLOTS);
		for (int i = 0; i < PROBE; i++) probes[r][i] = mix(i * 8 + r + 77) % (2 * SLOTS);
	}
	pthread_t threads[THREADS];
	pthread_barrier_init(&meet, 0, THREADS);
	for (intptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
	work(0);
	uint64_t found = 0;
	for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
	for (int i = 0; i < THREADS; i++) found += results[i].found;
	printf("%lu found\n", found);
}
