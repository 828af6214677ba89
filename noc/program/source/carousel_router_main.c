/*
 * carousel_router_main.c: the frame of a network that runs as a program. Compile it with the network; it is
 * C and C++. It decodes the messages of Carousel on standard input, keeps carousel_io, calls the four
 * functions of carousel_router.h, and answers on standard output. "carousel help detachable" describes
 * the messages byte by byte. What the network prints to standard output goes to standard error.
 */
#include <stdio.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define read _read
#define write _write
#else
#include <unistd.h>
#endif
#include "carousel_router.h"

#define TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum { HEADER = 8, SETUP = 104, RUN = 24, TEXT = 1 << 16 };

/* A message: size of the body, tag, body. */
typedef struct {
	unsigned char *bytes;
	size_t size, capacity;
} buffer;

static int output; /* the true standard output */
static buffer in, out;
static size_t consumed; /* bytes of in that are decoded */

static void reserve(buffer *b, size_t size) {
	if (size <= b->capacity) return;
	b->capacity = 2 * size;
	b->bytes = (unsigned char *)realloc(b->bytes, b->capacity);
	if (!b->bytes) abort();
}

static void append(buffer *b, const void *from, size_t size) {
	reserve(b, b->size + size);
	if (size) memcpy(b->bytes + b->size, from, size);
	b->size += size;
}

/* Numbers are little-endian whatever the machine. */
static uint64_t number(const unsigned char *at, int size) {
	uint64_t n = 0;
	while (size--) n = n << 8 | at[size];
	return n;
}
static uint32_t get32(const unsigned char *at) { return (uint32_t)number(at, 4); }
static void put(uint64_t n, int size) {
	unsigned char bytes[8];
	for (int i = 0; i < size; i++) bytes[i] = (unsigned char)(n >> 8 * i);
	append(&out, bytes, (size_t)size);
}
static void put32(uint32_t n) { put(n, 4); }

static void begin(uint32_t tag) { out.size = 0, put32(0), put32(tag); }
static void send(void) {
	uint32_t body = (uint32_t)out.size - HEADER;
	for (int i = 0; i < 4; i++) out.bytes[i] = (unsigned char)(body >> 8 * i);
	for (size_t sent = 0; sent < out.size;) {
		long n = (long)write(output, out.bytes + sent, (unsigned)(out.size - sent));
		if (n <= 0) exit(1); /* Carousel has ended */
		sent += (size_t)n;
	}
}
static void send_text(uint32_t tag, const char *text) { begin(tag), append(&out, text, strlen(text)), send(); }

/* Waits for the next message; returns its body, or NULL at the end of standard input. */
static unsigned char *receive(uint32_t *tag, uint32_t *size) {
	memmove(in.bytes, in.bytes + consumed, in.size - consumed);
	in.size -= consumed, consumed = 0;
	for (;;) {
		if (in.size >= HEADER && in.size - HEADER >= get32(in.bytes)) break;
		reserve(&in, in.size >= HEADER ? HEADER + (size_t)get32(in.bytes) : 4096);
		long n = (long)read(0, in.bytes + in.size, (unsigned)(in.capacity - in.size));
		if (n <= 0) return NULL;
		in.size += (size_t)n;
	}
	*size = get32(in.bytes), *tag = get32(in.bytes + 4), consumed = HEADER + (size_t)*size;
	return in.bytes + HEADER;
}

static void *zeros(size_t count, size_t size) {
	void *p = calloc(count ? count : 1, size);
	if (!p) abort();
	return p;
}

static char *text_of(const unsigned char *at, uint32_t size) {
	char *text = (char *)zeros((size_t)size + 1, 1);
	memcpy(text, at, size);
	return text;
}

static carousel_setup setup;
static carousel_shape shape;
static carousel_io io;
static uint64_t *sets;
static char text[TEXT];

/* NEWN: makes the network and answers with its shape. */
static void *create(const unsigned char *b, uint32_t size) {
	if (size < SETUP || get32(b) != CAROUSEL_ROUTER_VERSION) {
		snprintf(text, TEXT, "version %u of the interface is asked for, and the program has version %u", size < 4 ? 0 : get32(b), CAROUSEL_ROUTER_VERSION);
		send_text(TAG('F', 'A', 'I', 'L'), text);
		return NULL;
	}
	setup.version = get32(b), setup.nodes = get32(b + 4), setup.classes = get32(b + 8), setup.longest = get32(b + 12);
	setup.seed = number(b + 16, 8);
	setup.dimensions = get32(b + 56), setup.rings = get32(b + 60);
	for (int i = 0; i < 8; i++) setup.class_longest[i] = get32(b + 24 + 4 * i), setup.radix[i] = get32(b + 64 + 4 * i);
	setup.topology = text_of(b + SETUP, get32(b + 96));
	setup.options = text_of(b + SETUP + get32(b + 96), get32(b + 100));
	void *network = carousel_router_create(&setup, &shape, text, TEXT);
	if (!network) {
		send_text(TAG('F', 'A', 'I', 'L'), text);
		return NULL;
	}
	uint32_t routers = shape.routers ? shape.routers : setup.nodes, queues = setup.nodes * setup.classes;
	io.nodes = setup.nodes, io.classes = setup.classes, io.words = (setup.nodes + 63) / 64, io.routers = routers, io.links = shape.links;
	io.ready = (uint8_t *)zeros(io.nodes, 1);
	io.offer = (carousel_offered *)zeros(queues, sizeof *io.offer);
	io.room = (uint32_t *)zeros(queues, sizeof *io.room);
	io.take = (uint32_t *)zeros(queues, sizeof *io.take);
	io.arrive = (carousel_arrived *)zeros(io.capacity = queues, sizeof *io.arrive);
	io.link_phits = (uint64_t *)zeros(io.links, sizeof *io.link_phits);
	io.events = (uint64_t(*)[CAROUSEL_EVENTS])zeros(routers, sizeof *io.events);
	sets = (uint64_t *)zeros(shape.flags & CAROUSEL_TAKES_SETS ? (size_t)queues * io.words : 0, sizeof *sets);
	for (uint32_t i = 0; i < queues; i++) io.room[i] = CAROUSEL_UNLIMITED;

	begin(TAG('S', 'H', 'A', 'P'));
	const uint32_t fields[] = {CAROUSEL_ROUTER_VERSION, shape.flags, shape.longest, shape.routers, shape.links, shape.place != NULL,
		shape.phit_bits, shape.ports, shape.virtual_channels, shape.buffers, shape.depth, shape.crossbar, shape.explain != NULL, shape.check != NULL, 0, 0};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) put32(fields[i]);
	for (uint32_t i = 0; i < shape.links; i++) put32(shape.link[i].from), put32(shape.link[i].to), put(shape.link[i].out, 2), put(shape.link[i].in, 2);
	for (uint32_t i = 0; shape.place && i < io.nodes; i++)
		put32(shape.place[i].entry), put32(shape.place[i].exit), put(shape.place[i].entry_port, 2), put(shape.place[i].exit_port, 2);
	carousel_router_attach(network, &io);
	send();
	return network;
}

/* RUNC: puts new offers and places into io, lets the network run, and answers with what happened. */
static void run(void *network, const unsigned char *b) {
	const unsigned char *at = b + RUN;
	io.now = number(b, 8), io.until = number(b + 8, 8), io.taken = io.arrived = 0;
	for (uint32_t k = get32(b + 16); k > 0; k--, at += 16) {
		uint32_t source = get32(at + 4), class_ = at[14], i = source * io.classes + class_;
		carousel_offered *o = &io.offer[i];
		o->id = get32(at), o->source = source, o->destination = get32(at + 8), o->phits = (uint16_t)number(at + 12, 2), o->class_ = (uint8_t)class_;
		if (shape.flags & CAROUSEL_TAKES_SETS) {
			uint64_t *set = &sets[(size_t)i * io.words];
			for (uint32_t w = 0; w < io.words; w++, at += 8) set[w] = number(at + 16, 8);
			o->set = set;
		}
		io.ready[source] |= (uint8_t)(1u << class_);
	}
	for (uint32_t k = get32(b + 20); k > 0; k--, at += 8) io.room[get32(at)] = get32(at + 4);
	int failed = carousel_router_run(network);
	if (failed) {
		int n = snprintf(text, TEXT, "run returned %d", failed);
		if (shape.explain) text[n] = ':', text[n + 1] = ' ', shape.explain(network, text + n + 2, TEXT - 100);
		send_text(TAG('F', 'A', 'I', 'L'), text);
		exit(1);
	}
	begin(TAG('D', 'O', 'N', 'E'));
	put(io.now, 8), put32(io.inside), put32(io.taken), put32(io.arrived), put32(0);
	for (uint32_t i = 0; i < io.taken; i++) put32(io.take[i]);
	for (uint32_t i = 0; i < io.arrived; i++) put32(io.arrive[i].id), put32(io.arrive[i].node), put32(io.arrive[i].hops);
	send();
}

/* COUN: answers with the counters of links and routers. */
static void count(void) {
	begin(TAG('S', 'U', 'M', 'S'));
	for (uint32_t i = 0; i < io.links; i++) put(io.link_phits[i], 8);
	for (uint32_t i = 0; shape.flags & CAROUSEL_COUNTS_EVENTS && i < io.routers; i++)
		for (int e = 0; e < CAROUSEL_EVENTS; e++) put(io.events[i][e], 8);
	send();
}

static void ask(int (*what)(void *, char *, size_t), void *network) {
	text[0] = 0;
	if (what) what(network, text, TEXT);
	send_text(TAG('T', 'E', 'X', 'T'), text);
}

int main(void) {
	uint32_t tag, size;
	unsigned char *body;
	void *network = NULL;
#ifdef _WIN32
	_setmode(0, _O_BINARY), _setmode(1, _O_BINARY);
#endif
	output = dup(1), dup2(2, 1);
	setvbuf(stdout, NULL, _IONBF, 0);
#ifdef _WIN32
	_setmode(output, _O_BINARY);
#endif
	reserve(&in, 4096);
	while ((body = receive(&tag, &size)) != NULL) {
		if (tag == TAG('N', 'E', 'W', 'N') && !network) {
			if (!(network = create(body, size))) return 1;
		} else if (tag == TAG('R', 'U', 'N', 'C') && network) {
			run(network, body);
		} else if (tag == TAG('C', 'O', 'U', 'N') && network) {
			count();
		} else if (tag == TAG('E', 'X', 'P', 'L') && network) {
			ask(shape.explain, network);
		} else if (tag == TAG('C', 'H', 'E', 'C') && network) {
			ask(shape.check, network);
		} else {
			fprintf(stderr, "the frame does not know message %08x of %u bytes\n", tag, size);
			return 1;
		}
	}
	if (network) carousel_router_destroy(network);
	return 0;
}
