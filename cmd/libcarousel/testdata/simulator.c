/*
 * Uses the library as a simulator of cores does: bounded sinks, idle cycles left out, a step beside other work, packets
 * in flight, sums that start again. It prints "ok", or the line of the first check that fails.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carousel.h"

static const char *router;

static void check(int holds, int line) {
	if (holds) return;
	printf("router %s: the check in line %d fails\n", router, line);
	exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

/* Whether the network's last error contains a text. */
static int says(carousel_network network, const char *what) {
	char text[500];
	CHECK(carousel_error(network, text, sizeof text) > 0);
	return strstr(text, what) != NULL;
}

static int offer(carousel_network network, uint32_t source, uint32_t destination, uint32_t tag, uint8_t class_) {
	carousel_packet p = {.destinations = &destination, .count = 1, .source = source, .tag = tag, .phits = 5, .class_ = class_};
	return carousel_offer(network, &p, 1, NULL) == 1;
}

/* Steps until the network can do nothing more, or for long enough, and returns the number of deliveries. */
static int settle(carousel_network network, carousel_delivery *into, int room) {
	int count = 0;
	int64_t end = carousel_now(network) + 1000;
	for (int64_t next; (next = carousel_next(network)) < end;) {
		int64_t now = carousel_now(network);
		CHECK(next >= now);
		CHECK(carousel_step(network, (uint64_t)next + 1) >= now);
		int64_t n = carousel_deliveries(network, into + count, (size_t)(room - count));
		CHECK(n >= 0);
		for (int64_t i = 0; i < n; i++) CHECK((int64_t)into[count + i].arrived >= next);
		count += (int)n;
	}
	return count;
}

static void sinks(carousel_network network) {
	carousel_delivery arrived[16];
	CHECK(carousel_free_sink(network, 9, 2) == CAROUSEL_USAGE && says(network, "has no limit"));
	CHECK(carousel_limit_sink(network, 9, 2, 2) == 0);
	for (uint32_t i = 0; i < 5; i++) CHECK(offer(network, i, 9, 100 + i, 2));
	CHECK(offer(network, 6, 9, 200, 3));
	CHECK(settle(network, arrived, 16) == 3); /* two of class 2, and the one of class 3 */
	carousel_owed owed[8];
	CHECK(carousel_pending(network, NULL, 0) == 3 && carousel_pending(network, owed, 2) == 3 && carousel_pending(network, owed, 8) == 3);
	for (int i = 0; i < 3; i++) CHECK(owed[i].node == 9 && owed[i].class_ == 2 && owed[i].phits == 5 && owed[i].tag == 100 + owed[i].source && owed[i].offered == 0);
	CHECK(owed[0].tag < owed[1].tag && owed[1].tag < owed[2].tag);
	CHECK(carousel_free_sink(network, 9, 2) == 0);
	CHECK(settle(network, arrived, 16) == 1 && carousel_pending(network, NULL, 0) == 2);
	CHECK(carousel_limit_sink(network, 9, 2, 4) == 0);
	CHECK(settle(network, arrived, 16) == 2 && carousel_pending(network, NULL, 0) == 0);
	for (int i = 0; i < 4; i++) CHECK(carousel_free_sink(network, 9, 2) == 0);
	CHECK(carousel_free_sink(network, 9, 2) == CAROUSEL_USAGE && says(network, "no place"));
	CHECK(carousel_limit_sink(network, 64, 0, 1) == CAROUSEL_USAGE && says(network, "nodes 0 to 63"));
	CHECK(carousel_free_sink(network, 0, 6) == CAROUSEL_USAGE && says(network, "classes 0 to 5"));
	CHECK(carousel_limit_sink(network, 0, 0, UINT32_MAX) == CAROUSEL_USAGE && says(network, "at most"));
	CHECK(carousel_pending(network, NULL, 3) == CAROUSEL_USAGE);
}

static void sums(carousel_network network) {
	carousel_totals before, after;
	CHECK(carousel_sums(network, &before) == 0 && before.delivered == 6 && before.dynamic_joules > 0);
	CHECK(offer(network, 0, 63, 1, 0) && carousel_reset_sums(network) == 0);
	CHECK(carousel_sums(network, &after) == 0);
	CHECK(after.cycles == 0 && after.offered == 0 && after.delivered == 0 && after.phit_hops == 0 && after.owed == 1);
	CHECK(after.dynamic_joules == 0 && after.static_joules == 0);
	carousel_delivery arrived[4];
	int64_t now = carousel_now(network);
	CHECK(settle(network, arrived, 4) == 1 && carousel_sums(network, &after) == 0);
	CHECK(after.delivered == 1 && after.phit_hops == 5u * arrived[0].hops && (int64_t)after.cycles == carousel_now(network) - now);
	CHECK(after.dynamic_joules > 0 && after.dynamic_joules < before.dynamic_joules);
}

static void beside(carousel_network network) {
	carousel_delivery arrived[4];
	int64_t now = carousel_now(network);
	CHECK(carousel_done(network) == 1);
	CHECK(offer(network, 3, 60, 7, 1) && carousel_start(network, (uint64_t)now + 100000) == 0);
	while (carousel_done(network) == 0) {} /* the cores' work */
	int64_t end = carousel_now(network);
	CHECK(end > now && end < now + 100000 && carousel_deliveries(network, arrived, 4) == 1 && arrived[0].tag == 7 && (int64_t)arrived[0].arrived == end);
	CHECK(carousel_start(network, UINT64_MAX) == CAROUSEL_USAGE && carousel_start(network, (uint64_t)end + 1000) == 0);
	CHECK(carousel_step(network, (uint64_t)end + 1001) == end + 1001); /* waits for the step that runs */
	CHECK(carousel_done(-5) == CAROUSEL_HANDLE);
}

int main(void) {
	static const char *routers[] = {"base", "base-mc", "rr", "mrr", "wormhole", "ideal"};
	for (size_t i = 0; i < sizeof routers / sizeof *routers; i++) {
		char configuration[100];
		router = routers[i];
		snprintf(configuration, sizeof configuration, "{\"topology\": \"torus:8x8\", \"routers\": [\"%s\"]}", router);
		carousel_network network = carousel_open(configuration);
		CHECK(network > 0);
		CHECK(carousel_in_order(network) == (i < 2) && carousel_next(network) == INT64_MAX);
		sinks(network);
		if (strcmp(router, "ideal") != 0) sums(network); /* it counts all links of a packet when the packet is offered */
		beside(network);
		CHECK(carousel_start(network, 1000000) == 0 && carousel_close(network) == 0 && carousel_now(network) == CAROUSEL_HANDLE);
	}
	puts("ok");
	return 0;
}
