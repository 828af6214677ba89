/* What preload/synchronise.c tells the plugin, by system calls with these numbers, which no kernel has: where a program's
 * threads synchronise. */
#ifndef CAROUSEL_SYNCHRONISE_H
#define CAROUSEL_SYNCHRONISE_H

enum { SYNCHRONISE = 0x0ca70000 };

/* After HIDE the recorder leaves out what the thread does, up to SHOW. */
enum {
	HIDE = 0,
	SHOW = 1,
	ARRIVED = 2,  /* at a barrier, the first argument; the second is how many threads meet there; hides */
	LOCKED = 3,   /* the thread has got a lock, the first argument; the second is how threads wait for it; shows */
	UNLOCKED = 4, /* the thread is about to release a lock; the second argument as for LOCKED; hides */
	TELLINGS = 5
};

/* Set in the number of threads that meet at a barrier of a team of OpenMP: the words of the barrier are not at the object. */
#define OF_TEAM (1ul << 31)

/* How threads wait at a barrier, times this, is in the number of threads that meet there. */
#define BARRIER_WAYS (1ul << 24)

/* How threads wait for a lock or at a barrier, that several may hold a lock together, and that a thread that leaves a barrier
 * counts itself out. */
enum { SPINS = 0, SLEEPS = 1, SHARED = 2, COUNTS_OUT = 4 };

#endif
