/* Loads whose addresses are known to come from other loads: see TestDependences. */
#include <stdint.h>
#include <stdlib.h>

#define MARK(code) __asm__ volatile(".byte 0x0f, 0x1f, 0x80, " #code ", 0x00, 0xa7, 0x0c")

enum { NODES = 4096, ROUNDS = 4000, CHAINS = 4 };

struct node {
	struct node *next;
	uint32_t number; /* of the next node, as an index */
	char rest[52];
};

static struct node nodes[NODES] __attribute__((aligned(64)));
static double numbers[ROUNDS + CHAINS];
static volatile double sum;

/* link_up makes one ring of all nodes, in an order that no prefetcher would guess. */
static void link_up(void)
{
	static unsigned order[NODES];
	for (unsigned i = 0; i < NODES; i++)
		order[i] = i;
	for (unsigned i = NODES - 1, s = 1; i > 0; i--) {
		s = s * 1664525 + 1013904223;
		unsigned k = (s >> 8) % i, swapped = order[i];
		order[i] = order[k];
		order[k] = swapped;
	}
	for (unsigned i = 0; i < NODES; i++) {
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
		nodes[order[i]].number = order[(i + 1) % NODES];
	}
}

/* chase follows one chain of pointers. */
static struct node *chase(struct node *p)
{
	for (int i = 0; i < ROUNDS; i++)
		p = p->next;
	return p;
}

/* indices follows one chain of indices, each of which is widened, scaled and added to a base. */
static uint32_t indices(uint32_t n)
{
	for (int i = 0; i < ROUNDS; i++)
		n = nodes[n].number;
	return n;
}

/* stream has no load whose address comes from another one. */
static double stream(void)
{
	double s = 0;
	for (int i = 0; i < ROUNDS; i++)
		s += numbers[i] * 3;
	return s;
}

/* mix follows four chains at once, with a stream between them. */
static double mix(struct node *p)
{
	struct node *chain[CHAINS];
	double s = 0;
	for (int c = 0; c < CHAINS; c++)
		chain[c] = p + 31 * c;
	for (int i = 0; i < ROUNDS; i++)
		for (int c = 0; c < CHAINS; c++) {
			chain[c] = chain[c]->next;
			s += numbers[i + c];
		}
	return s + (double)(chain[0] - chain[3]);
}

int main(int count, char **words)
{
	int what = count > 1 ? words[1][0] : 0;
	link_up();
	MARK(0x01);
	if (what == 'c')
		sum = (double)(chase(nodes) - nodes);
	else if (what == 'i')
		sum = indices(0);
	else if (what == 's')
		sum = stream();
	else
		sum = mix(nodes);
	MARK(0x02);
	return 0;
}
