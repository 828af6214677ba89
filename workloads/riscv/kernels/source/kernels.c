/* Small programs whose threads meet in different ways: kernels NAME THREADS [SCALE]. Each prints a
   number that does not depend on who comes first. */
#include "runtime.h"

static int threads, scale;
static word sums[THREADS][LINE / sizeof(word)] __attribute__((aligned(64)));
static word all(void) { word n = 0; for (int i = 0; i < threads; i++) n += sums[i][0]; return n; }

static word next(word *s) { *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17; return *s; }

/* work computes without memory; its length is the number of rounds. */
static word work(word seed, int rounds) { while (rounds-- > 0) seed = seed * 6364136223846793005 + 1442695040888963407; return seed; }

enum { ROW = 1024 };
static word table[2][THREADS][ROW] __attribute__((aligned(64))), shared[1 << 14] __attribute__((aligned(64)));

/* static: every thread has its own part, and nobody waits. */
static void static_loop(int id)
{
	word s = 0;
	for (int r = 0; r < 2 * scale; r++)
		for (int i = 0; i < ROW; i++) s += table[0][id][i] = table[1][id][(i * 37 + r) % ROW] + shared[(id * 911 + i * 17 + r * 5) & 0x3fff];
	sums[id][0] = s;
}

/* barriers: a stencil over the neighbours' parts, with a barrier behind each step. */
static barrier steps __attribute__((aligned(64)));
static void barriers(int id)
{
	for (int r = 0; r < 6 * scale; r++) {
		word *to = table[~r & 1][id], *from = table[r & 1][id], *left = table[r & 1][(id + threads - 1) % threads], *right = table[r & 1][(id + 1) % threads];
		for (int i = 0; i < ROW / 4; i++) to[i] = from[i] + left[i] + (right[i] >> 3);
		meet(&steps, threads);
	}
	for (int i = 0; i < ROW / 4; i++) sums[id][0] += table[0][id][i];
	if (id) done(); else rest(threads);
}

/* mutex: short critical sections of a few locks. */
static mutex locks[4] __attribute__((aligned(64)));
static word guarded[4][8] __attribute__((aligned(64)));
static void mutexes(int id)
{
	word s = id + 1;
	for (int r = 0; r < 24 * scale; r++) {
		int k = next(&s) & 3;
		lock(&locks[k]);
		for (int i = 0; i < 8; i++) guarded[k][i] += i + id;
		unlock(&locks[k]);
		sums[id][1] += work(s, 60);
	}
	if (id) done(); else rest(threads);
	if (!id) for (int k = 0; k < 4; k++) sums[0][0] += guarded[k][7];
}

/* reader-writer: many read a table under a lock that few take to write. state counts readers, and
   is -1 for a writer. */
static int state __attribute__((aligned(64)));
static void reader_writer(int id)
{
	word s = id + 1;
	for (int r = 0; r < 24 * scale; r++) {
		if (r % 8 == id % 8) {
			while (compare_swap(&state, 0, -1)) {}
			for (int i = 0; i < 8; i++) shared[(next(&s) & 63) * 8] += 1;
			store_release(&state, 0);
		} else {
			for (int v;;) {
				v = load_acquire(&state);
				if (v >= 0 && compare_swap(&state, v, v + 1) == v) break;
			}
			word n = 0;
			for (int i = 0; i < 24; i++) n += shared[(i * 11 & 63) * 8];
			sums[id][1] += n;
			fetch_add(&state, -1);
		}
		sums[id][2] += work(s, 40);
	}
	if (id) done(); else rest(threads);
	if (!id) for (int i = 0; i < 64; i++) sums[0][0] += shared[i * 8];
}

/* task queues: whoever is free takes the next task. */
static int ticket __attribute__((aligned(64)));
static void queue(int id, int tasks, int size)
{
	for (int t; (t = fetch_add(&ticket, 1)) < tasks;) {
		word s = 0, h = t * 0x9e3779b97f4a7c15ul;
		int n = size / 2 + (h >> 40) % size;
		for (int i = 0; i < n; i++) s += shared[(h + i * 7) & 0x3fff], h = h * 5 + 1;
		table[0][0][t & (ROW - 1)] = s;
		sums[id][0] += s;
	}
	if (id) done(); else rest(threads);
}
static void queue_coarse(int id) { queue(id, 40 * scale, 400); }
static void queue_fine(int id) { queue(id, 400 * scale, 24); }

/* flags: a pipeline; each stage waits for the flag of the one before. */
static struct { int flag; char rest[LINE - 4]; } flags[THREADS] __attribute__((aligned(64)));
static word items[THREADS][256];
static void pipeline(int id)
{
	for (int n = 1; n <= 24 * scale; n++) {
		if (id) while (load_acquire(&flags[id - 1].flag) < n) {}
		word v = id ? items[id - 1][n & 255] : n;
		for (int i = 0; i < 12; i++) v += shared[(v + i * 64) & 0x3fff] ^ table[0][id][i];
		items[id][n & 255] = v;
		store_release(&flags[id].flag, n);
		sums[id][0] = v;
	}
	if (id) done(); else rest(threads);
}

/* work stealing: an own double-ended queue under a lock; who has nothing takes from others. */
static struct { mutex m; int head, tail; char rest[LINE - 8]; int tasks[2048]; } queues[THREADS] __attribute__((aligned(64)));
static int left __attribute__((aligned(64)));
static int take(int from, int own)
{
	int t = 0;
	if (load_acquire(&queues[from].tail) == load_acquire(&queues[from].head)) return 0;
	lock(&queues[from].m);
	if (queues[from].head != queues[from].tail) t = queues[from].tasks[(own ? --queues[from].tail : queues[from].head++) & 2047];
	unlock(&queues[from].m);
	return t;
}
static void put(int id, int t)
{
	lock(&queues[id].m);
	queues[id].tasks[queues[id].tail & 2047] = t;
	queues[id].tail++;
	unlock(&queues[id].m);
}
static void stealing(int id)
{
	word s = id + 1;
	if (!id) put(0, 5);
	while (load_acquire(&left) > 0) {
		int t = take(id, 1);
		for (int i = 0; i < 4 && !t; i++) t = take(next(&s) % threads, 0);
		if (!t) { work(s, 30); continue; }
		word h = t;
		for (int i = 0; i < 40; i++) h += shared[(h * 29 + i) & 0x3fff];
		sums[id][0] += t, sums[id][1] += h;
		if (t > 1) for (int i = 0; i < 3; i++) put(id, t - 1);
		fetch_add(&left, -1);
	}
	if (id) done(); else rest(threads);
}

/* false sharing: counters of different threads in one line. */
static int packed[THREADS] __attribute__((aligned(64)));
static void false_sharing(int id)
{
	for (int r = 0; r < 120 * scale; r++) {
		((volatile int *)packed)[id] += 1;
		sums[id][1] += shared[(r * 31 + id * 97) & 0x3fff];
	}
	sums[id][0] = packed[id];
	if (id) done(); else rest(threads);
}

/* contended counter: everybody adds to one word. */
static int counter __attribute__((aligned(64)));
static void counting(int id)
{
	for (int r = 0; r < 60 * scale; r++) {
		fetch_add(&counter, 1);
		sums[id][1] += work(r, 10) + table[0][id][r & (ROW - 1)];
	}
	if (id) done(); else rest(threads);
	if (!id) sums[0][0] = counter;
}

static const struct { const char *name; void (*kernel)(int); } kernels[] = {
	{"static", static_loop}, {"barriers", barriers}, {"mutex", mutexes}, {"reader-writer", reader_writer},
	{"queue-coarse", queue_coarse}, {"queue-fine", queue_fine}, {"flags", pipeline}, {"stealing", stealing},
	{"false-sharing", false_sharing}, {"counter", counting},
};

static int number(const char *p) { int n = 0; while (*p) n = n * 10 + *p++ - '0'; return n; }
static int equal(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }

int main(int count, char **arguments)
{
	threads = count > 2 ? number(arguments[2]) : 16;
	scale = count > 3 ? number(arguments[3]) : 8;
	word s = 88172645463325252ul;
	for (int i = 0; i < 1 << 14; i++) shared[i] = next(&s) & 0xffff;
	for (int t = 0; t < threads; t++) for (int i = 0; i < ROW; i++) table[0][t][i] = table[1][t][i] = i ^ t;
	left = 121; /* tasks of a tree with three children each, five levels deep */
	for (unsigned k = 0; count > 1 && threads >= 1 && threads <= THREADS && k < sizeof kernels / sizeof *kernels; k++)
		if (equal(arguments[1], kernels[k].name)) {
			run(kernels[k].kernel, threads);
			if (!k) call(93, 0, 0, 0, 0, 0, 0); /* nobody waits for anybody */
			print_number(all());
			return 0;
		}
	print("usage: kernels NAME THREADS SCALE\n");
	return 2;
}
