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
 * Functions return a value that is not negative, or an error code; carousel_error has its text. Nothing of
 * the library ends the program. A network is used by one thread at a time; several threads may use several
 * networks. The library keeps no pointer of the caller after a call, and hands out none of its own.
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
	CAROUSEL_INTERNAL = -1, /* a defect of the library; the network can only be closed */
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
	uint8_t unused;               /* 0; packets may overtake each other */
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
	double dynamic_joules, static_joules;        /* of routers and links since cycle 0 */
} carousel_totals;

#ifndef CAROUSEL_BUILDING

/* Makes a network at cycle 0. On failure carousel_error(0, ...) has the reason. */
carousel_network carousel_open(const char *configuration);

/* Frees a network. */
int64_t carousel_close(carousel_network);

/* Returns the number of nodes, numbered from 0. */
int64_t carousel_nodes(carousel_network);

/* Offers packets in the current cycle and returns how many were accepted. accepted, unless NULL, gets 1 for
 * each packet with room in its source queue and 0 for each without. */
int64_t carousel_offer(carousel_network, const carousel_packet *, size_t count, uint8_t *accepted);

/* Simulates up to and not including a cycle, at most 2^63-1, and returns the current one. Stops early after
 * a cycle with a delivery, or in which a source queue that had refused a packet got room again. */
int64_t carousel_step(carousel_network, uint64_t until);

/* Offers each packet in its cycle (they are sorted by it) and simulates up to a cycle, at most 2^63-1, in one
 * call. Packets without room wait in a line of their source and class, without bounds. Returns the current
 * cycle, which is until. */
int64_t carousel_run(carousel_network, const carousel_packet *, size_t count, uint64_t until);

/* Copies deliveries, in order of arrival and then of node, and returns how many. Those for which there is no
 * room stay for the next call. into may be NULL only if capacity is 0. */
int64_t carousel_deliveries(carousel_network, carousel_delivery *into, size_t capacity);

/* Sums over the whole network. */
int64_t carousel_sums(carousel_network, carousel_totals *into);

/* Writes JSON with the counters of every router and link, the hardware, and the energy by part. Returns the
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
