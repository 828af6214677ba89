/* What BT, SP and LU of the NAS Parallel Benchmarks share: the compressible Navier-Stokes equations on a cube
 * of SIDE points along each edge, the exact solution, the differences in space, and the Jacobians (NAS Parallel Benchmarks,
 * RNR-94-007, sections 3.3 and 3.4).
 *
 * The directions x, y, z are 0, 1, 2; points are numbered with x fastest. A state is density, momentum along x,
 * y and z, and energy. The three benchmarks differ in how they solve for the next time step. */
#ifndef CAROUSEL_FLOW_H
#define CAROUSEL_FLOW_H

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = SIDE * SIDE * SIDE, PARTS = 5, DIRECTIONS = 3, ENERGY = 4 };

static const int stride_of[DIRECTIONS] = {1, SIDE, SIDE * SIDE};

/* Coefficients of the equations. */
static const double c1 = 1.4, c2 = 0.4, c3c4 = 0.1, c1345 = 1.4 * 0.1 * 1.4;
static const double first_difference = (SIDE - 1) / 2.0, second_difference = (double)(SIDE - 1) * (SIDE - 1);
static const double dissipation[DIRECTIONS] = {0.75, 0.75, 1.0}, fourth_dissipation = 0.25;

static double u[POINTS][PARTS], rhs[POINTS][PARTS], forcing[POINTS][PARTS];
/* Of u: 1 / density, velocity, kinetic energy of a volume and of a mass. */
static double inverse_density[POINTS], velocity[DIRECTIONS][POINTS], kinetic[POINTS], kinetic_of_mass[POINTS];

static inline int point(int i, int j, int k) { return i + SIDE * (j + SIDE * k); }

/* exact_solution is a polynomial of the fourth degree in each coordinate; 0 <= coordinates <= 1. */
static void exact_solution(const double at[DIRECTIONS], double value[PARTS])
{
	/* constant; then for each power the coefficients of x, y and z */
	static const double coefficient[PARTS][1 + 4 * DIRECTIONS] = {
		{2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
		{1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
		{2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
		{2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
		{5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
	};
	for (int m = 0; m < PARTS; m++) {
		const double *c = coefficient[m];
		value[m] = c[0];
		for (int d = 0; d < DIRECTIONS; d++)
			value[m] += at[d] * (c[1 + d] + at[d] * (c[4 + d] + at[d] * (c[7 + d] + at[d] * c[10 + d])));
	}
}

static void exact_at(int i, int j, int k, double value[PARTS])
{
	exact_solution((double[]){i / (SIDE - 1.0), j / (SIDE - 1.0), k / (SIDE - 1.0)}, value);
}

/* derive computes what is known of u at every point; inside a parallel region. */
static void derive(void)
{
#pragma omp for schedule(static)
	for (int p = 0; p < POINTS; p++) {
		double inverse = 1 / u[p][0], squares = 0;
		for (int d = 0; d < DIRECTIONS; d++) {
			velocity[d][p] = u[p][1 + d] * inverse;
			squares += u[p][1 + d] * u[p][1 + d];
		}
		inverse_density[p] = inverse;
		kinetic[p] = 0.5 * squares * inverse;
		kinetic_of_mass[p] = kinetic[p] * inverse;
	}
}

static inline double bend(const double *v, int s) { return v[s] - 2 * v[0] + v[-s]; }

/* fourth is the fourth difference along a direction, without what would lie on or beyond the boundary; at is
 * the coordinate. */
static inline double fourth(int p, int s, int m, int at)
{
	double sum = (at == 1 || at == SIDE - 2 ? 5 : 6) * u[p][m];
	if (at > 1)
		sum -= 4 * u[p - s][m];
	if (at > 2)
		sum += u[p - 2 * s][m];
	if (at < SIDE - 2)
		sum -= 4 * u[p + s][m];
	if (at < SIDE - 3)
		sum += u[p + 2 * s][m];
	return sum;
}

/* add_differences adds convection, viscosity and dissipation along one direction to r. */
static inline void add_differences(double r[PARTS], int p, int d, int at)
{
	const int s = stride_of[d], next = p + s, last = p - s;
	const double viscous = c3c4 * second_difference, h = first_difference;
	const double *v = velocity[d];

	r[0] -= h * (u[next][1 + d] - u[last][1 + d]);
	for (int m = 1; m <= DIRECTIONS; m++) {
		r[m] += viscous * (m == 1 + d ? 4.0 / 3 : 1) * bend(&velocity[m - 1][p], s) - h * (u[next][m] * v[next] - u[last][m] * v[last]);
		if (m == 1 + d)
			r[m] -= h * c2 * (u[next][ENERGY] - kinetic[next] - u[last][ENERGY] + kinetic[last]);
	}
	r[ENERGY] += viscous * ((1 - 1.4 * 1.4) * bend(&kinetic_of_mass[p], s) +
	                        (v[next] * v[next] - 2 * v[p] * v[p] + v[last] * v[last]) / 6 +
	                        1.4 * 1.4 * (u[next][ENERGY] * inverse_density[next] - 2 * u[p][ENERGY] * inverse_density[p] +
	                                     u[last][ENERGY] * inverse_density[last])) -
	             h * ((c1 * u[next][ENERGY] - c2 * kinetic[next]) * v[next] - (c1 * u[last][ENERGY] - c2 * kinetic[last]) * v[last]);
	for (int m = 0; m < PARTS; m++)
		r[m] += dissipation[d] * second_difference * (u[next][m] - 2 * u[p][m] + u[last][m]) - fourth_dissipation * fourth(p, s, m, at);
}

/* compute_rhs makes rhs the forcing and the differences in space, times scale; inside a parallel region. */
static void compute_rhs(double scale)
{
	derive();
#pragma omp for collapse(2) schedule(static)
	for (int k = 1; k < SIDE - 1; k++)
		for (int j = 1; j < SIDE - 1; j++)
			for (int i = 1; i < SIDE - 1; i++) {
				int p = point(i, j, k);
				double r[PARTS];
				memcpy(r, forcing[p], sizeof r);
				add_differences(r, p, 0, i);
				add_differences(r, p, 1, j);
				add_differences(r, p, 2, k);
				for (int m = 0; m < PARTS; m++)
					rhs[p][m] = scale * r[m];
			}
}

/* begin sets forcing to what keeps the exact solution still, and u to a blend of the exact values on the
 * faces of the cube. */
static void begin(void)
{
	for (int k = 0; k < SIDE; k++)
		for (int j = 0; j < SIDE; j++)
			for (int i = 0; i < SIDE; i++)
				exact_at(i, j, k, u[point(i, j, k)]);
	memset(forcing, 0, sizeof forcing);
	memset(rhs, 0, sizeof rhs);
	compute_rhs(-1);
	memcpy(forcing, rhs, sizeof rhs);
	memset(rhs, 0, sizeof rhs);

	for (int k = 1; k < SIDE - 1; k++)
		for (int j = 1; j < SIDE - 1; j++)
			for (int i = 1; i < SIDE - 1; i++) {
				const int index[DIRECTIONS] = {i, j, k};
				double blend[DIRECTIONS][PARTS];
				for (int d = 0; d < DIRECTIONS; d++) {
					int low[DIRECTIONS] = {i, j, k}, high[DIRECTIONS] = {i, j, k};
					double from[PARTS], to[PARTS], share = index[d] / (SIDE - 1.0);
					low[d] = 0, high[d] = SIDE - 1;
					exact_at(low[0], low[1], low[2], from);
					exact_at(high[0], high[1], high[2], to);
					for (int m = 0; m < PARTS; m++)
						blend[d][m] = share * to[m] + (1 - share) * from[m];
				}
				for (int m = 0; m < PARTS; m++) {
					double x = blend[0][m], y = blend[1][m], z = blend[2][m];
					u[point(i, j, k)][m] = x + y + z - x * y - x * z - y * z + x * y * z;
				}
			}
}

/* add_jacobian adds to b at point p: convection times the flux's Jacobian along a direction, viscosity times
 * that of the viscous flux, and viscosity times the dissipation on the diagonal. */
static inline void add_jacobian(double b[PARTS][PARTS], int p, int d, double convection, double viscosity)
{
	const double inverse = inverse_density[p], energy = u[p][ENERGY] * inverse, v = velocity[d][p];
	const int a = 1 + d;
	b[0][a] += convection;
	b[ENERGY][0] += convection * (2 * c2 * kinetic_of_mass[p] - c1 * energy) * v - viscosity * c1345 * inverse * energy;
	for (int m = 1; m <= DIRECTIONS; m++) {
		const double w = velocity[m - 1][p], k = m == a ? 4.0 / 3 * c3c4 : c3c4;
		b[m][0] -= convection * w * v + viscosity * k * inverse * w;
		b[m][a] += convection * w;
		b[m][m] += convection * v + viscosity * k * inverse;
		b[a][m] -= convection * c2 * w;
		b[ENERGY][m] += viscosity * (k - c1345) * inverse * w - convection * c2 * w * v;
		b[ENERGY][0] -= viscosity * (k - c1345) * inverse * w * w;
	}
	b[a][0] += convection * c2 * kinetic_of_mass[p];
	b[a][ENERGY] += convection * c2;
	b[ENERGY][a] += convection * (c1 * energy - c2 * kinetic_of_mass[p]);
	b[ENERGY][ENERGY] += convection * c1 * v + viscosity * c1345 * inverse;
	for (int m = 0; m < PARTS; m++)
		b[m][m] += viscosity * dissipation[d];
}

/* solve makes r the solution of b x = r, and c, unless it is NULL, that of b x = c, without pivots; b is lost. */
static inline void solve(double b[PARTS][PARTS], double c[PARTS][PARTS], double r[PARTS])
{
	for (int row = 0; row < PARTS; row++) {
		double pivot = 1 / b[row][row];
		for (int n = row + 1; n < PARTS; n++)
			b[row][n] *= pivot;
		for (int n = 0; c && n < PARTS; n++)
			c[row][n] *= pivot;
		r[row] *= pivot;
		for (int other = 0; other < PARTS; other++) {
			if (other == row)
				continue;
			double factor = b[other][row];
			for (int n = row + 1; n < PARTS; n++)
				b[other][n] -= factor * b[row][n];
			for (int n = 0; c && n < PARTS; n++)
				c[other][n] -= factor * c[row][n];
			r[other] -= factor * r[row];
		}
	}
}

/* norm is the root of the mean square of rhs (or of the error of u, from the given distance to the boundary
 * on), over the inner points. */
static void norm(double result[PARTS], int of_error, int from)
{
	double sum[PARTS] = {0};
	for (int k = from; k < SIDE - from; k++)
		for (int j = from; j < SIDE - from; j++)
			for (int i = from; i < SIDE - from; i++) {
				double want[PARTS];
				exact_at(i, j, k, want);
				for (int m = 0; m < PARTS; m++) {
					double v = of_error ? u[point(i, j, k)][m] - want[m] : rhs[point(i, j, k)][m];
					sum[m] += v * v;
				}
			}
	for (int m = 0; m < PARTS; m++)
		result[m] = sqrt(sum[m] / ((SIDE - 2.0) * (SIDE - 2) * (SIDE - 2)));
}

/* equal counts the values that are within the benchmark's tolerance of 1e-8. */
static int equal(const char *what, const double *have, const double *want, int count)
{
	int good = 0;
	for (int m = 0; m < count; m++) {
		int near = fabs(have[m] / want[m] - 1) <= 1e-8;
		good += near;
		if (!near)
			printf("%s %d is %.16e and should be %.16e\n", what, m, have[m], want[m]);
	}
	return good;
}

/* verify compares the norms of what remains and of the error with the published ones; 0 when all are right. */
static inline int verify(const char *kernel, const double *residual, const double *error)
{
	double have[PARTS];
	compute_rhs(1);
	norm(have, 0, 1);
	int good = equal("residual", have, residual, PARTS);
	norm(have, 1, 0);
	good += equal("error", have, error, PARTS);
	printf("%s class " CLASS ": %d of %d norms are right; %s\n", kernel, good, 2 * PARTS, good == 2 * PARTS ? "verified" : "NOT VERIFIED");
	return good == 2 * PARTS ? 0 : 1;
}

#endif
