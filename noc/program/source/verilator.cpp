/*
 * verilator.cpp: a network in SystemVerilog under Carousel. Verilator compiles it with the design:
 *
 *     verilator --cc --exe --build -O3 -CFLAGS "-I$PWD" --top-module top -o bus \
 *         bus.sv verilator.cpp carousel_router_main.c
 *     carousel traffic --router base,program:obj_dir/bus
 *
 * The module top has these ports, for N nodes. Node n has byte n of each vector and flit n of each list:
 *
 *     input  logic          clk, rst        rst is 1 in four cycles before the first
 *     input  logic [8*N-1:0]  in_valid      bit c: the node sends a flit of class c; at most one bit
 *     input  logic [64*N-1:0] in_flit
 *     output logic [8*N-1:0]  in_ready      bit c: a flit of class c is taken in this cycle
 *     output logic [8*N-1:0]  out_valid     bit c: the node receives a flit of class c; at most one bit
 *     output logic [64*N-1:0] out_flit
 *     input  logic [8*N-1:0]  out_ready     bit c: the node takes a flit of class c in this cycle
 *     output logic [7:0]      classes       that the design has
 *
 * and, if it needs them:
 *
 *     input  logic [8*K-1:0]  longest       byte c: longest packet of class c, in phits; K classes
 *     output logic [8*N-1:0]  out_take      bit c: the design reserves a place of the node's sink for a packet
 *                                           of class c; it may do so if out_ready is 1 in the same cycle,
 *                                           and flits then leave whatever out_ready is
 *
 * in_ready must not depend on in_valid. A packet is sent as one flit per phit:
 *
 *     63 head, 62 tail, 61:52 links crossed, 51:36 destination, 35:20 source, 19:0 number of the packet
 *
 * Flits leave with the same head, tail and number. Routers count the links crossed of the head; if it leaves
 * with 0, the distance on the grid counts. The other bits are the design's. Nodes send the packets of their classes in
 * turn, each whole.
 *
 * The clock stands while no packet is offered or inside. A design whose arbiters turn in idle cycles needs
 * -DBRIDGE_EVERY_CYCLE among the CFLAGS. One in which a class may wait for a lower one needs -DBRIDGE_CLASSES_WAIT;
 * a chip then has network interfaces without limits.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include "Vtop.h"
#include "carousel_router.h"
#include "verilated.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes of Verilator's vectors are taken by their addresses");

namespace {

/* Ports that a design may leave out. */
template <class T> auto longest_of(T &top, int) -> decltype(reinterpret_cast<uint8_t *>(&top.longest)) { return reinterpret_cast<uint8_t *>(&top.longest); }
template <class T> uint8_t *longest_of(T &, long) { return nullptr; }
template <class T> auto take_of(T &top, int) -> decltype(reinterpret_cast<uint8_t *>(&top.out_take)) { return reinterpret_cast<uint8_t *>(&top.out_take); }
template <class T> uint8_t *take_of(T &, long) { return nullptr; }
template <class T> size_t longest_size(T &top, decltype(&top.longest)) { return sizeof top.longest; }
template <class T> size_t longest_size(T &, ...) { return 0; }

const uint32_t nothing = ~uint32_t(0);

struct Queue { /* of a node and class */
	uint32_t reserved = 0;        /* places of the sink for packets that leave */
	uint32_t leaving = nothing;   /* the packet whose head has left */
	uint32_t hops = 0;            /* of this packet */
};

struct Sender { /* of a node */
	int class_ = -1; /* of the packet that is being sent */
	uint32_t left = 0, last;
	uint64_t flit = 0;
};

struct Bridge {
	VerilatedContext context;
	Vtop top{&context};
	uint8_t *in_valid = reinterpret_cast<uint8_t *>(&top.in_valid), *in_ready = reinterpret_cast<uint8_t *>(&top.in_ready);
	uint8_t *out_valid = reinterpret_cast<uint8_t *>(&top.out_valid), *out_ready = reinterpret_cast<uint8_t *>(&top.out_ready);
	uint8_t *in_flit = reinterpret_cast<uint8_t *>(&top.in_flit), *out_flit = reinterpret_cast<uint8_t *>(&top.out_flit), *out_take = take_of(top, 0);
	carousel_setup setup;
	carousel_io *io = nullptr;
	std::vector<Queue> queues;
	std::vector<Sender> senders;
	std::vector<uint32_t> source; /* by number of the packet */
	std::string fault;

	Queue &queue(uint32_t node, uint32_t class_) { return queues[node * setup.classes + class_]; }

	/* The number of links between two nodes of a grid. */
	uint32_t distance(uint32_t a, uint32_t b) const {
		uint32_t sum = 0;
		for (uint32_t d = 0; d < setup.dimensions; d++) {
			uint32_t k = setup.radix[d], way = uint32_t(std::abs(int(a % k) - int(b % k)));
			sum += setup.rings >> d & 1 && 2 * way > k ? k - way : way;
			a /= k, b /= k;
		}
		return sum;
	}

	/* Shows which sinks have a place for one more packet, or are in the middle of one; reports a change. */
	bool sinks() {
		bool changed = false;
		for (uint32_t n = 0; n < setup.nodes; n++) {
			uint8_t ready = 0;
			for (uint32_t c = 0; c < setup.classes; c++) {
				Queue &q = queue(n, c);
				if (carousel_room(io, n, c) > q.reserved || (!out_take && q.leaving != nothing)) ready |= uint8_t(1u << c);
			}
			changed |= out_ready[n] != ready;
			out_ready[n] = ready;
		}
		return changed;
	}

	/* Begins the next packet of a node whose class the design takes. */
	void begin(uint32_t n) {
		Sender &s = senders[n];
		for (uint32_t k = 1; k <= setup.classes; k++) {
			uint32_t c = (s.last + k) % setup.classes;
			const carousel_offered *o = carousel_offer_of(io, n, c);
			if (!o || !(in_ready[n] >> c & 1)) continue;
			if (o->id >> 20) {
				fault = "more than 2^20 packets are inside";
				return;
			}
			if (o->id >= source.size()) source.resize(2 * o->id + 64);
			source[o->id] = n;
			s.class_ = int(c), s.last = c, s.left = o->phits;
			s.flit = uint64_t(1) << 63 | uint64_t(o->destination) << 36 | uint64_t(n) << 20 | o->id;
			carousel_take(io, n, c, 1);
			return;
		}
	}

	/* Puts the flits that nodes send in this cycle on the wires. */
	void send() {
		for (uint32_t n = 0; n < setup.nodes; n++) {
			Sender &s = senders[n];
			if (s.class_ < 0 && io->ready[n]) begin(n);
			if (s.class_ < 0 || !(in_ready[n] >> s.class_ & 1)) continue;
			uint64_t flit = s.flit | uint64_t(s.left == 1) << 62;
			std::memcpy(in_flit + 8 * n, &flit, 8);
			in_valid[n] = uint8_t(1u << s.class_);
			s.flit &= ~(uint64_t(1) << 63);
			if (--s.left == 0) s.class_ = -1;
		}
	}

	/* Takes the flit that leaves at a node. */
	void leave(uint32_t n) {
		uint32_t valid = out_take ? out_valid[n] : out_valid[n] & out_ready[n];
		if (!valid) return;
		uint64_t flit;
		std::memcpy(&flit, out_flit + 8 * n, 8);
		uint32_t c = uint32_t(__builtin_ctz(valid)), id = uint32_t(flit & 0xfffff);
		bool head = flit >> 63 & 1, tail = flit >> 62 & 1;
		const char *wrong = nullptr;
		if (valid & (valid - 1) || c >= setup.classes) wrong = "out_valid must have one bit, of a class that is used";
		else if (id >= source.size()) wrong = "no packet has this number";
		else if (head == (queue(n, c).leaving != nothing)) wrong = head ? "the tail of the packet before it is missing" : "its head is missing";
		else if (!head && queue(n, c).leaving != id) wrong = "another packet is leaving in this class";
		if (wrong) {
			char text[200];
			snprintf(text, sizeof text, "node %u receives flit %016llx of packet %u with out_valid %02x: %s", n, (unsigned long long)flit, id, valid, wrong);
			fault = text;
			return;
		}
		Queue &q = queue(n, c);
		if (head) q.leaving = id, q.hops = uint32_t(flit >> 52 & 0x3ff), q.reserved += !out_take;
		if (!tail) return;
		carousel_arrive(io, id, n, q.hops ? q.hops : distance(source[id], n));
		q.leaving = nothing, q.reserved -= q.reserved > 0;
	}

	void cycle() {
		top.clk = 0;
		if (sinks()) top.eval(); /* else in_ready is as the last edge left it */
		std::memset(in_valid, 0, setup.nodes);
		send();
		top.eval();
		for (uint32_t n = 0; n < setup.nodes; n++) {
			for (uint32_t c = 0; out_take && c < setup.classes; c++) queue(n, c).reserved += out_take[n] >> c & 1;
			leave(n);
		}
		top.clk = 1;
		top.eval();
	}

	void reset() {
		uint8_t *longest = longest_of(top, 0);
		for (uint32_t c = 0; c < longest_size(top, nullptr); c++)
			longest[c] = uint8_t(c < setup.classes ? setup.class_longest[c] : setup.longest);
		top.rst = 1;
		for (int i = 0; i < 4; i++) top.clk = 0, top.eval(), top.clk = 1, top.eval();
		top.rst = 0, top.clk = 0, top.eval();
	}
};

int explain(void *network, char *into, size_t capacity) { return snprintf(into, capacity, "%s", static_cast<Bridge *>(network)->fault.c_str()); }

} // namespace

void *carousel_router_create(const carousel_setup *setup, carousel_shape *shape, char *error, size_t capacity) {
	auto b = std::make_unique<Bridge>();
	size_t nodes = sizeof b->top.in_flit / 8;
	b->setup = *setup;
	if (nodes != setup->nodes) {
		snprintf(error, capacity, "in_flit of the design has flits of 64 bits for %zu nodes; %u nodes are asked for", nodes, setup->nodes);
		return nullptr;
	}
	b->reset();
	if (b->top.classes < setup->classes) {
		snprintf(error, capacity, "the design has %u classes; %u are asked for", unsigned(b->top.classes), setup->classes);
		return nullptr;
	}
	for (uint32_t c = 0; c < setup->classes; c++) {
		bool ready = false;
		for (uint32_t n = 0; n < setup->nodes; n++) ready |= b->in_ready[n] >> c & 1;
		if (ready) continue;
		snprintf(error, capacity, "in_ready of class %u is 0 at all nodes after the reset; do packets of %u phits fit into the design's buffers?", c, setup->class_longest[c]);
		return nullptr;
	}
	shape->flags = CAROUSEL_HEEDS_ROOM;
#ifdef BRIDGE_EVERY_CYCLE
	shape->flags |= CAROUSEL_EVERY_CYCLE;
#endif
#ifndef BRIDGE_CLASSES_WAIT
	shape->flags |= CAROUSEL_KEEPS_CLASSES_APART;
#endif
	shape->explain = explain;
	b->queues.resize(size_t(setup->nodes) * setup->classes);
	b->senders.resize(setup->nodes);
	for (Sender &s : b->senders) s.last = setup->classes - 1;
	return b.release();
}

void carousel_router_attach(void *network, carousel_io *io) { static_cast<Bridge *>(network)->io = io; }

int carousel_router_run(void *network) {
	auto b = static_cast<Bridge *>(network);
	for (carousel_io *io = b->io; io->now < io->until && !io->taken && !io->arrived && b->fault.empty(); io->now++) b->cycle();
	return !b->fault.empty();
}

void carousel_router_destroy(void *network) { delete static_cast<Bridge *>(network); }
