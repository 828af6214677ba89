/*
 * Carousel's networks for programs in C, and in every language that calls C.
 *
 * A network is made from a configuration, JSON or YAML with the keys of "carousel help configuration":
 *
 *     {"topology": "torus:8x8", "routers": ["mrr"], "traffic": {"classes": 6}}
 *
 * routers names one model; traffic.classes is the number of message classes; keys below network and power
 * are those of the model and of its energy.
 *
 * A simulator of cores calls, in each of its cycles, carousel_deliveries, carousel_offer and
 * carousel_step(network, now + 1). carousel_next tells it which cycles it can leave out. carousel_limit_sink and
 * carousel_free_sink give back-pressure at the exits, carousel_pending finds packets for functional reads, and
 * carousel_start lets a network run beside the cores.
 *
 * Order. Deliveries are listed by cycle, then by node. A packet can overtake another of the same source and
 * destination, except where carousel_in_order returns 1: there packets of one source, destination and class arrive in
 * the order of their offers. Packets of different classes have no order in any network.
 *
 * Functions return a value that is not negative, or an error code; carousel_error has its text. Nothing of
 * the library ends the program. A network is used by one thread at a time; several threads may use several
 * networks. The library keeps no pointer of the caller after a call, and hands out none of its own. A process that
 * has opened a network must not fork and go on in the child: the library has threads.
 */
#ifndef CAROUSEL_H
#define CAROUSEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t carousel_network; /* a handle; positive */

enum {
	CAROUSEL_INTERNAL = -1, /* a defect of the library, or of a network that is a program; it can only be closed */
	CAROUSEL_USAGE = -2,    /* an argument or the configuration is wrong */
	CAROUSEL_HANDLE = -3    /* there is no such network */
};

typedef struct {
	uint64_t cycle;               /* when it is offered, for carousel_run; carousel_offer ignores it */
	const uint32_t *destinations; /* nodes, at least one, each once */
	uint32_t count;               /* of destinations */
	uint32_t source;              /* node */
	uint32_t tag;                 /* the caller's name for it, handed back with each delivery */
	uint16_t phits;               /* length on a link, header included */
	uint8_t class_;               /* message class, 0 the lowest */
	uint8_t unused;               /* 0 */
} carousel_packet;

typedef struct {
	uint64_t offered, injected, arrived; /* cycles */
	uint32_t tag, source, node;          /* node: where this copy arrived */
	uint16_t hops;                       /* links crossed */
	uint8_t class_, unused;
} carousel_delivery;

typedef struct {
	uint64_t cycles;                             /* simulated */
	uint64_t offered, injected, delivered;       /* packets accepted, copies that left a queue, copies delivered */
	uint64_t phits, phit_hops, buffered, owed;   /* delivered, over links, of the packets inside; deliveries still owed */
	uint64_t waiting;                            /* packets of carousel_run without room so far */
	double dynamic_joules, static_joules;        /* of routers and links */
} carousel_totals; /* buffered, owed and waiting are current values; all others are sums since carousel_reset_sums */

typedef struct {
	uint64_t offered;           /* cycle; UINT64_MAX for a packet of carousel_run without room so far */
	uint32_t tag, source, node; /* node: a destination whose delivery the caller has not taken */
	uint16_t phits;
	uint8_t class_, unused;
} carousel_owed;

#ifndef CAROUSEL_BUILDING

/* Makes a network at cycle 0. On failure carousel_error(0, ...) has the reason. */
carousel_network carousel_open(const char *configuration);

/* Frees a network. */
int64_t carousel_close(carousel_network);

/* Returns the number of nodes, numbered from 0. */
int64_t carousel_nodes(carousel_network);

/* Returns the current cycle, which carousel_step simulates next. */
int64_t carousel_now(carousel_network);

/* Returns 1 if packets of one source, destination and class arrive in the order of their offers, and 0 if the
 * network promises no order. The promise holds for base and base-mc. */
int64_t carousel_in_order(carousel_network);

/* Bounds the sink of a node and class to a number of packets, at most 2^31-2, from the current cycle on. Each
 * packet takes a place when its header starts to leave the network, or earlier, and waits inside while there is none.
 * carousel_free_sink gives one place back, usable in the current cycle; it fails if none is taken. Sinks are unbounded
 * until the first call; what they took before holds no place. A later call changes the limit, and places that are
 * taken stay taken. In base, base-mc, rr, mrr and ideal, packets that wait for a full sink never stop
 * packets of higher classes; in other networks they can. */
int64_t carousel_limit_sink(carousel_network, uint32_t node, uint8_t class_, uint32_t places);
int64_t carousel_free_sink(carousel_network, uint32_t node, uint8_t class_);

/* Offers packets in the current cycle and returns how many were accepted. accepted, unless NULL, gets 1 for
 * each packet with room in its source queue and 0 for each without. */
int64_t carousel_offer(carousel_network, const carousel_packet *, size_t count, uint8_t *accepted);

/* Simulates up to and not including a cycle, at most 2^63-1, and returns the current one. Stops early after
 * a cycle with a delivery, or in which a source queue that had refused a packet got room again. */
int64_t carousel_step(carousel_network, uint64_t until);

/* Returns a cycle, the current one or a later one, before which nothing arrives if the caller does nothing. A caller
 * without packets of its own may call carousel_step with this cycle at once. It is INT64_MAX if the network is empty,
 * and may be INT64_MAX if all packets wait for carousel_free_sink. */
int64_t carousel_next(carousel_network);

/* Starts carousel_step in a thread of the library, and returns 0 at once. carousel_done returns 1 when the step has
 * ended, or if there is none, and 0 while it runs. Every other call for this network first waits for the end.
 * carousel_now then returns the cycle that the step has reached. */
int64_t carousel_start(carousel_network, uint64_t until);
int64_t carousel_done(carousel_network);

/* Offers each packet in its cycle (they are sorted by it) and simulates up to a cycle, at most 2^63-1, in one
 * call. Packets without room wait in a line of their source and class, without bounds. Returns the current
 * cycle, which is until. */
int64_t carousel_run(carousel_network, const carousel_packet *, size_t count, uint64_t until);

/* Copies deliveries, in order of arrival and then of node, and returns how many. Those for which there is no
 * room stay for the next call. into may be NULL only if capacity is 0. */
int64_t carousel_deliveries(carousel_network, carousel_delivery *into, size_t capacity);

/* Copies one entry for each destination of each packet whose delivery the caller has not taken, in order of the
 * calls that offered them and then of nodes. Returns how many there are, which may be more than capacity. It changes
 * nothing: a simulator finds data in flight by tag. */
int64_t carousel_pending(carousel_network, carousel_owed *into, size_t capacity);

/* Sums over the whole network since carousel_reset_sums or, without it, cycle 0. */
int64_t carousel_sums(carousel_network, carousel_totals *into);

/* Lets the sums, the counters and the energy start again at 0, for example after a warm-up. Packets in flight and the
 * current cycle stay. Returns 0. */
int64_t carousel_reset_sums(carousel_network);

/* Writes JSON with the counters of every router and link since carousel_reset_sums, the hardware, and the energy by
 * part. Returns the
 * number of bytes, without the terminating 0, that the whole text needs, as snprintf does. */
int64_t carousel_report(carousel_network, char *into, size_t capacity);

/* Writes which packets cannot move, what they hold and what they wait for. Returns as carousel_report. */
int64_t carousel_explain(carousel_network, char *into, size_t capacity);

/* Writes the text of the network's last error; of network 0, that of the last failed carousel_open. Returns
 * as carousel_report. */
int64_t carousel_error(carousel_network, char *into, size_t capacity);

#endif

#ifdef __cplusplus
}
#endif
#endif
