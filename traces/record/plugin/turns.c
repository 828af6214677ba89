/* Keeps the emulator's main thread out of the way of a machine's processors.
 *
 * Under instruction counting the machine's time stops at every deadline of a timer, and the thread that runs
 * the processors fires the timers itself. But the main thread wakes up at about the same moment, and if it
 * comes first it fires them, tells all processors to leave what they do, and so changes whose turn is
 * next: recordings would depend on the host's schedule. Nobody needs the main thread while processors work;
 * when all sleep, it is the one that moves time forward.
 *
 * So it is parked: a signal finds it asleep in its poll, where it holds no lock, and keeps it in the signal's
 * handler until all processors have halted and their thread, too, has gone to sleep. Another signal, such as
 * that of an interruption, frees it for good. And so that nothing hangs, it is freed when the processors' thread
 * works without executing anything, which it does while a timer of the host's time is due, which only the main
 * thread may fire. (There should be none: machine.go sees to it.) */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static pthread_t main_thread;
static sem_t go;
static _Atomic enum { FREE, ASKED, REFUSED, PARKED } state = FREE;
static _Atomic bool over;             /* the main thread is needed for the machine's end */
static _Atomic bool quiet;            /* all processors have halted */
static _Atomic uint64_t blocks;       /* executed, to tell a working thread from one that waits */
static long worker;                   /* the host's number of the thread that runs the processors, or 0 */
static clockid_t worker_clock;        /* its processor time */
static unsigned sleeping, processors; /* processors that sleep */
static bool awake[MOST_THREADS];

/* Without a block executed, so many nanoseconds of the processors' thread, or so many that it sleeps, mean that
 * it needs the main thread. */
enum { MOST_WORK = 200000000, MOST_SLEEP = 1000000000 };

static int park_signal(void) { return SIGRTMIN + 9; }

/* asleep tells that the signal has interrupted a system call that was waiting. On other hosts than x86-64 the
 * main thread is never parked, and recordings may differ. */
static bool asleep(const ucontext_t *u)
{
#ifdef __x86_64__
	const uint8_t *at = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP];
	return u->uc_mcontext.gregs[REG_RAX] == -EINTR && at[-2] == 0x0f && at[-1] == 0x05;
#else
	(void)u;
	atomic_store(&over, true);
	return false;
#endif
}

/* rests tells that the processors' thread sleeps: having halted, it waits for an interrupt. */
static bool rests(void) { return worker && host_sleeps(worker); }

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

/* wait_parked returns when the main thread is needed. */
static void wait_parked(void)
{
	uint64_t seen = UINT64_MAX;
	int64_t worked = 0, slept = 0;
	for (;;) {
		uint64_t executed = atomic_load(&blocks);
		if (executed != seen || stream_is_busy()) {
			seen = executed;
			worked = read_clock(worker_clock);
			slept = read_clock(CLOCK_MONOTONIC);
		}
		if (atomic_load(&over) || (atomic_load(&quiet) && rests()) || read_clock(worker_clock) - worked > MOST_WORK ||
		    (read_clock(CLOCK_MONOTONIC) - slept > MOST_SLEEP && rests()))
			return;
		if (atomic_load(&quiet)) {
			usleep(20);
			continue;
		}
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 2000000;
		if (until.tv_nsec >= 1000000000)
			until.tv_nsec -= 1000000000, until.tv_sec++;
		if (sem_timedwait(&go, &until) != 0 && errno == EINTR)
			atomic_store(&over, true);
	}
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	int saved = errno;
	if (asleep(context)) {
		atomic_store(&state, PARKED);
		wait_parked();
		atomic_store(&state, FREE);
	} else {
		atomic_store(&state, REFUSED);
	}
	errno = saved;
}

static void park(void)
{
	for (int tries = 0; tries < 1000000; tries++) {
		atomic_store(&state, ASKED);
		pthread_kill(main_thread, park_signal());
		while (atomic_load(&state) == ASKED)
			sched_yield();
		if (atomic_load(&state) != REFUSED || atomic_load(&over))
			return;
		usleep(20);
	}
	fail("the emulator's main thread never rests");
}

void turns_begin(unsigned count)
{
	main_thread = pthread_self(); /* which loads the plugin */
	processors = sleeping = count;
	sem_init(&go, 0, 0);
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	sigaction(park_signal(), &action, NULL);
}

void turns_work(unsigned processor)
{
	atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
	if (!awake[processor]) {
		awake[processor] = true;
		sleeping--;
		atomic_store(&quiet, false);
	}
	if (atomic_load_explicit(&state, memory_order_relaxed) == PARKED || atomic_load_explicit(&over, memory_order_relaxed))
		return;
	if (!worker) {
		worker = syscall(SYS_gettid);
		pthread_getcpuclockid(pthread_self(), &worker_clock);
	}
	park();
}

void turns_sleep(unsigned processor)
{
	if (awake[processor]) {
		awake[processor] = false;
		sleeping++;
	}
	if (sleeping == processors) {
		atomic_store(&quiet, true);
		sem_post(&go);
	}
}

void turns_tell(void)
{
	for (unsigned i = 0; i < processors; i++)
		if (!awake[i])
			stream_append(HALTS, i, 0, 0, 0);
}

void turns_end(void)
{
	atomic_store(&over, true);
	sem_post(&go);
}
