/* Tells the recorder where the recorded program synchronises its threads, so that the trace has locks and barriers, whose
 * order a replay decides, instead of what the libraries do in memory to make them.
 *
 * The calls are those of POSIX threads and of GNU OpenMP. Each is made as it is; around it the recorder is told by
 * system calls that do not exist, so that nothing happens where nobody listens (plugin/threads.c). Between HIDE and SHOW
 * the recorder leaves out what the thread does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "synchronise.h"

#define VISIBLE __attribute__((visibility("default")))

static void tell(long what, const void *object, unsigned long number)
{
	register long result __asm__("rax") = SYNCHRONISE + what;
	register const void *first __asm__("rdi") = object;
	register unsigned long second __asm__("rsi") = number;
	__asm__ volatile("syscall" : "+r"(result) : "r"(first), "r"(second) : "rcx", "r11", "memory");
}

/* The emulator loads this library, too, where the program gets it by the environment. Its own locks are nobody's business. */
static int of_program(void)
{
	static int known;
	if (!known)
		known = dlsym(RTLD_DEFAULT, "qemu_plugin_reset") ? 1 : 2;
	return known == 2;
}

/* REAL is the function that this library's one of the same name hides. It is looked for when the program is loaded, and what
 * that takes is left out: it is no work of the program. */
#define REAL(name) FIND(name, NULL)

/* CONDITION is that of functions on condition variables, of which the C library keeps older versions. */
#define CONDITION(name) FIND(name, dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2"))

#define FIND(name, first) \
	static __typeof__(name) *real_##name; \
	__attribute__((constructor)) static void find_##name(void) \
	{ \
		tell(HIDE, NULL, 0); \
		of_program(); \
		if (!(real_##name = (__typeof__(name) *)first)) \
			real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
		tell(SHOW, NULL, 0); \
	} \
	static __typeof__(name) *found_##name(void) \
	{ \
		if (!real_##name) \
			find_##name(); \
		return real_##name; \
	}

#define LOCK(name, type, waits) \
	REAL(name) \
	VISIBLE int name(type *lock) \
	{ \
		if (!of_program()) \
			return found_##name()(lock); \
		tell(HIDE, NULL, 0); \
		int failed = found_##name()(lock); \
		tell(failed ? SHOW : LOCKED, (const void *)lock, waits); \
		return failed; \
	}

#define TRY(name, type, waits) \
	REAL(name) \
	VISIBLE int name(type *lock) \
	{ \
		int failed = found_##name()(lock); \
		if (!failed && of_program()) \
			tell(LOCKED, (const void *)lock, waits); \
		return failed; \
	}

#define UNLOCK(name, type, waits) \
	REAL(name) \
	VISIBLE int name(type *lock) \
	{ \
		if (!of_program()) \
			return found_##name()(lock); \
		tell(UNLOCKED, (const void *)lock, waits); \
		int failed = found_##name()(lock); \
		tell(SHOW, NULL, 0); \
		return failed; \
	}

LOCK(pthread_mutex_lock, pthread_mutex_t, SLEEPS)
TRY(pthread_mutex_trylock, pthread_mutex_t, SLEEPS)
UNLOCK(pthread_mutex_unlock, pthread_mutex_t, SLEEPS)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, SLEEPS | SHARED)
TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t, SLEEPS | SHARED)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, SLEEPS)
TRY(pthread_rwlock_trywrlock, pthread_rwlock_t, SLEEPS)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t, SLEEPS)
LOCK(pthread_spin_lock, pthread_spinlock_t, SPINS)
TRY(pthread_spin_trylock, pthread_spinlock_t, SPINS)
UNLOCK(pthread_spin_unlock, pthread_spinlock_t, SPINS)

#define TIMED(name, type, waits) \
	REAL(name) \
	VISIBLE int name(type *lock, const struct timespec *until) \
	{ \
		if (!of_program()) \
			return found_##name()(lock, until); \
		tell(HIDE, NULL, 0); \
		int failed = found_##name()(lock, until); \
		tell(failed ? SHOW : LOCKED, lock, waits); \
		return failed; \
	}

TIMED(pthread_mutex_timedlock, pthread_mutex_t, SLEEPS)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, SLEEPS | SHARED)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, SLEEPS)

/* A waiter has no lock while it sleeps. That it comes after who wakes it the recorder sees by itself. */
CONDITION(pthread_cond_wait)
VISIBLE int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
	if (!of_program())
		return found_pthread_cond_wait()(condition, lock);
	tell(UNLOCKED, lock, SLEEPS);
	int failed = found_pthread_cond_wait()(condition, lock);
	tell(LOCKED, lock, SLEEPS);
	return failed;
}

CONDITION(pthread_cond_timedwait)
VISIBLE int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
	if (!of_program())
		return found_pthread_cond_timedwait()(condition, lock, until);
	tell(UNLOCKED, lock, SLEEPS);
	int failed = found_pthread_cond_timedwait()(condition, lock, until);
	tell(LOCKED, lock, SLEEPS);
	return failed;
}

REAL(pthread_cond_clockwait)
VISIBLE int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *lock, clockid_t clock, const struct timespec *until)
{
	if (!of_program())
		return found_pthread_cond_clockwait()(condition, lock, clock, until);
	tell(UNLOCKED, lock, SLEEPS);
	int failed = found_pthread_cond_clockwait()(condition, lock, clock, until);
	tell(LOCKED, lock, SLEEPS);
	return failed;
}

/* How many threads meet at a barrier is said when it is made. */
enum { BARRIERS = 1024 };
static struct {
	pthread_barrier_t *barrier;
	unsigned count;
} barriers[BARRIERS];

static void remember(pthread_barrier_t *barrier, unsigned count)
{
	int at = 0;
	for (int i = BARRIERS - 1; i >= 0; i--) {
		if (barriers[i].barrier == barrier) {
			at = i;
			break;
		}
		if (!barriers[i].barrier)
			at = i;
	}
	barriers[at].barrier = barrier;
	barriers[at].count = count;
}

REAL(pthread_barrier_init)
VISIBLE int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes, unsigned count)
{
	int failed = found_pthread_barrier_init()(barrier, attributes, count);
	if (!failed)
		remember(barrier, count);
	return failed;
}

REAL(pthread_barrier_wait)
VISIBLE int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	unsigned count = 0;
	for (int i = 0; i < BARRIERS && !count; i++)
		if (barriers[i].barrier == barrier)
			count = barriers[i].count;
	if (!count || !of_program())
		return found_pthread_barrier_wait()(barrier);
	tell(ARRIVED, barrier, count | (SLEEPS | COUNTS_OUT) * BARRIER_WAYS);
	int result = found_pthread_barrier_wait()(barrier);
	tell(SHOW, NULL, 0);
	return result;
}

/* GNU OpenMP. The names begin a region of threads, end a loop or sections, and stand for barriers. */
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_barrier(void);
void GOMP_loop_end(void);
void GOMP_sections_end(void);
int omp_get_num_threads(void);
int omp_get_num_threads(void) __attribute__((weak));

struct team {
	void (*body)(void *);
	void *data;
};
static __thread struct team *team;
static __typeof__(GOMP_barrier) *found_GOMP_barrier(void);

/* meet is a barrier of all threads of the team; what the thread does afterwards stays hidden. */
static void meet(void (*barrier)(void))
{
	static unsigned long ways;
	if (!ways) {
		const char *policy = getenv("OMP_WAIT_POLICY");
		ways = (policy && strcasecmp(policy, "passive") == 0 ? SLEEPS : SPINS) * BARRIER_WAYS | OF_TEAM;
	}
	tell(ARRIVED, team, (unsigned long)omp_get_num_threads() | ways);
	barrier();
}

/* in_team is what each thread of a region does. How the library starts and gathers its threads stays hidden: a barrier
 * at both ends stands for it. */
static void in_team(void *argument)
{
	struct team *outer = team;
	team = argument;
	meet(found_GOMP_barrier());
	tell(SHOW, NULL, 0);
	team->body(team->data);
	meet(found_GOMP_barrier());
	team = outer;
}

REAL(GOMP_parallel)
VISIBLE void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
	struct team new = {body, data};
	if (!omp_get_num_threads || !of_program()) {
		found_GOMP_parallel()(body, data, threads, flags);
		return;
	}
	tell(HIDE, NULL, 0);
	found_GOMP_parallel()(in_team, &new, threads, flags);
	tell(SHOW, NULL, 0);
}

#define MEETING(name) \
	REAL(name) \
	VISIBLE void name(void) \
	{ \
		if (!team) { \
			found_##name()(); \
			return; \
		} \
		meet(found_##name()); \
		tell(SHOW, NULL, 0); \
	}

MEETING(GOMP_barrier)
MEETING(GOMP_loop_end)
MEETING(GOMP_sections_end)
