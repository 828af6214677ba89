/*
 * Sends a schedule of packets through a network and prints a digest of what arrives.
 *
 *     client CONFIGURATION SCHEDULE CYCLES
 *
 * A line of the schedule is a packet with one destination: cycle source tag phits class destination.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carousel.h"

static void fail(carousel_network network, const char *doing) {
	char text[500];
	carousel_error(network, text, sizeof text);
	fprintf(stderr, "%s: %s\n", doing, text);
	exit(1);
}

static uint64_t mix(uint64_t z) {
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int main(int argc, char **argv) {
	enum { BATCH = 1000, ROOM = 256 };
	static carousel_packet packets[BATCH + 1];
	static uint32_t to[BATCH + 1];
	static carousel_delivery arrived[ROOM];
	if (argc != 4) return 2;
	FILE *file = fopen(argv[2], "r");
	uint64_t cycles = strtoull(argv[3], NULL, 10), digest = 0, copies = 0;
	if (!file) return 2;
	carousel_network network = carousel_open(argv[1]);
	if (network < 0) fail(0, "open");

	size_t count = 0;
	for (int more = 1; more;) {
		unsigned long cycle;
		unsigned source, tag, phits, class_, node;
		more = fscanf(file, "%lu %u %u %u %u %u", &cycle, &source, &tag, &phits, &class_, &node) == 6;
		if (more) {
			to[count] = node;
			packets[count] = (carousel_packet){.cycle = cycle, .destinations = &to[count], .count = 1, .source = source,
				.tag = tag, .phits = (uint16_t)phits, .class_ = (uint8_t)class_};
			count++;
		}
		/* A batch ends at a change of cycle, so that no packet comes too late. */
		if (more && (count <= BATCH / 2 || packets[count - 1].cycle == packets[count - 2].cycle) && count <= BATCH) continue;
		size_t offered = more ? count - 1 : count;
		if (carousel_run(network, packets, offered, more ? packets[offered].cycle : cycles) < 0) fail(network, "run");
		for (int64_t n; (n = carousel_deliveries(network, arrived, ROOM)) != 0;) {
			if (n < 0) fail(network, "deliveries");
			for (int64_t i = 0; i < n; i++) {
				const carousel_delivery *d = &arrived[i];
				uint64_t latency = d->arrived - d->offered;
				digest = mix(digest ^ (d->arrived << 24) + d->node);
				digest = mix(digest ^ (latency << 32) + ((uint64_t)d->source << 12) + ((uint64_t)d->hops << 3) + d->class_);
				copies++;
			}
		}
		if (more) {
			packets[0] = packets[offered];
			to[0] = to[offered];
			packets[0].destinations = &to[0];
			count = 1;
		}
	}
	carousel_totals totals;
	if (carousel_sums(network, &totals) < 0) fail(network, "sums");
	if (totals.delivered != copies || totals.waiting != 0) return 3;
	printf("%016llx %llu %.9g\n", (unsigned long long)digest, (unsigned long long)copies, totals.dynamic_joules + totals.static_joules);
	char text[500];
	if (carousel_run(network, packets, SIZE_MAX, cycles) != CAROUSEL_USAGE) return 5;
	if (carousel_error(network, text, SIZE_MAX) < 0 || !strstr(text, "at most")) return 6;
	if (carousel_deliveries(network, arrived, SIZE_MAX) != 0) return 7;
	if (carousel_deliveries(network, NULL, 5) != CAROUSEL_USAGE || carousel_deliveries(network, NULL, 0) != 0) return 8;
	if (carousel_step(network, UINT64_MAX) != CAROUSEL_USAGE || carousel_error(network, text, sizeof text) < 0 || !strstr(text, "until")) return 9;
	if (carousel_close(network) < 0 || carousel_nodes(network) != CAROUSEL_HANDLE) return 4;
	fclose(file);
	return 0;
}
