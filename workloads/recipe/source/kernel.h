/* What the kernels share: marks of the region of interest, and the random numbers of the NAS Parallel
 * Benchmarks. */
#ifndef CAROUSEL_KERNEL_H
#define CAROUSEL_KERNEL_H

#include <stdint.h>

/* The benchmarks' classes: S checks them; W or A, with -DCLASS_W or -DCLASS_A, is recorded. */
#if defined CLASS_A
#define CLASS "A"
#define BY_CLASS(s, w, a) a
#elif defined CLASS_W
#define CLASS "W"
#define BY_CLASS(s, w, a) w
#else
#define CLASS "S"
#define BY_CLASS(s, w, a) s
#endif

/* Instructions that do nothing, at which carousel trace record --markers begins and ends; on RISC-V those of
 * carousel run --program. */
#ifdef __riscv
#define REGION_BEGINS() __asm__ volatile("slti x0, x0, 0x7c1" ::: "memory")
#define REGION_ENDS() __asm__ volatile("slti x0, x0, 0x7c2" ::: "memory")
#else
#define REGION_BEGINS() __asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x00, 0xa7, 0x0c" ::: "memory")
#define REGION_ENDS() __asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x02, 0x00, 0xa7, 0x0c" ::: "memory")
#endif

/* The benchmarks' generator: x becomes a x modulo 2^46, and x / 2^46 is the number (NAS Parallel Benchmarks,
 * RNR-94-007, section 2.3). The low 46 bits of a product need its low 64 bits only. */
#define RANDOM_SEED 314159265ull
#define RANDOM_FACTOR 1220703125ull
#define RANDOM_MASK ((1ull << 46) - 1)

static inline double random_next(uint64_t *x)
{
	*x = *x * RANDOM_FACTOR & RANDOM_MASK;
	return (double)*x * 0x1p-46;
}

/* random_at is the state of the generator after so many numbers. */
static inline uint64_t random_at(uint64_t count)
{
	uint64_t x = RANDOM_SEED, power = RANDOM_FACTOR;
	for (; count > 0; count >>= 1, power = power * power & RANDOM_MASK)
		if (count & 1)
			x = x * power & RANDOM_MASK;
	return x;
}

#endif
