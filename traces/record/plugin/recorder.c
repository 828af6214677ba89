/* The plugin: watches every instruction of an unmodified program under QEMU's user-mode emulation, or of a
 * whole machine under its system emulation, and sends the accesses to carousel in one order. threads.c adds
 * a program's threads and their synchronisation, machine.c a machine's physical addresses.
 *
 * A program's emulator runs on one processor of the host, and a lock surrounds every message, so the order
 * of the messages is the order of the accesses. (A callback comes just after its access; a switch of threads
 * between the two can exchange neighbours of that order, nothing more.) A machine's processors run in turn
 * in one thread of the host.
 *
 * Before the region of interest only what finds its beginning is watched. At its beginning all code is
 * translated anew, with everything watched. There is no way back: QEMU 7.2 may run a hook that has been
 * taken away. After the region the hooks stay and do nothing. */
#define _GNU_SOURCE
#include "recorder.h"

#include "code.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) int qemu_plugin_version = INTERFACE_VERSION;

#define LINE_SHIFT 6

struct thread threads[MOST_THREADS];
_Atomic enum region region = BEFORE;
bool whole_system;

static plugin_id plugin;
static const char *socket_path;
static enum { BY_START, BY_INSTRUCTIONS, BY_SYMBOL, BY_MARKER } begins = BY_START;
static bool end_by_symbol, end_by_marker, fetches = true, follow;
static enum { STOP, GO_ON, GO_ON_AFTER_MARKER } after = STOP;
static uint64_t skip, most_instructions = UINT64_MAX, most_records = UINT64_MAX;
static uint64_t begin_offset, end_offset; /* of symbols, from the first executable segment */
static uint64_t records;                  /* under the lock */
static _Atomic uint64_t instructions;     /* of all threads, while somebody needs to know */
static _Atomic unsigned known_threads;    /* those that have a number below this */
static _Atomic uint64_t unknown;          /* instructions that threads have executed that are gone, see struct flow */
static uint32_t turn;                     /* length in instructions, see relay.c */

static void attach(plugin_id);

struct thread *known(unsigned processor)
{
	if (processor >= MOST_THREADS)
		fail("the program has more than 65536 threads");
	if (processor >= known_threads)
		known_threads = processor + 1;
	threads[processor].alive = true;
	return &threads[processor];
}

void forget(struct thread *t)
{
	atomic_fetch_add(&unknown, t->flow.unknown);
	flow_forget(&t->flow);
	memset(t, 0, sizeof *t);
}

/* finish ends the region; the lock is held. Where it ends in the middle of a block, the rest of the block
 * has not been executed and is left out. */
static void finish(enum reason reason)
{
	for (unsigned i = 0; i < known_threads; i++) {
		struct thread *t = &threads[i];
		unknown += t->flow.unknown;
		uint64_t executed = t->before + (reason == PROGRAM_ENDED ? t->block : 0);
		if (t->alive && !t->hidden && t->told < executed)
			stream_append(ENDED, i, 0, 0, executed - t->told);
	}
	stream_append(UNKNOWN, 0, 0, unknown, 0);
	stream_append(OVER, 0, 0, reason, 0);
	stream_close();
	atomic_store(&region, AFTER);
	if (reason != PROGRAM_ENDED && after != GO_ON && !(after == GO_ON_AFTER_MARKER && reason == MARKER_REACHED))
		_exit(0);
}

static void begin(void)
{
	stream_lock();
	if (region == BEFORE) {
		stream_open(socket_path);
		for (unsigned i = 0; i < known_threads; i++)
			threads[i].told = threads[i].before = threads[i].block = 0;
		atomic_store(&instructions, 0);
		if (whole_system)
			machine_find_memory();
		if (whole_system)
			turns_tell();
		atomic_store(&region, WITHIN);
		qemu_plugin_reset(plugin, attach);
	}
	stream_unlock();
}

static void end(enum reason reason)
{
	stream_lock();
	if (region == WITHIN)
		finish(reason);
	stream_unlock();
}

/* send tells of an access of the thread's instruction with the given number. */
void send_access(unsigned processor, enum kind kind, unsigned size, uint64_t address, uint64_t number, uint64_t dependence)
{
	struct thread *t = &threads[processor];
	if (t->hidden && kind != CLEARED)
		return;
	stream_lock();
	if (region == WITHIN) {
		uint64_t since = number > t->told ? number - t->told : 0, distance = dependence ? t->flow.sent + 1 - dependence : 0;
		if (since > MOST_INSTRUCTIONS) {
			stream_append(WORK, processor, 0, since - 1, 0);
			since = 1;
		}
		if (distance > MOST_DISTANCE)
			distance = 0;
		if (kind == ATOMIC && t->left_known)
			stream_append(LEAVES, processor, 0, t->left, 0);
		stream_append(kind, processor, size, address, since | distance << INSTRUCTION_BITS);
		t->flow.sent += kind != DEVICE;
		if (number > t->told)
			t->told = number;
		if (kind != DEVICE && ++records >= most_records)
			finish(RECORDS_REACHED);
	}
	stream_unlock();
}

void send_event(unsigned processor, enum kind kind, uint64_t value)
{
	stream_lock();
	if (region == WITHIN)
		stream_append(kind, processor, 0, value, 0);
	stream_unlock();
}

/* What a hook needs to know of an instruction fits its argument: the number of its use in the block's flow, its place
 * in the block, and its traits, the last two in so many bits. */
enum { TRAIT_BITS = 8, PLACE_BITS = 24 };

/* Where the emulator has address 0 of the program's memory, once program_found. */
static uintptr_t program_base;
static bool program_found;

/* find_program finds the program's memory by an instruction of it. */
static void find_program(const struct instruction *in)
{
	const void *at = qemu_plugin_insn_haddr(in);
	program_found = at && memcmp(at, qemu_plugin_insn_data(in), qemu_plugin_insn_size(in)) == 0;
	program_base = (uintptr_t)at - (uintptr_t)qemu_plugin_insn_vaddr(in);
}

/* program_flags returns the flags of an access of a program that has just been made. */
static unsigned program_flags(struct thread *t, enum kind kind, unsigned what, access_info info, uint64_t address)
{
	unsigned size = qemu_plugin_mem_size_shift(info);
	bool known = program_found && size <= 3;
	uint64_t left = 0;
	if (kind == LOAD)
		return 0;
	if (known)
		memcpy(&left, (const void *)(program_base + address), (size_t)1 << size);
	t->left = left;
	t->left_known = known;
	return (known && left == 0 ? LEFT_ZERO : 0) | (kind == ATOMIC && what & (SWAPS | COMPARES) ? EXCHANGE : 0) |
	       (kind == ATOMIC && what & SWAPS ? MISSED : 0);
}

uint64_t place_of(const struct thread *t, uint64_t number)
{
	uint64_t hash = (t->code + (number - t->before)) * 0x9e3779b97f4a7c15 >> ADDRESS_BITS;
	return hash ? hash : 1;
}

static void on_access(unsigned processor, access_info info, uint64_t address, void *argument)
{
	if (atomic_load_explicit(&region, memory_order_relaxed) != WITHIN)
		return;
	struct thread *t = known(processor);
	uintptr_t what = (uintptr_t)argument;
	uint64_t number = t->before + (what >> TRAIT_BITS & ((1 << PLACE_BITS) - 1)) + 1;
	unsigned use = (unsigned)(what >> (TRAIT_BITS + PLACE_BITS));
	bool store = qemu_plugin_mem_is_store(info);
	enum kind kind = store ? STORE : LOAD;
	if (what & LOCKED) {
		/* One callback when other threads run beside it, a load and a store when none does. */
		if (t->locked_at != number) {
			t->locked_at = number;
			t->locks = 0;
		}
		if (store) {
			for (unsigned i = 0; i < t->locks; i++)
				if (t->locked[i] == address) {
					t->locked[i] = t->locked[--t->locks];
					if (whole_system)
						break; /* now it has written */
					return;
				}
		} else if (t->locks < 2) {
			t->locked[t->locks++] = address;
			if (whole_system) {
				t->found = machine_value(info, address);
				return; /* a store follows, also where a comparison fails */
			}
		}
		kind = ATOMIC;
	}
	uint64_t dependence = kind == LOAD ? 0 : flow_store(&t->flow, use), loaded = kind == STORE ? 0 : flow_load(&t->flow, use, address);
	uint64_t before = t->flow.sent;
	if (loaded > dependence)
		dependence = loaded;
	if (whole_system)
		machine_access(processor, kind, (unsigned)what, info, address, number, dependence);
	else
		send_access(processor, kind, qemu_plugin_mem_size_shift(info) | program_flags(t, kind, (unsigned)what, info, address),
		            address | place_of(t, number) << ADDRESS_BITS, number, dependence);
	if (kind != STORE && t->flow.sent > before)
		flow_loaded(&t->flow, use);
	if (kind != LOAD)
		flow_stored(&t->flow, address, kind == STORE ? dependence : t->flow.sent);
	if (kind == ATOMIC)
		relay_atomic(processor, address);
}

/* fetch tells of the lines of a block, as far as they are not that of the last fetch. */
static void fetch(unsigned processor, const struct shape *s)
{
	struct thread *t = &threads[processor];
	for (uint64_t line = s->first >> LINE_SHIFT; line <= s->last >> LINE_SHIFT; line++) {
		uint64_t at = line << LINE_SHIFT, page = s->page[(at ^ s->first) >> PAGE_SHIFT != 0];
		if (page == NOWHERE)
			continue;
		at = page | (at & (PAGE_BYTES - 1));
		if (t->line == at + 1)
			continue;
		t->line = at + 1;
		send_access(processor, FETCH, LINE_SHIFT | (s->system ? BY_SYSTEM : 0), at, t->before + 1, 0);
	}
}

static void on_block(unsigned processor, void *argument)
{
	if (whole_system)
		turns_work(processor);
	if (atomic_load_explicit(&region, memory_order_relaxed) != WITHIN)
		return;
	const struct shape *s = argument;
	struct thread *t = known(processor);
	relay_block(processor, s->length);
	if (atomic_load_explicit(&region, memory_order_relaxed) != WITHIN)
		return;
	flow_enter(&t->flow, &s->flow);
	t->before += t->block;
	t->block = s->length;
	t->code = s->first;
	if (s->string_first && t->string == s->first)
		t->before--; /* the next element of the same string instruction */
	t->string = s->string_last ? s->last_start : 0;
	if (most_instructions != UINT64_MAX &&
	    atomic_fetch_add_explicit(&instructions, s->length, memory_order_relaxed) + s->length > most_instructions) {
		t->block = 0;
		end(INSTRUCTIONS_REACHED);
		return;
	}
	if (fetches)
		fetch(processor, s);
}

static void on_begin(unsigned processor, void *argument)
{
	(void)processor, (void)argument;
	if (region == BEFORE)
		begin();
}

static void on_end_symbol(unsigned processor, void *argument)
{
	(void)processor, (void)argument;
	end(SYMBOL_REACHED);
}

static void on_end_marker(unsigned processor, void *argument)
{
	(void)processor, (void)argument;
	end(MARKER_REACHED);
}

/* on_turn is a machine's block before the region. */
static void on_turn(unsigned processor, void *argument)
{
	turns_work(processor);
	relay_block(processor, (uint32_t)(uintptr_t)argument);
}

static void on_halt(unsigned processor, void *argument)
{
	(void)argument;
	turns_sleep(processor);
	send_event(processor, HALTS, 0);
}

static void on_over(unsigned processor, void *argument)
{
	(void)processor, (void)argument;
	turns_end();
}

/* on_skipped counts a block before the region. */
static void on_skipped(unsigned processor, void *argument)
{
	(void)processor;
	if (region == BEFORE && atomic_fetch_add(&instructions, (uintptr_t)argument) >= skip)
		begin();
}

/* watch attaches to an instruction what begins or ends the region. */
static void watch(struct instruction *in, const uint8_t *code, size_t length)
{
	uint64_t offset = qemu_plugin_insn_vaddr(in) - (whole_system ? 0 : qemu_plugin_start_code());
	if (region == BEFORE && ((begins == BY_SYMBOL && offset == begin_offset) ||
	                         (begins == BY_MARKER && marker(code, length) == MARKER_BEGIN)))
		qemu_plugin_register_vcpu_insn_exec_cb(in, on_begin, NO_REGISTERS, NULL);
	if (region == WITHIN && end_by_symbol && offset == end_offset)
		qemu_plugin_register_vcpu_insn_exec_cb(in, on_end_symbol, NO_REGISTERS, NULL);
	if (region == WITHIN && end_by_marker && marker(code, length) == MARKER_END)
		qemu_plugin_register_vcpu_insn_exec_cb(in, on_end_marker, NO_REGISTERS, NULL);
}

static void on_translation(plugin_id id, struct block *block)
{
	(void)id;
	size_t length = qemu_plugin_tb_n_insns(block);
	uint64_t first = qemu_plugin_tb_vaddr(block), page = first & ~(uint64_t)(PAGE_BYTES - 1);
	struct shape shape = {.first = first, .length = (uint32_t)length, .page = {page, page + PAGE_BYTES},
	                      .system = whole_system && first >> 63};
	if (length == 0 || (region == AFTER && !whole_system))
		return;
	struct analysis *flow = flow_begin();
	if (!whole_system && !program_found)
		find_program(qemu_plugin_tb_get_insn(block, 0));
	if (whole_system && region == WITHIN)
		machine_pages(block, length, shape.page);
	for (size_t i = 0; i < length; i++) {
		struct instruction *in = qemu_plugin_tb_get_insn(block, i);
		const uint8_t *code = qemu_plugin_insn_data(in);
		size_t bytes = qemu_plugin_insn_size(in);
		unsigned what = traits(code, bytes) | (shape.system ? SYSTEM : 0);
		watch(in, code, bytes);
		if (whole_system && what & HALT)
			qemu_plugin_register_vcpu_insn_exec_cb(in, on_halt, NO_REGISTERS, NULL);
		if (whole_system && marker(code, bytes) == MARKER_OVER)
			qemu_plugin_register_vcpu_insn_exec_cb(in, on_over, NO_REGISTERS, NULL);
		if (region != WITHIN)
			continue;
		qemu_plugin_register_vcpu_mem_cb(in, on_access, NO_REGISTERS, READS_AND_WRITES,
		                                 (void *)((uintptr_t)flow_add(flow, code, bytes) << (TRAIT_BITS + PLACE_BITS) |
		                                          i << TRAIT_BITS | what));
		shape.digest = digest_of(shape.digest, code, bytes);
		if (i == 0)
			shape.string_first = (what & STRING) != 0;
		shape.string_last = (what & STRING) != 0;
		shape.last_start = qemu_plugin_insn_vaddr(in);
		shape.last = shape.last_start + bytes - 1;
	}
	if (region == WITHIN)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, NO_REGISTERS, (void *)intern(&shape, flow));
	else if (whole_system)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_turn, NO_REGISTERS, (void *)(uintptr_t)length);
	else if (begins == BY_INSTRUCTIONS)
		qemu_plugin_register_vcpu_tb_exec_cb(block, on_skipped, NO_REGISTERS, (void *)(uintptr_t)length);
}

static void on_program_end(plugin_id id, void *argument)
{
	(void)id, (void)argument;
	end(PROGRAM_ENDED);
}

/* attach says what to watch; QEMU forgets it at every reset. */
static void attach(plugin_id id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	if (!whole_system)
		threads_attach(id);
	qemu_plugin_register_atexit_cb(id, on_program_end, NULL);
}

/* in_child runs in a forked process, which has one thread. */
static void in_child(void)
{
	if (follow)
		threads_fork();
	else
		atomic_store(&region, AFTER);
}

/* option reads one key=value; carousel checks values before it passes them on. */
static int option(const char *text)
{
	const char *value = strchr(text, '=');
	if (!value)
		return -1;
	size_t length = (size_t)(value++ - text);
	uint64_t number = strtoull(value, NULL, 10);
#define IS(name) (length == sizeof name - 1 && memcmp(text, name, length) == 0)
	if (IS("socket"))
		socket_path = strdup(value);
	else if (IS("skip"))
		begins = BY_INSTRUCTIONS, skip = number;
	else if (IS("begin"))
		begins = BY_SYMBOL, begin_offset = number;
	else if (IS("end"))
		end_by_symbol = true, end_offset = number;
	else if (IS("marker"))
		begins = BY_MARKER, end_by_marker = true;
	else if (IS("instructions"))
		most_instructions = number;
	else if (IS("records"))
		most_records = number;
	else if (IS("turn"))
		turn = (uint32_t)number;
	else if (IS("fetches"))
		fetches = number != 0;
	else if (IS("goon"))
		after = number == 2 ? GO_ON_AFTER_MARKER : number ? GO_ON : STOP;
	else if (IS("children"))
		follow = number != 0;
	else
		return -1;
#undef IS
	return 0;
}

/* stay keeps the emulator on the processor of the host on which it is. */
static void stay(void)
{
	cpu_set_t here;
	CPU_ZERO(&here);
	int now = sched_getcpu();
	CPU_SET(now < 0 ? 0 : now, &here);
	if (sched_setaffinity(0, sizeof here, &here) != 0)
		fail("cannot keep the emulator on one processor of the host");
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const struct emulator *e, int count, char **options)
{
	if (e->version.minimum > INTERFACE_VERSION || e->version.current < INTERFACE_VERSION) {
		fprintf(stderr, "carousel recorder: this QEMU speaks versions %d to %d of the plugin interface, and the recorder version %d: use QEMU 7.2 to 8.2\n",
		        e->version.minimum, e->version.current, INTERFACE_VERSION);
		return 1;
	}
	if (strcmp(e->target, "x86_64") != 0) {
		fprintf(stderr, "carousel recorder: the emulator is for %s; the recorder needs one for x86_64\n", e->target);
		return 1;
	}
	whole_system = e->whole_system;
	for (int i = 0; i < count; i++)
		if (option(options[i]) != 0) {
			fprintf(stderr, "carousel recorder: option %s is not known\n", options[i]);
			return 1;
		}
	if (!socket_path) {
		fprintf(stderr, "carousel recorder: the plugin is started by carousel trace record\n");
		return 1;
	}
	plugin = id;
	relay_begin(turn);
	if (whole_system)
		turns_begin((unsigned)e->system.processors);
	else
		stay();
	stream_follow_children(follow, in_child);
	if (begins == BY_START) {
		stream_open(socket_path);
		atomic_store(&region, WITHIN);
	}
	attach(id);
	return 0;
}
