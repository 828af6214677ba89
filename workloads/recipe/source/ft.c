/* FT of the NAS Parallel Benchmarks, class S: a diffusion equation on 64 x 64 x 64 points, solved by
 * three-dimensional fast Fourier transforms; six time steps, each checked.
 *
 * Planes of equal z belong to threads for the steps in time and for the transforms along x and y, planes of equal
 * y for those along z. Between them everybody reads what all others have written. */
#include "kernel.h"

#include <math.h>
#include <stdio.h>

enum { N = 64, STEPS = 6, SAMPLES = 1024 };

typedef struct {
	double re, im;
} number;

static number field[N][N][N], spectrum[N][N][N]; /* [z][y][x] */
static double decay[N][N][N];                    /* of each wave in one step */
static number root[N];                           /* exp(-2 pi i k / N) */

/* The benchmark's checksums. */
static const number expected[STEPS] = {
	{5.546087004964e+02, 4.845363331978e+02}, {5.546385409189e+02, 4.865304269511e+02},
	{5.546148406171e+02, 4.883910722336e+02}, {5.545423607415e+02, 4.901273169046e+02},
	{5.544255039624e+02, 4.917475857993e+02}, {5.542683411902e+02, 4.932597244941e+02},
};

static inline number plus(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static inline number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static inline number times(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static void initialise(void)
{
	const double alpha = 1e-6, pi = acos(-1);
	for (int k = 0; k < N; k++)
		root[k] = (number){cos(2 * pi * k / N), -sin(2 * pi * k / N)};
#pragma omp parallel for schedule(static)
	for (int z = 0; z < N; z++) {
		uint64_t state = random_at(2ull * N * N * (uint64_t)z);
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++) {
				field[z][y][x].re = random_next(&state);
				field[z][y][x].im = random_next(&state);
				int kx = (x + N / 2) % N - N / 2, ky = (y + N / 2) % N - N / 2, kz = (z + N / 2) % N - N / 2;
				decay[z][y][x] = exp(-4 * alpha * pi * pi * (kx * kx + ky * ky + kz * kz));
			}
	}
}

/* pass is one pass of Stockham's transform with radix 4: groups of the given stride. sign is 1 forward, -1
 * backward. */
static inline void pass(const number *restrict from, number *restrict to, int stride, int sign)
{
	int quarter = N / 4 / stride;
	for (int p = 0; p < quarter; p++) {
		number w1 = root[p * stride], w2 = root[2 * p * stride], w3 = root[3 * p * stride];
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

/* transform does one line of N = 4 x 4 x 4 points that are step apart. */
static void transform(number *line, int step, int sign)
{
	number a[N], b[N];
	for (int i = 0; i < N; i++)
		a[i] = line[i * step];
	pass(a, b, 1, sign);
	pass(b, a, 4, sign);
	pass(a, b, 16, sign);
	for (int i = 0; i < N; i++)
		line[i * step] = b[i];
}

static void along_x(number f[N][N][N], int sign)
{
#pragma omp for schedule(static)
	for (int z = 0; z < N; z++)
		for (int y = 0; y < N; y++)
			transform(f[z][y], 1, sign);
}

static void along_y(number f[N][N][N], int sign)
{
#pragma omp for schedule(static)
	for (int z = 0; z < N; z++)
		for (int x = 0; x < N; x++)
			transform(&f[z][0][x], N, sign);
}

static void along_z(number f[N][N][N], int sign)
{
#pragma omp for schedule(static)
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++)
			transform(&f[0][y][x], N * N, sign);
}

/* evolve lets all waves decay for one step and leaves them in field, to be transformed back. */
static void evolve(void)
{
#pragma omp for schedule(static)
	for (int z = 0; z < N; z++)
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++) {
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
		sum = plus(sum, field[5 * j % N][3 * j % N][j % N]);
	const double points = (double)N * N * N;
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
		for (int z = 0; z < N; z++)
			for (int y = 0; y < N; y++)
				for (int x = 0; x < N; x++)
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
	printf("FT class S: %d of %d checksums are right; %s\n", good, STEPS, good == STEPS ? "verified" : "NOT VERIFIED");
	return good == STEPS ? 0 : 1;
}
