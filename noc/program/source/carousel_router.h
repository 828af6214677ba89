/*
 * carousel_router.h: a network of your own under Carousel, interface version 1.
 *
 * Write four functions and compile them with carousel_router_main.c:
 *
 *     cc -O2 -o bus bus.c carousel_router_main.c
 *     carousel traffic --router base,program:./bus
 *
 * Carousel keeps the source queues, the sinks, the copies of multicasts for networks that have none,
 * and all statistics. The network takes packets from the heads of the source queues and reports each
 * arrival. Both sides meet in one structure, carousel_io, that maps to valid, ready and flit signals.
 *
 * Rules:
 *   - Each packet that is taken arrives once at each of its destinations. Carousel checks every packet.
 *   - A tail arrives at the earliest in the cycle taken + phits - 1: one phit per cycle.
 *   - Equal calls give equal answers. A network reads no clock, and takes random numbers only from seed.
 *   - A network runs in a process of its own. Several may run at once, so a network must not write to
 *     files of a fixed name. What it prints appears in Carousel's error messages.
 */
#ifndef CAROUSEL_ROUTER_H
#define CAROUSEL_ROUTER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROUSEL_ROUTER_VERSION 1u
#define CAROUSEL_UNLIMITED (~(uint32_t)0) /* places of a sink without a limit */

/* What create receives. The texts end with 0 and are valid until destroy. */
typedef struct {
	uint32_t version;          /* CAROUSEL_ROUTER_VERSION of Carousel */
	uint32_t nodes;            /* numbered from 0; on a grid, node = x + kx*(y + ky*(z + ...)) */
	uint32_t classes;          /* message classes, 1 to 8; 0 is the lowest, and none may starve */
	uint32_t longest;          /* longest packet that Carousel will offer, in phits */
	uint32_t class_longest[8]; /* longest packet of each class, in phits */
	uint64_t seed;             /* for random choices */
	uint32_t dimensions;       /* of a grid; 0 for other topologies */
	uint32_t rings;            /* bit d: dimension d is a ring, as in a torus; else a line */
	uint32_t radix[8];         /* nodes in each dimension */
	const char *topology;      /* such as "torus:8x8" */
	const char *options;       /* the text of network.program.options, which should be JSON; "" without */
} carousel_setup;

/* Flags of carousel_shape. */
enum {
	CAROUSEL_TAKES_SETS = 1,  /* multicasts inside the network; else each destination gets a copy from its source */
	CAROUSEL_HEEDS_ROOM = 2,  /* keeps packets inside while their sink is full; else they wait outside, without limit */
	CAROUSEL_KEEPS_CLASSES_APART = 4, /* no class waits for a lower one, so a chip may have finite interfaces */
	CAROUSEL_EVERY_CYCLE = 8,   /* must be run in cycles in which it is empty */
	CAROUSEL_COUNTS_EVENTS = 16 /* counts carousel_io.events; without, Carousel prints no energy */
};

/* One unidirectional channel between two routers. */
typedef struct {
	uint32_t from, to; /* routers */
	uint16_t out, in;  /* output port of from, input port of to; ports of a router are numbered from 0 */
} carousel_link;

/* The router and port that a node sends into, and those that it receives from. */
typedef struct {
	uint32_t entry, exit;
	uint16_t entry_port, exit_port;
} carousel_place;

/* What create fills in. It starts as zeros, and zero is allowed everywhere: "not known" or the default
 * in brackets. Arrays stay valid until destroy. */
typedef struct {
	uint32_t flags;
	uint32_t longest;      /* longest packet that the network takes [setup.longest] */
	uint32_t routers;      /* [one per node] */
	uint32_t links;        /* entries of link */
	const carousel_link *link;   /* ordered by from, then by out */
	const carousel_place *place; /* per node [router n for node n, port 0] */
	uint32_t phit_bits;    /* width of a link [128] */
	/* One router, for the price of its events. All routers are alike. */
	uint32_t ports;            /* the local port included */
	uint32_t virtual_channels; /* per input port */
	uint32_t buffers, depth;   /* buffers of a router, and phits in each */
	uint32_t crossbar;         /* 1: a crossbar of ports x ports */
	/* Optional. Both write a text as snprintf does. explain says which packets wait for what, a line
	 * each, and why run failed. check looks for faults in the network's own state; "" means none. */
	int (*explain)(void *network, char *into, size_t capacity);
	int (*check)(void *network, char *into, size_t capacity);
} carousel_shape;

/* The packet at the head of the source queue of a node and class. */
typedef struct {
	uint32_t id;          /* names the packet until it has arrived everywhere */
	uint32_t source;      /* node */
	uint32_t destination; /* node; with CAROUSEL_TAKES_SETS, the lowest one of set */
	uint16_t phits;
	uint8_t class_;
	uint8_t unused;
	const uint64_t *set; /* with CAROUSEL_TAKES_SETS: bit n%64 of word n/64 is destination n; else NULL */
} carousel_offered;

/* A tail that a node consumes. */
typedef struct {
	uint32_t id, node;
	uint32_t hops; /* links crossed by this copy */
} carousel_arrived;

/* Events of a router, for CAROUSEL_COUNTS_EVENTS. The first three count phits. */
enum {
	CAROUSEL_BUFFER_WRITES, CAROUSEL_BUFFER_READS, CAROUSEL_CROSSBAR,
	CAROUSEL_REQUESTS, CAROUSEL_GRANTS, /* of the switch arbiters of output ports */
	CAROUSEL_LOOKUPS,                   /* of routes */
	CAROUSEL_COPIES,                    /* made inside the router */
	CAROUSEL_BUSY,                      /* cycles with a packet in the router */
	CAROUSEL_EVENTS
};

/* What Carousel and the network exchange. The frame owns all of it. */
typedef struct {
	uint64_t now;   /* the cycle to simulate; run adds 1 for each cycle simulated */
	uint64_t until; /* run stops here at the latest */
	uint32_t nodes, classes, words; /* of a set */
	uint32_t routers, links;
	uint32_t inside;         /* copies taken that have not arrived; the functions below count them */
	uint8_t *ready;          /* [node]: bit c is set: a packet of class c is offered (valid) */
	carousel_offered *offer; /* [node*classes + class] */
	uint32_t *room;          /* [node*classes + class]: free places of the sink, or CAROUSEL_UNLIMITED (ready) */
	uint32_t taken, arrived; /* entries of take and arrive in this call */
	uint32_t *take;
	carousel_arrived *arrive;
	uint32_t capacity;     /* entries that arrive has room for; carousel_arrive raises it */
	uint64_t *link_phits;  /* [link]: phits so far; the network counts them */
	uint64_t (*events)[CAROUSEL_EVENTS]; /* [router]: events so far; the network counts them */
} carousel_io;

/* The four functions. create returns an object, or NULL with a text in error. attach gives it the
 * structure for all exchanges, before the first run. run simulates cycles from io->now on, at most up to
 * io->until, and stops after the first cycle in which a packet was taken or has arrived:
 *
 *     while (io->now < io->until && !io->taken && !io->arrived) { cycle(network); io->now++; }
 *
 * It returns 0, or another number after a failure that explain describes. */
void *carousel_router_create(const carousel_setup *setup, carousel_shape *shape, char *error, size_t capacity);
void carousel_router_attach(void *network, carousel_io *io);
int carousel_router_run(void *network);
void carousel_router_destroy(void *network);

/* The packet offered by a node in a class, or NULL. It is offered until it is taken. */
static inline const carousel_offered *carousel_offer_of(const carousel_io *io, uint32_t node, uint32_t class_) {
	return io->ready[node] >> class_ & 1 ? &io->offer[(size_t)node * io->classes + class_] : NULL;
}

/* The network takes the packet that a node offers in a class. The next one is offered in the next cycle.
 * copies is its number of destinations: 1 without CAROUSEL_TAKES_SETS. */
static inline void carousel_take(carousel_io *io, uint32_t node, uint32_t class_, uint32_t copies) {
	io->ready[node] &= (uint8_t)~(1u << class_);
	io->take[io->taken++] = io->offer[(size_t)node * io->classes + class_].id;
	io->inside += copies;
}

/* The number of free places in the sink of a node and class. Carousel counts a packet when it arrives. A
 * network in which two packets may be on their way into one sink at a time must count the first itself. */
static inline uint32_t carousel_room(const carousel_io *io, uint32_t node, uint32_t class_) {
	return io->room[(size_t)node * io->classes + class_];
}

/* A node consumes the tail of a packet in this cycle. Carousel shows it to the node in the next one. */
static inline void carousel_arrive(carousel_io *io, uint32_t id, uint32_t node, uint32_t hops) {
	carousel_arrived a;
	a.id = id, a.node = node, a.hops = hops;
	if (io->arrived == io->capacity) {
		io->arrive = (carousel_arrived *)realloc(io->arrive, (size_t)(io->capacity *= 2) * sizeof a);
		if (!io->arrive) abort();
	}
	io->arrive[io->arrived++] = a;
	io->inside--;
}

#ifdef __cplusplus
}
#endif
#endif
