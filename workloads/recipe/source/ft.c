/* FT of the NAS Parallel Benchmarks, class S, W or A: a diffusion equation on 64 x 64 x 64, 128 x 128 x 32 or
 * 256 x 256 x 128 points, solved by three-dimensional fast Fourier transforms; six time steps, each checked.
 *
 * Planes of equal z belong to threads for the steps in time and for the transforms along x and y, planes of equal
 * y for those along z. Between them everybody reads what all others have written. */
#include "kernel.h"

#include <math.h>
#include <stdio.h>

enum { NX = BY_CLASS(64, 128, 256), NY = BY_CLASS(64, 128, 256), NZ = BY_CLASS(64, 32, 128), LONGEST = NX, STEPS = 6, SAMPLES = 1024 };

typedef struct {
	double re, im;
} number;

static number field[NZ][NY][NX], spectrum[NZ][NY][NX];
static double decay[NZ][NY][NX]; /* of each wave in one step */
static number root[LONGEST];     /* exp(-2 pi i k / LONGEST) */

/* The benchmark's checksums. */
static const number expected[STEPS] = {
#if defined CLASS_A
	{5.046735008193e+02, 5.114047905510e+02}, {5.059412319734e+02, 5.098809666433e+02},
	{5.069376896287e+02, 5.098144042213e+02}, {5.077892868474e+02, 5.101336130759e+02},
	{5.085233095391e+02, 5.104914655194e+02}, {5.091487099959e+02, 5.107917842803e+02},
#elif defined CLASS_W
	{5.673612178944e+02, 5.293246849175e+02}, {5.631436885271e+02, 5.282149986629e+02},
	{5.594024089970e+02, 5.270996558037e+02}, {5.560698047020e+02, 5.260027904925e+02},
	{5.530898991250e+02, 5.249400845633e+02}, {5.504159734538e+02, 5.239212247086e+02},
#else
	{5.546087004964e+02, 4.845363331978e+02}, {5.546385409189e+02, 4.865304269511e+02},
	{5.546148406171e+02, 4.883910722336e+02}, {5.545423607415e+02, 4.901273169046e+02},
	{5.544255039624e+02, 4.917475857993e+02}, {5.542683411902e+02, 4.932597244941e+02},
#endif
};

static inline number plus(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static inline number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static inline number times(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static void initialise(void)
{
	const double alpha = 1e-6, pi = acos(-1);
	for (int k = 0; k < LONGEST; k++)
		root[k] = (number){cos(2 * pi * k / LONGEST), -sin(2 * pi * k / LONGEST)};
#pragma omp parallel for schedule(static)
	for (int z = 0; z < NZ; z++) {
		uint64_t state = random_at(2ull * NX * NY * (uint64_t)z);
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++) {
				field[z][y][x].re = random_next(&state);
				field[z][y][x].im = random_next(&state);
				int kx = (x + NX / 2) % NX - NX / 2, ky = (y + NY / 2) % NY - NY / 2, kz = (z + NZ / 2) % NZ - NZ / 2;
				decay[z][y][x] = exp(-4 * alpha * pi * pi * (kx * kx + ky * ky + kz * kz));
			}
	}
}

/* pass is one pass of Stockham's transform of n points with radix 4: groups of the given stride. sign is 1 forward,
 * -1 backward. */
static inline void pass(const number *restrict from, number *restrict to, int n, int stride, int sign)
{
	int quarter = n / 4 / stride, turn = LONGEST / n * stride;
	for (int p = 0; p < quarter; p++) {
		number w1 = root[p * turn], w2 = root[2 * p * turn], w3 = root[3 * p * turn];
		w1.im *= sign, w2.im *= sign, w3.im *= sign;
		for (int q = 0; q < stride; q++) {
			number a = from[q + stride * p], b = from[q + stride * (p + quarter)];
			number c = from[q + stride * (p + 2 * quarter)], d = from[q + stride * (p + 3 * quarter)];
			number even = plus(a, c), odd = plus(b, d), left = minus(a, c), right = minus(b, d);
			number turned = {sign * right.im, -sign * right.re}; /* -i times sign times right */
			number *out = &to[q + 4 * stride * p];
			out[0] = plus(even, odd);
			out[stride] = times(w1, plus(left, turned));
			out[2 * stride] = times(w2, minus(even, odd));
			out[3 * stride] = times(w3, minus(left, turned));
		}
	}
}

/* last is the pass with radix 2 that ends a transform of 2 x stride points. */
static inline void last(const number *restrict from, number *restrict to, int stride)
{
	for (int q = 0; q < stride; q++) {
		to[q] = plus(from[q], from[q + stride]);
		to[q + stride] = minus(from[q], from[q + stride]);
	}
}

/* transform does one line of n points, a power of two, that are step apart. */
static inline void transform(number *line, int n, int step, int sign)
{
	number a[LONGEST], b[LONGEST], *from = a, *to = b;
	for (int i = 0; i < n; i++)
		a[i] = line[i * step];
	for (int stride = 1; stride < n; stride *= 4) {
		if (stride * 2 == n)
			last(from, to, stride);
		else
			pass(from, to, n, stride, sign);
		number *done = to;
		to = from, from = done;
	}
	for (int i = 0; i < n; i++)
		line[i * step] = from[i];
}

static void along_x(number f[NZ][NY][NX], int sign)
{
#pragma omp for schedule(static)
	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			transform(f[z][y], NX, 1, sign);
}

static void along_y(number f[NZ][NY][NX], int sign)
{
#pragma omp for schedule(static)
	for (int z = 0; z < NZ; z++)
		for (int x = 0; x < NX; x++)
			transform(&f[z][0][x], NY, NX, sign);
}

static void along_z(number f[NZ][NY][NX], int sign)
{
#pragma omp for schedule(static)
	for (int y = 0; y < NY; y++)
		for (int x = 0; x < NX; x++)
			transform(&f[0][y][x], NZ, NX * NY, sign);
}

/* evolve lets all waves decay for one step and leaves them in field, to be transformed back. */
static void evolve(void)
{
#pragma omp for schedule(static)
	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++) {
				number *s = &spectrum[z][y][x];
				s->re *= decay[z][y][x];
				s->im *= decay[z][y][x];
				field[z][y][x] = *s;
			}
}

static number checksum(void)
{
	number sum = {0, 0};
	for (int j = 1; j <= SAMPLES; j++)
		sum = plus(sum, field[5 * j % NZ][3 * j % NY][j % NX]);
	const double points = (double)NX * NY * NZ;
	return (number){sum.re / points, sum.im / points};
}

int main(void)
{
	int good = 0;
	initialise();
#pragma omp parallel
	{
		along_x(field, 1);
		along_y(field, 1);
		along_z(field, 1);
#pragma omp for schedule(static)
		for (int z = 0; z < NZ; z++)
			for (int y = 0; y < NY; y++)
				for (int x = 0; x < NX; x++)
					spectrum[z][y][x] = field[z][y][x];
	}
	REGION_BEGINS();
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
		{
			evolve();
			along_z(field, -1);
			along_y(field, -1);
			along_x(field, -1);
		}
		number sum = checksum(), want = expected[step];
		good += fabs(sum.re / want.re - 1) < 1e-12 && fabs(sum.im / want.im - 1) < 1e-12;
	}
	REGION_ENDS();
	printf("FT class " CLASS ": %d of %d checksums are right; %s\n", good, STEPS, good == STEPS ? "verified" : "NOT VERIFIED");
	return good == STEPS ? 0 : 1;
}
