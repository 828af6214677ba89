/* The time in which one core hands a word to another: two cores flip it by compare-and-swap, each waiting for the
   other, as public measurements of processors do. The pairs take turns, and all other threads sleep. Prints, for
   each pair, the nanoseconds of all its hand-offs. Arguments: threads, round trips that are timed. */
#include "runtime.h"

enum { PAIRS = THREADS * (THREADS - 1) / 2, WARM = 4 };
static struct { int value; char rest[LINE - 4]; } words[PAIRS] __attribute__((aligned(64)));
static struct { int turn; char rest[LINE - 4]; } turns[THREADS] __attribute__((aligned(64)));
static int first[PAIRS], second[PAIRS], nanoseconds[PAIRS], threads = 64, rounds = 40, pairs;

static void pass(int *word, int from, int to) { while (compare_swap(word, from, to) != from) {} }

static long now(void)
{
	long t[2];
	call(113, 1, (long)t, 0, 0, 0, 0);
	return t[0] * 1000000000l + t[1];
}

static void tell(int id, int turn) { store_release(&turns[id].turn, turn); futex_wake(&turns[id].turn, 1); }
/* give lets a pair take its turn, or all threads end behind the last one. */
static void give(int pair)
{
	if (pair < pairs) {
		tell(first[pair], pair + 1);
		tell(second[pair], pair + 1);
		return;
	}
	for (int id = 0; id < threads; id++) tell(id, -1);
}

static void flip(int id)
{
	if (!id) give(0);
	for (int last = 0, turn;; last = turn) {
		while ((turn = load_acquire(&turns[id].turn)) == last) futex_wait(&turns[id].turn, last);
		if (turn < 0) break;
		int p = turn - 1, *word = &words[p].value;
		if (id == second[p]) {
			for (int i = 0; i < WARM + rounds; i++) pass(word, 1, 0);
			continue;
		}
		for (int i = 0; i < WARM; i++) pass(word, 0, 1);
		long t = now();
		for (int i = 0; i < rounds; i++) pass(word, 0, 1);
		nanoseconds[p] = now() - t;
		give(p + 1);
	}
	if (id) done(); else rest(threads);
}

static int number(const char *s) { int n = 0; while (*s >= '0' && *s <= '9') n = 10 * n + *s++ - '0'; return n; }

int main(int count, char **arguments)
{
	if (count > 1) threads = number(arguments[1]);
	if (count > 2) rounds = number(arguments[2]);
	for (int i = 0; i < threads; i++)
		for (int k = i + 1; k < threads; k++) first[pairs] = i, second[pairs++] = k;
	run(flip, threads);
	for (int p = 0; p < pairs; p++) print_number(nanoseconds[p]);
	return 0;
}
