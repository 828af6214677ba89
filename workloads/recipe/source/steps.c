/* A decoder and interpreter of many instructions, as emulators have: each instance of this program compiles it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#ifndef SEED
#define SEED 1
#endif
struct cell { uint64_t value; int32_t count; uint16_t tag; uint8_t flag; struct cell *next; };
static struct cell memory[4096];
static uint64_t r[64];
static double f[64];
#define A(n) ((n * 7 + SEED * 3) % 64)
#define B(n) ((n * 13 + SEED * 5 + 1) % 64)
#define C(n) ((n * 29 + SEED * 11 + 2) % 64)
#define CASE(n) case n: { \
	struct cell *c = &memory[(r[A(n)] + n) % 4096]; \
	uint64_t x = r[B(n)] ^ (r[C(n)] << (n % 31 + 1)); \
	for (uint64_t i = 0; i < (x & (n % 7 + 1)); i++) { \
		if (c->tag > n % 100 && c->next) c = c->next; \
		else if (c->flag & 1) { x += c->value * (n + 3); f[B(n)] += (double)c->count / (1.0 + (double)i); } \
		else { c->count -= (int32_t)(x >> (i + n % 5)); c->flag ^= (uint8_t)(n & 255); } \
	} \
	r[A(n)] = x + (c->value >> (n % 13)); f[C(n)] = f[A(n)] * 1.5 - f[B(n)]; \
	if (r[C(n)] % (n + 2) == 0) { memcpy(c, &memory[n % 4096], sizeof *c); goto done; } \
	break; }
#define TEN(n) CASE((n*10+0)) CASE((n*10+1)) CASE((n*10+2)) CASE((n*10+3)) CASE((n*10+4)) CASE((n*10+5)) CASE((n*10+6)) CASE((n*10+7)) CASE((n*10+8)) CASE((n*10+9))
#define HUNDRED(n) TEN((n*10+0)) TEN((n*10+1)) TEN((n*10+2)) TEN((n*10+3)) TEN((n*10+4)) TEN((n*10+5)) TEN((n*10+6)) TEN((n*10+7)) TEN((n*10+8)) TEN((n*10+9))
#define STEP(k) static int step##k(unsigned op) { switch (op) { HUNDRED(k) default: return 1; } done: return op % 3 == k % 3; }
STEP(1) STEP(2) STEP(3)
int main(void)
{
	unsigned op = SEED;
	for (int i = 0; i < 1000000; i++) {
		op = op * 1664525u + 1013904223u;
		switch (op >> 30) {
		case 0: step1(op % 100 + 100); break; case 1: step2(op % 100 + 200); break;
		default: step3(op % 100 + 300); break;
		}
	}
	printf("%llu\n", (unsigned long long)r[SEED % 64]);
	return 0;
}
