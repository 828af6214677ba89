/* What the kernels need of a C library: threads, locks that sleep in the kernel, output. */
#include "carousel.h"

typedef unsigned long word;
enum { THREADS = 64, STACK = 16384, LINE = 64 };

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d, a4 __asm__("a4") = e, a5 __asm__("a5") = f, a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
	return a0;
}

static void print(const char *text) { const char *e = text; while (*e) e++; call(64, 1, (long)text, e - text, 0, 0, 0); }

static void print_number(word n)
{
	char b[24], *p = b + sizeof b;
	*--p = 0, *--p = '\n';
	do *--p = '0' + n % 10; while (n /= 10);
	print(p);
}

/* Loads and stores between threads, with the fences that the memory model of RISC-V asks for. */
static inline int load_acquire(int *p)
{
	int v;
	__asm__ volatile("lw %0, %1\n\tfence r, rw" : "=r"(v) : "m"(*p) : "memory");
	return v;
}
static inline void store_release(int *p, int v) { __asm__ volatile("fence rw, w\n\tsw %1, %0" : "=m"(*p) : "r"(v) : "memory"); }
static inline int fetch_add(int *p, int v) { int o; __asm__ volatile("amoadd.w.aqrl %0, %2, %1" : "=r"(o), "+A"(*p) : "r"(v) : "memory"); return o; }
static inline int swap(int *p, int v) { int o; __asm__ volatile("amoswap.w.aqrl %0, %2, %1" : "=r"(o), "+A"(*p) : "r"(v) : "memory"); return o; }
static inline int compare_swap(int *p, int old, int new)
{
	int seen, failed;
	__asm__ volatile("1: lr.w.aqrl %0, %2\n\tbne %0, %3, 2f\n\tsc.w.rl %1, %4, %2\n\tbnez %1, 1b\n2:"
		: "=&r"(seen), "=&r"(failed), "+A"(*p) : "r"(old), "r"(new) : "memory");
	return seen;
}

static void futex_wait(int *p, int v) { call(98, (long)p, 128, v, 0, 0, 0); }
static void futex_wake(int *p, int n) { call(98, (long)p, 129, n, 0, 0, 0); }

/* A lock: 0 free, 1 held, 2 held and somebody may sleep (Drepper, "Futexes are tricky", mutex 2, released by an
   exchange as C libraries do). */
typedef struct { int state; char rest[LINE - 4]; } mutex;
static void lock(mutex *m)
{
	int c = compare_swap(&m->state, 0, 1);
	if (!c) return;
	if (c != 2) c = swap(&m->state, 2);
	while (c) { futex_wait(&m->state, 2); c = swap(&m->state, 2); }
}
static void unlock(mutex *m)
{
	if (swap(&m->state, 0) == 2) futex_wake(&m->state, 1);
}

/* A barrier whose last thread wakes the others. */
typedef struct { int arrived, generation; char rest[LINE - 8]; } barrier;
static void meet(barrier *b, int threads)
{
	int g = load_acquire(&b->generation);
	if (fetch_add(&b->arrived, 1) == threads - 1) {
		b->arrived = 0;
		store_release(&b->generation, g + 1);
		futex_wake(&b->generation, threads);
		return;
	}
	while (load_acquire(&b->generation) == g) futex_wait(&b->generation, g);
}

static char stacks[THREADS][STACK] __attribute__((aligned(4096)));
static void (*body)(int);
static int ready __attribute__((aligned(64))), go __attribute__((aligned(64)));

static void spin_until_go(void) { while (!*(volatile int *)&go) {} }

__attribute__((noinline, used)) static void enter(int id)
{
	fetch_add(&ready, 1);
	spin_until_go();
	body(id);
	call(93, 0, 0, 0, 0, 0, 0);
}

/* spawn starts a thread: it runs enter(id) on a stack of its own. */
static void spawn(int id)
{
	register long a0 __asm__("a0") = 0x50f00, a1 __asm__("a1") = (long)stacks[id] + STACK, a7 __asm__("a7") = 220;
	register long a2 __asm__("a2") = 0, a3 __asm__("a3") = 0, a4 __asm__("a4") = 0;
	register long s1 __asm__("s1") = id;
	__asm__ volatile("ecall\n\tbnez a0, 1f\n\tmv a0, s1\n\tcall enter\n1:" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7), "r"(s1) : "memory", "ra");
}

/* run lets all threads do a kernel at the same time; the region begins with it. Thread 0 returns. */
static void run(void (*kernel)(int), int threads)
{
	body = kernel;
	for (int i = 1; i < threads; i++) spawn(i);
	while (*(volatile int *)&ready != threads - 1) {}
	__asm__ volatile("fence rw, rw" ::: "memory");
	*(volatile int *)&go = 1;
	CAROUSEL_REGION_BEGIN();
	kernel(0);
}

/* rest waits until the other threads have called done. */
static int finished __attribute__((aligned(64)));
static void done(void) { fetch_add(&finished, 1); futex_wake(&finished, 1); }
static void rest(int threads)
{
	for (int n; (n = load_acquire(&finished)) != threads - 1;) futex_wait(&finished, n);
	CAROUSEL_REGION_END();
}

int main(int count, char **arguments);
__attribute__((used)) static void begin(long *stack) { call(94, main(stack[0], (char **)(stack + 1)), 0, 0, 0, 0, 0); }
__attribute__((naked, used)) void _start(void)
{
	__asm__(".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\nmv a0, sp\nandi sp, sp, -16\ncall begin");
}
