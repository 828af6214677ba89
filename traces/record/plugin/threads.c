/* The threads of a program under user-mode emulation: how they begin and end, and how the kernel makes them
 * wait for each other. */
#define _GNU_SOURCE
#include "recorder.h"

#include "synchronise.h"

#include <sched.h>

/* Numbers of system calls of x86-64. */
enum { CLONE = 56, EXECVE = 59, EXIT = 60, FUTEX = 202, SET_TID_ADDRESS = 218 };
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_WAKE_OP = 5, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET = 10, FUTEX_COMMAND = 127 };

static __thread unsigned self = MOST_THREADS; /* the guest thread that this host thread runs */

/* on_start runs in the host thread of the guest thread that makes the new one. */
static void on_start(plugin_id id, unsigned processor)
{
	(void)id;
	struct thread *t = known(processor), *parent = self < MOST_THREADS ? &threads[self] : NULL;
	forget(t);
	t->alive = true;
	if (parent && parent->clone_flags & CLONE_CHILD_CLEARTID)
		t->clear = parent->clone_clear;
	send_event(processor, STARTED, parent ? self : NOBODY);
}

static void on_exit_of_thread(plugin_id id, unsigned processor)
{
	(void)id;
	struct thread *t = known(processor);
	relay_leave(t);
	stream_lock();
	if (region == WITHIN)
		stream_append(ENDED, processor, 0, 0, t->hidden ? 0 : t->before + t->block - t->told);
	forget(t);
	stream_unlock();
}

/* synchronise takes what preload/synchronise.c tells. What a thread does while it is hidden does not count. */
static void synchronise(unsigned processor, unsigned what, uint64_t object, uint64_t number)
{
	static const enum kind kinds[TELLINGS] = {0, SHOWN, ARRIVES, LOCKS, UNLOCKS};
	struct thread *t = &threads[processor];
	bool was_hidden = t->hidden;
	t->hidden = what == HIDE || what == ARRIVED || what == UNLOCKED;
	stream_lock();
	if (region == WITHIN && what != HIDE)
		stream_append(kinds[what], processor, 0, object, number);
	if (was_hidden)
		t->told = t->before + t->block;
	stream_unlock();
}

static void on_system_call(plugin_id id, unsigned processor, int64_t number, uint64_t a, uint64_t b, uint64_t c,
                           uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
	(void)id, (void)c, (void)e, (void)f, (void)g, (void)h;
	struct thread *t = known(processor);
	self = processor;
	if (number >= SYNCHRONISE && number < SYNCHRONISE + TELLINGS) {
		synchronise(processor, (unsigned)(number - SYNCHRONISE), a, b);
		return;
	}
	t->futex = 0;
	switch (number) {
	case CLONE:
		t->clone_flags = a;
		t->clone_clear = d;
		break;
	case SET_TID_ADDRESS:
		t->clear = a;
		break;
	case EXIT:
		if (t->clear && region == WITHIN)
			send_access(processor, CLEARED, 2, t->clear, t->before + t->block, 0);
		break;
	case EXECVE: /* if it succeeds, this program is gone, and what has not been sent with it */
		stream_lock();
		stream_flush();
		stream_unlock();
		break;
	case FUTEX:
		switch (b & FUTEX_COMMAND) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
			t->futex = a;
			break;
		case FUTEX_WAKE:
		case FUTEX_WAKE_OP:
		case FUTEX_WAKE_BITSET:
			if (!t->hidden)
				send_event(processor, WAKES, a);
		}
	}
	relay_leave(t);
}

static void on_system_return(plugin_id id, unsigned processor, int64_t number, int64_t result)
{
	(void)id;
	struct thread *t = known(processor);
	if (number == FUTEX && t->futex && result == 0)
		send_event(processor, WOKEN, t->futex);
	t->futex = 0;
}

void threads_attach(plugin_id id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_start);
	qemu_plugin_register_vcpu_exit_cb(id, on_exit_of_thread);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_return);
}

void threads_fork(void)
{
	for (unsigned i = 0; i < MOST_THREADS; i++)
		if (i != self)
			threads[i].alive = false;
	relay_fork();
	if (self < MOST_THREADS)
		threads[self].flow.unknown = 0; /* the parent tells of those */
}
