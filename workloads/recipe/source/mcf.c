/* Minimum-cost flow by the primal network simplex method, for a random network of the given seed: what 181.mcf of
 * SPEC CPU2000 does. Nodes and arcs are records that point at each other; pivots walk the spanning tree, and the
 * search for arcs to enter walks all arcs, block by block.
 *
 * The end checks itself: the flow is feasible, and potentials prove that no other is cheaper. */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 10000, ARCS = 60000, SOURCES = 1000, BLOCK = 600, PIVOTS_BEFORE = 20000, MOST_PIVOTS = 10000000 };

#define DEAR 1000000000ll /* cost of an arc that must not carry anything in the end */

typedef struct node node;
typedef struct arc arc;

struct node {
	int64_t potential, flow; /* flow is that of the arc to the parent */
	int64_t supply;
	node *parent, *child, *left, *right; /* of the spanning tree; children of a node are a list */
	arc *basic;                          /* the arc to the parent */
	int depth;
	int up; /* whether that arc leads to the parent */
};

enum state { AT_LOWER, IN_TREE, AT_UPPER };

struct arc {
	node *tail, *head;
	int64_t cost, capacity;
	enum state state;
};

static node nodes[NODES + 1]; /* the last is the root */
static arc arcs[ARCS + NODES + NODES];
static int arc_count;
static node *const root = &nodes[NODES];
static uint64_t state_of_random;

static int64_t below(int64_t n) { return (int64_t)(random_next(&state_of_random) * (double)n); }

static arc *add_arc(node *tail, node *head, int64_t cost, int64_t capacity, enum state state)
{
	arcs[arc_count] = (arc){tail, head, cost, capacity, state};
	return &arcs[arc_count++];
}

static void adopt(node *parent, node *n)
{
	n->parent = parent;
	n->left = NULL;
	n->right = parent->child;
	if (n->right)
		n->right->left = n;
	parent->child = n;
}

static void leave(node *n)
{
	if (n->left)
		n->left->right = n->right;
	else
		n->parent->child = n->right;
	if (n->right)
		n->right->left = n->left;
}

/* make_network connects sources to sinks by arcs that are mostly short, and makes the tree of dear arcs to the
 * root with which the method begins. A dear ring makes sure that there is a solution. */
static void make_network(unsigned seed)
{
	int64_t total = 0;
	state_of_random = random_at(1000000ull * (seed + 1));
	for (int i = 0; i < SOURCES; i++) {
		int64_t supply = 5 + below(50);
		nodes[i].supply += supply;
		nodes[NODES - 1 - below(SOURCES)].supply -= supply;
		total += supply;
	}
	for (int i = 0; i < NODES; i++)
		add_arc(&nodes[i], &nodes[(i + 1) % NODES], 20000, total, AT_LOWER);
	for (int i = 0; i < ARCS; i++) {
		int64_t tail = below(NODES), reach = below(10) ? 1 + below(NODES / 10) : 1 + below(NODES - 1);
		add_arc(&nodes[tail], &nodes[(tail + reach) % NODES], 1 + below(1000), 5 + below(80), AT_LOWER);
	}
	for (int i = 0; i < NODES; i++) {
		node *n = &nodes[i];
		n->up = n->supply >= 0;
		n->basic = n->up ? add_arc(n, root, DEAR, total, IN_TREE) : add_arc(root, n, DEAR, total, IN_TREE);
		n->flow = n->up ? n->supply : -n->supply;
		n->potential = n->up ? DEAR : -DEAR;
		n->depth = 1;
		adopt(root, n);
	}
}

/* gain is by how much a unit of flow through the arc, in the direction in which it can change, lowers the cost. */
static inline int64_t gain(const arc *a)
{
	int64_t reduced = a->cost - a->tail->potential + a->head->potential;
	return a->state == AT_LOWER ? -reduced : a->state == AT_UPPER ? reduced : 0;
}

/* enter finds the best arc of the next block that has a good one; NULL when no arc is left. */
static arc *enter(void)
{
	static int at;
	for (int looked = 0; looked < arc_count;) {
		arc *best = NULL;
		int64_t most = 0;
		for (int i = 0; i < BLOCK && looked < arc_count; i++, looked++) {
			int64_t g = gain(&arcs[at]);
			if (g > most)
				most = g, best = &arcs[at];
			at = at + 1 == arc_count ? 0 : at + 1;
		}
		if (best)
			return best;
	}
	return NULL;
}

/* room is how much more the arc above n can carry, upwards or downwards. */
static inline int64_t room(const node *n, int upwards) { return n->up == upwards ? n->basic->capacity - n->flow : n->flow; }

static node *join_of(node *a, node *b)
{
	while (a != b)
		if (a->depth >= b->depth)
			a = a->parent;
		else
			b = b->parent;
	return a;
}

/* refresh walks the subtree of top and sets depths and potentials from those above. */
static void refresh(node *top)
{
	for (node *n = top;;) {
		n->depth = n->parent->depth + 1;
		n->potential = n->parent->potential + (n->up ? n->basic->cost : -n->basic->cost);
		if (n->child) {
			n = n->child;
			continue;
		}
		while (n != top && !n->right)
			n = n->parent;
		if (n == top)
			return;
		n = n->right;
	}
}

/* hang makes the node at which the arc enters a child of other, and turns the path from it to the node whose
 * arc leaves the tree upside down. */
static void hang(node *n, node *other, arc *a, int64_t flow, node *last)
{
	node *parent = other, *top = n;
	int up = a->tail == n;
	for (;;) {
		node *next = n->parent;
		arc *old = n->basic;
		int64_t old_flow = n->flow;
		int old_up = n->up;
		leave(n);
		adopt(parent, n);
		n->basic = a, n->flow = flow, n->up = up;
		if (n == last)
			break;
		parent = n, n = next;
		a = old, flow = old_flow, up = !old_up;
	}
	refresh(top);
}

/* pivot sends as much as possible around the cycle that the arc closes. Of several arcs that stop it, the last one
 * on the way from the join, along the flow, leaves the tree: then the method cannot run in circles. */
static void pivot(arc *a)
{
	node *from = a->state == AT_LOWER ? a->tail : a->head, *to = a->state == AT_LOWER ? a->head : a->tail;
	node *join = join_of(from, to), *last = NULL;
	int64_t most = a->capacity;
	int on_from_side = 0;
	for (node *n = from; n != join; n = n->parent)
		if (room(n, 0) < most)
			most = room(n, 0), last = n, on_from_side = 1;
	for (node *n = to; n != join; n = n->parent)
		if (room(n, 1) <= most)
			most = room(n, 1), last = n, on_from_side = 0;

	for (node *n = from; n != join; n = n->parent)
		n->flow += n->up ? -most : most;
	for (node *n = to; n != join; n = n->parent)
		n->flow += n->up ? most : -most;
	if (!last) {
		a->state = a->state == AT_LOWER ? AT_UPPER : AT_LOWER;
		return;
	}
	int64_t flow = a->state == AT_LOWER ? most : a->capacity - most;
	last->basic->state = last->flow == 0 ? AT_LOWER : AT_UPPER;
	a->state = IN_TREE;
	hang(on_from_side ? from : to, on_from_side ? to : from, a, flow, last);
}

/* proven checks the flow and the proof of its optimality, and adds up the cost. */
static int proven(int64_t *cost)
{
	static int64_t left[NODES + 1];
	int good = 1;
	for (int i = 0; i < NODES; i++) {
		left[i] += nodes[i].supply;
		arc *a = nodes[i].basic;
		good = good && nodes[i].flow >= 0 && nodes[i].flow <= a->capacity;
		good = good && a->cost - a->tail->potential + a->head->potential == 0;
		good = good && (a->cost < DEAR || nodes[i].flow == 0);
		left[a->tail - nodes] -= nodes[i].flow;
		left[a->head - nodes] += nodes[i].flow;
		*cost += a->cost * nodes[i].flow;
	}
	for (int i = 0; i < arc_count; i++) {
		arc *a = &arcs[i];
		good = good && gain(a) <= 0;
		if (a->state != AT_UPPER)
			continue;
		left[a->tail - nodes] -= a->capacity;
		left[a->head - nodes] += a->capacity;
		*cost += a->cost * a->capacity;
	}
	for (int i = 0; i <= NODES; i++)
		good = good && left[i] == 0;
	return good;
}

int main(int count, char **argument)
{
	int pivots = 0;
	make_network(count > 1 ? (unsigned)atoi(argument[1]) : 0);
	for (arc *a; pivots < MOST_PIVOTS && (a = enter()); pivots++) {
		if (pivots == PIVOTS_BEFORE)
			REGION_BEGINS();
		pivot(a);
	}
	REGION_ENDS();
	int64_t cost = 0;
	int good = proven(&cost);
	printf("minimum-cost flow: %d nodes, %d arcs, %d pivots, cost %lld; %s\n", NODES, arc_count, pivots, (long long)cost,
	       good ? "verified" : "NOT VERIFIED");
	return good ? 0 : 1;
}
