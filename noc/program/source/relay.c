/*
 * relay.c: an example of a network, for tori and meshes. Routers store and forward: a packet is received
 * whole before it goes on, and queues have no limit. Alone, L phits over d links take L*(d+2) cycles.
 * Nodes wait while the network holds many packets of a class, so that queues do not grow without end.
 *
 *     cc -O2 -o relay relay.c carousel_router_main.c
 *     carousel traffic --router base,program:./relay
 */
#include <stdio.h>
#include <string.h>
#include "carousel_router.h"

enum { INSIDE = 2 }; /* packets of a class in the network, for each node, from which on nodes wait */

typedef struct packet {
	struct packet *next;
	uint32_t id, at, destination, hops;
	uint16_t phits;
	uint8_t class_;
} packet;

typedef struct {
	packet *first, *last;
} queue;

/* What carries one packet at a time: the link from a node, a link between routers, or that to a sink. */
typedef struct {
	queue waiting;
	uint64_t busy; /* until this cycle */
} line;

typedef struct {
	const carousel_setup *setup;
	carousel_io *io;
	uint32_t links, horizon; /* horizon: cycles that the two wheels below cover */
	carousel_link *link;
	int32_t *by_port;           /* per router and output port: the link, or -1 */
	uint32_t *last;             /* per node: the class that it sent last */
	uint32_t inside[8];         /* packets, by class */
	line *from_node, *on_link, *to_sink;
	queue *complete, *consumed; /* per cycle: packets that are complete in a router, or in a sink */
	packet *spare;
} network;

static void push(queue *q, packet *p) {
	p->next = NULL;
	if (q->first) q->last->next = p;
	else q->first = p;
	q->last = p;
}

static packet *pop(queue *q) {
	packet *p = q->first;
	q->first = p->next;
	return p;
}

/* Output ports are numbered as in Carousel, so that pictures show the directions: 0 is the node; in two
 * dimensions 1 to 4 are y-, x+, y+, x-; in one, 1 and 2 are x+ and x-. */
static uint32_t port(const carousel_setup *s, uint32_t dimension, int up) {
	if (s->dimensions == 1) return up ? 1 : 2;
	if (dimension == 0) return up ? 2 : 4;
	if (dimension == 1) return up ? 3 : 1;
	return 2 * dimension + 1 + (uint32_t)up;
}

static uint32_t stride(const carousel_setup *s, uint32_t dimension) {
	uint32_t n = 1;
	while (dimension--) n *= s->radix[dimension];
	return n;
}

static int coordinate(const carousel_setup *s, uint32_t node, uint32_t dimension) {
	return (int)(node / stride(s, dimension) % s->radix[dimension]);
}

/* The link towards a destination: one dimension after the other, by the shorter way. */
static int32_t route(const network *n, uint32_t at, uint32_t destination) {
	const carousel_setup *s = n->setup;
	for (uint32_t d = 0; d < s->dimensions; d++) {
		int k = (int)s->radix[d], ahead = coordinate(s, destination, d) - coordinate(s, at, d), up = ahead > 0;
		if (ahead == 0) continue;
		if (s->rings >> d & 1) up = 2 * ((ahead + k) % k) <= k;
		return n->by_port[at * (2 * s->dimensions + 1) + port(s, d, up)];
	}
	return -1;
}

/* Makes the links, ordered by router and then by output port. */
static void wire(network *n) {
	const carousel_setup *s = n->setup;
	uint32_t ports = 2 * s->dimensions + 1;
	n->link = calloc(s->nodes * ports, sizeof *n->link);
	n->by_port = calloc(s->nodes * ports, sizeof *n->by_port);
	for (uint32_t at = 0; at < s->nodes; at++)
		for (uint32_t out = 1; out < ports; out++)
			for (uint32_t d = 0; d < s->dimensions; d++)
				for (int up = 0; up < 2; up++) {
					int k = (int)s->radix[d], here = coordinate(s, at, d), there = here + (up ? 1 : -1);
					if (port(s, d, up) != out) continue;
					n->by_port[at * ports + out] = -1;
					if ((there < 0 || there >= k) && !(s->rings >> d & 1)) continue; /* the edge of a mesh */
					there = (there + k) % k;
					n->by_port[at * ports + out] = (int32_t)n->links;
					n->link[n->links++] = (carousel_link){at, at + (uint32_t)(there - here) * stride(s, d), (uint16_t)out, (uint16_t)port(s, d, !up)};
				}
}

void *carousel_router_create(const carousel_setup *s, carousel_shape *shape, char *error, size_t capacity) {
	if (s->dimensions == 0) {
		snprintf(error, capacity, "relay works on a torus or mesh, not on %s", s->topology);
		return NULL;
	}
	network *n = calloc(1, sizeof *n);
	n->setup = s, n->horizon = s->longest + 1;
	wire(n);
	n->last = calloc(s->nodes, sizeof *n->last);
	n->from_node = calloc(s->nodes, sizeof *n->from_node);
	n->on_link = calloc(n->links, sizeof *n->on_link);
	n->to_sink = calloc(s->nodes * s->classes, sizeof *n->to_sink);
	n->complete = calloc(n->horizon, sizeof *n->complete);
	n->consumed = calloc(n->horizon, sizeof *n->consumed);
	shape->flags = CAROUSEL_HEEDS_ROOM | CAROUSEL_KEEPS_CLASSES_APART;
	shape->links = n->links, shape->link = n->link;
	return n;
}

void carousel_router_attach(void *network_, carousel_io *io) { ((network *)network_)->io = io; }

/* A packet starts to cross a line in cycle t. */
static void cross(line *l, const packet *p, uint64_t t) { l->busy = t + p->phits; }

/* A node whose link is idle sends a packet; its classes take turns. */
static void inject(network *n, uint32_t node, uint64_t t) {
	uint32_t ready = n->io->ready[node], class_ = n->last[node];
	for (uint32_t c = 0; c < n->io->classes; c++)
		if (n->inside[c] >= INSIDE * n->io->nodes) ready &= ~(1u << c);
	if (!ready || n->from_node[node].busy > t) return;
	do class_ = (class_ + 1) % 8;
	while (!(ready >> class_ & 1));
	n->last[node] = class_;
	n->inside[class_]++;
	const carousel_offered *o = carousel_offer_of(n->io, node, class_);
	packet *p = n->spare;
	if (p) n->spare = p->next;
	else p = malloc(sizeof *p);
	*p = (packet){NULL, o->id, node, o->destination, 0, o->phits, o->class_};
	carousel_take(n->io, node, class_, 1);
	cross(&n->from_node[node], p, t);
	push(&n->complete[n->from_node[node].busy % n->horizon], p);
}

/* One cycle. */
static void cycle(network *n, uint64_t t) {
	carousel_io *io = n->io;
	for (queue *due = &n->complete[t % n->horizon]; due->first;) {
		packet *p = pop(due);
		line *l = p->at == p->destination ? &n->to_sink[p->at * io->classes + p->class_] : &n->on_link[route(n, p->at, p->destination)];
		push(&l->waiting, p);
	}
	for (uint32_t i = 0; i < io->nodes; i++) inject(n, (uint32_t)((t + i) % io->nodes), t); /* each is first at times */
	for (uint32_t i = 0; i < n->links; i++) {
		line *l = &n->on_link[i];
		if (!l->waiting.first || l->busy > t) continue;
		packet *p = pop(&l->waiting);
		cross(l, p, t);
		p->at = n->link[i].to, p->hops++;
		io->link_phits[i] += p->phits;
		push(&n->complete[l->busy % n->horizon], p);
	}
	for (uint32_t i = 0; i < io->nodes * io->classes; i++) {
		line *l = &n->to_sink[i];
		if (!l->waiting.first || l->busy > t || io->room[i] == 0) continue;
		packet *p = pop(&l->waiting);
		n->inside[p->class_]--;
		cross(l, p, t);
		push(&n->consumed[(l->busy - 1) % n->horizon], p);
	}
	for (queue *due = &n->consumed[t % n->horizon]; due->first;) { /* tails that arrive in this cycle */
		packet *p = pop(due);
		carousel_arrive(io, p->id, p->at, p->hops);
		p->next = n->spare, n->spare = p;
	}
}

int carousel_router_run(void *network_) {
	network *n = network_;
	carousel_io *io = n->io;
	while (io->now < io->until && !io->taken && !io->arrived) cycle(n, io->now), io->now++;
	return 0;
}

void carousel_router_destroy(void *network_) {
	network *n = network_;
	free(n->link), free(n->by_port), free(n->last), free(n->from_node), free(n->on_link), free(n->to_sink);
	free(n->complete), free(n->consumed), free(n);
}
