/* Short turns, so that what was before what in a recording resembles a machine whose processors work side by side: after
 * so many instructions a thread of a program, or a processor of a machine, lets the next one work.
 *
 * Of a program's threads one at a time has the turn. It hands it over to the one that has waited longest, and gives it up
 * while it is in the kernel, where it may sleep. The emulator stops all threads now and then, and a thread that waits here
 * does not stop: so whoever sees that the one with the turn sleeps, and has done so for a while, works without it for once.
 *
 * A turn of a program's thread ends, too, with an atomic access to a word that another thread has accessed so last. Else a
 * thread would do in one turn all of its increments of a counter, or take a run of tasks from a queue, and the recording
 * would be that of a program whose threads rarely compete.
 *
 * A machine's processors work in turn anyway, in one thread of the host. The one at work is told to leave its loop, as a
 * timer would tell it, at a number of instructions, so that recordings stay equal. */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 5000000 }; /* nanoseconds */

/* A machine's turns before the region: long enough to cost nothing, and short enough for those who wait for one that spins. */
enum { BEFORE_REGION = 100000 };

/* Functions of QEMU that it exports for its modules; other builds may hide them. */
extern void *qemu_get_cpu(int processor) __attribute__((weak));
extern void cpu_exit(void *processor) __attribute__((weak));

/* A thread that waits for the turn, on its own stack; all under the stream's lock. */
struct waiter {
	sem_t turn;
	long number; /* the host's, of the thread */
	struct waiter *next;
};

static uint32_t length; /* of a turn in instructions; 0: as the host or the emulator has it */
static struct waiter *first, **last = &first;
static bool taken;
static _Atomic long holder;       /* the host's number of the thread with the turn, or 0 */
static _Atomic uint64_t executed; /* blocks, to see whether somebody works */
static __thread long own_number;

void relay_begin(uint32_t turn)
{
	length = turn;
	if (whole_system && turn > 0 && (!qemu_get_cpu || !cpu_exit))
		fail("this build of QEMU hides what ends a processor's turn; record with --turn 0");
}

bool host_sleeps(long thread)
{
	char text[256];
	snprintf(text, sizeof text, "/proc/self/task/%ld/stat", thread);
	FILE *f = fopen(text, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	const char *name_ends = strrchr(text, ')');
	return !name_ends || strncmp(name_ends, ") S", 3) == 0;
}

/* pass gives the turn to the next waiter, or lays it down. */
static void pass(void)
{
	struct waiter *next = first;
	taken = next != NULL;
	holder = next ? next->number : 0;
	if (!next)
		return;
	first = next->next;
	if (!first)
		last = &first;
	sem_post(&next->turn);
}

/* leave_queue reports whether the waiter was still in the queue. */
static bool leave_queue(struct waiter *w)
{
	for (struct waiter **at = &first; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			if (last == &w->next)
				last = at;
			return true;
		}
	return false;
}

/* wait_turn reports whether the turn has come, or nobody works. */
static bool wait_turn(struct waiter *w)
{
	for (uint64_t seen = executed;; seen = executed) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PATIENCE;
		if (until.tv_nsec >= 1000000000)
			until.tv_nsec -= 1000000000, until.tv_sec++;
		int failed;
		do
			failed = sem_timedwait(&w->turn, &until);
		while (failed && errno == EINTR);
		if (!failed)
			return true;
		if ((seen != executed || (holder && !host_sleeps(holder))) && region == WITHIN)
			continue;
		stream_lock();
		bool queued = leave_queue(w);
		stream_unlock();
		if (queued)
			return false;
		sem_wait(&w->turn); /* it has come just now */
		return true;
	}
}

/* take_turn hands the turn over, if the thread has it, and waits for the next one. It queues first, because the thread that gets
 * the turn may push this one off the host's processor. */
static void take_turn(struct thread *t)
{
	if (!own_number)
		own_number = syscall(SYS_gettid);
	if (t->has_turn && !first)
		sched_yield(); /* threads that have been woken up have had no time to queue */
	stream_lock();
	t->works = true;
	t->turn = 0;
	if (!taken || (t->has_turn && !first)) {
		taken = t->has_turn = true;
		holder = own_number;
		stream_unlock();
		return;
	}
	struct waiter w = {.number = own_number};
	sem_init(&w.turn, 0, 0);
	*last = &w;
	last = &w.next;
	if (t->has_turn)
		pass();
	stream_unlock();
	t->has_turn = wait_turn(&w);
	sem_destroy(&w.turn);
}

void relay_leave(struct thread *t)
{
	if (!t->works)
		return;
	stream_lock();
	if (t->has_turn)
		pass();
	t->works = t->has_turn = false;
	stream_unlock();
}

void relay_block(unsigned processor, uint32_t instructions)
{
	struct thread *t = &threads[processor];
	if (length == 0)
		return;
	if (whole_system) {
		if ((t->turn += instructions) >= (region == WITHIN ? length : BEFORE_REGION)) {
			t->turn = 0;
			cpu_exit(qemu_get_cpu((int)processor));
		}
		return;
	}
	atomic_fetch_add_explicit(&executed, 1, memory_order_relaxed);
	if (!t->works || t->turn >= length)
		take_turn(t);
	t->turn += instructions;
}

/* The threads that have last accessed words by atomics. A word that shares its place with another one is forgotten: then a
 * turn may last longer. */
enum { WORDS = 4096 };
static struct {
	uint64_t word;
	unsigned processor;
} atomics[WORDS]; /* under the stream's lock */

void relay_atomic(unsigned processor, uint64_t address)
{
	struct thread *t = &threads[processor];
	if (length == 0 || whole_system || !t->works || t->hidden)
		return;
	uint64_t word = address >> 3;
	size_t at = (word ^ word >> 12) % WORDS;
	stream_lock();
	bool contended = atomics[at].word == word && atomics[at].processor != processor;
	atomics[at].word = word;
	atomics[at].processor = processor;
	stream_unlock();
	if (contended)
		take_turn(t);
}

void relay_fork(void)
{
	first = NULL;
	last = &first;
	taken = false;
	holder = own_number = 0;
}
