// Transfers between accounts for TestSampling: threads take locks of two of 512 groups of accounts, some of which are
// wanted more often, read other accounts without one, and never meet. The accounts have 4 MB.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16, GROUPS = 512, ACCOUNTS = 128 };

static struct { _Alignas(64) pthread_mutex_t lock; uint64_t transfers; struct { uint64_t money, history[7]; } account[ACCOUNTS]; } groups[GROUPS];
static struct { _Alignas(64) uint64_t seen; } results[THREADS];
static pthread_barrier_t meet;
static int transfers;

static uint64_t mix(uint64_t x) {
	x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static void transfer(int id, uint64_t n) {
	uint64_t choice = mix(n << 4 | id), from = choice % GROUPS, to = (choice >> 16) % GROUPS;
	if (n / 64 % 8 == 0) from %= GROUPS / 16; // everybody wants the same for a while
	if (from == to) to = (to + 1) % GROUPS;
	uint64_t low = from < to ? from : to, high = from < to ? to : from, a = (choice >> 32) % ACCOUNTS, b = (choice >> 40) % ACCOUNTS;
	pthread_mutex_lock(&groups[low].lock);
	pthread_mutex_lock(&groups[high].lock);
	groups[from].account[a].money -= 5, groups[to].account[b].money += 5;
	groups[from].account[a].history[n % 7] = n, groups[to].account[b].history[n % 7] = n;
	groups[to].transfers++;
	pthread_mutex_unlock(&groups[high].lock);
	pthread_mutex_unlock(&groups[low].lock);
	for (int i = 0; i < 12; i++) {
		uint64_t other = mix(choice + i);
		results[id].seen += groups[other % GROUPS].account[(other >> 20) % ACCOUNTS].money;
	}
}

static void *work(void *argument) {
	int id = (int)(intptr_t)argument;
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c1" ::: "memory");
	pthread_barrier_wait(&meet);
	for (int n = 0; n < transfers; n++) transfer(id, n);
	pthread_barrier_wait(&meet);
	if (id == 0) __asm__ volatile("slti x0, x0, 0x7c2" ::: "memory");
	return 0;
}

int main(int n, char **arguments) {
	transfers = n > 1 ? atoi(arguments[1]) : 2300;
	for (int g = 0; g < GROUPS; g++) {
		pthread_mutex_init(&groups[g].lock, 0);
		for (int i = 0; i < ACCOUNTS; i++) groups[g].account[i].money = 1000;
	}
	pthread_t threads[THREADS];
	pthread_barrier_init(&meet, 0, THREADS);
	for (intptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
	work(0);
	for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
	uint64_t money = 0, seen = 0;
	for (int g = 0; g < GROUPS; g++)
		for (int i = 0; i < ACCOUNTS; i++) money += groups[g].account[i].money;
	for (int i = 0; i < THREADS; i++) seen += results[i].seen;
	printf("%lu %lu\n", money, seen);
}
