/* LU of the NAS Parallel Benchmarks, class S, W or A: steps of symmetric successive over-relaxation, each a sweep
 * through the cube from one corner and one back. A point needs its three neighbours behind it, so the points
 * with the same i + j + k are done side by side, and all threads meet after each of these planes. */
#include "kernel.h"

enum { SIDE = BY_CLASS(12, 33, 64), STEPS = BY_CLASS(50, 300, 250), LAST_PLANE = 3 * (SIDE - 2) };
static const double dt = BY_CLASS(0.5, 1.5e-3, 2.0), relaxation = 1.2;

#include "flow.h"

enum { VALUES = 2 * PARTS + 1 };

/* relax solves for one point. side is -1 on the way forth, with the neighbours before it, 1 on the way back. */
static inline void relax(int p, int side)
{
	const double convection = side * dt * first_difference, viscosity = dt * second_difference;
	double diagonal[PARTS][PARTS] = {{0}}, sum[PARTS] = {0};
	for (int m = 0; m < PARTS; m++)
		diagonal[m][m] = 1;
	for (int d = DIRECTIONS - 1; d >= 0; d--) {
		const int neighbour = p + side * stride_of[d];
		double block[PARTS][PARTS] = {{0}};
		add_jacobian(diagonal, p, d, 0, 2 * viscosity);
		add_jacobian(block, neighbour, d, convection, -viscosity);
		for (int m = 0; m < PARTS; m++)
			for (int n = 0; n < PARTS; n++)
				sum[m] += relaxation * block[m][n] * rhs[neighbour][n];
	}
	if (side < 0) {
		for (int m = 0; m < PARTS; m++)
			rhs[p][m] -= sum[m];
		solve(diagonal, NULL, rhs[p]);
	} else {
		solve(diagonal, NULL, sum);
		for (int m = 0; m < PARTS; m++)
			rhs[p][m] -= sum[m];
	}
}

/* sweep relaxes plane after plane of equal i + j + k. */
static void sweep(int side)
{
	for (int n = 3; n <= LAST_PLANE; n++) {
		const int plane = side < 0 ? n : LAST_PLANE + 3 - n;
#pragma omp for collapse(2) schedule(static)
		for (int k = 1; k < SIDE - 1; k++)
			for (int j = 1; j < SIDE - 1; j++) {
				const int i = plane - j - k;
				if (i >= 1 && i < SIDE - 1)
					relax(point(i, j, k), side);
			}
	}
}

static void step(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int p = 0; p < POINTS; p++)
			for (int m = 0; m < PARTS; m++)
				rhs[p][m] *= dt;
		sweep(-1);
		sweep(1);
#pragma omp for schedule(static)
		for (int p = 0; p < POINTS; p++)
			for (int m = 0; m < PARTS; m++)
				u[p][m] += rhs[p][m] / (relaxation * (2 - relaxation));
		compute_rhs(1);
	}
}

static double pressure(int i, int j, int k)
{
	const double *v = u[point(i, j, k)];
	return c2 * (v[ENERGY] - 0.5 * (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / v[0]);
}

/* surface_integral is that of the pressure over a box inside the cube, whose faces the benchmark gives. */
static double surface_integral(void)
{
	static const int low[DIRECTIONS] = {1, 1, 2}, high[DIRECTIONS] = {SIDE - 2, SIDE - 3, SIDE - 2};
	double sum = 0;
	for (int d = 0; d < DIRECTIONS; d++) {
		const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
		int at[DIRECTIONS];
		for (at[b] = low[b]; at[b] <= high[b]; at[b]++)
			for (at[a] = low[a]; at[a] <= high[a]; at[a]++) {
				/* a point inside a face is a corner of four of its squares, on an edge of two */
				const double corners = (at[a] == low[a] || at[a] == high[a] ? 1 : 2) * (at[b] == low[b] || at[b] == high[b] ? 1 : 2);
				at[d] = low[d];
				sum += corners * pressure(at[0], at[1], at[2]);
				at[d] = high[d];
				sum += corners * pressure(at[0], at[1], at[2]);
			}
	}
	return 0.25 * sum / ((SIDE - 1.0) * (SIDE - 1));
}

int main(void)
{
#if defined CLASS_A
	static const double residual[PARTS] = {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
	                                       1.7845301160418537e+02, 1.8384760349464247e+03};
	static const double error[PARTS] = {2.9964085685471943e+01, 2.8194576365003349, 7.3473412698774742,
	                                    6.7139225687777051, 7.0715315688392578e+01};
	static const double integral = 2.6030925604886277e+01;
#elif defined CLASS_W
	static const double residual[PARTS] = {0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01,
	                                       0.2326187750252e+01, 0.2826799444189e+02};
	static const double error[PARTS] = {0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01,
	                                    0.8570126542733e-01, 0.1084277417792e+01};
	static const double integral = 0.1161399311023e+02;
#else
	static const double residual[PARTS] = {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
	                                       1.5029584435994323e-03, 3.4264073155896461e-02};
	static const double error[PARTS] = {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
	                                    5.8474222595157350e-05, 1.3103347914111294e-03};
	static const double integral = 7.8418928865937083e+00;
#endif
	double have[PARTS];
	begin();
	compute_rhs(1);
	step(); /* all pages are touched before the region */
	begin();
	compute_rhs(1);
	REGION_BEGINS();
	for (int n = 0; n < STEPS; n++)
		step();
	REGION_ENDS();
	norm(have, 0, 1);
	int good = equal("residual", have, residual, PARTS);
	norm(have, 1, 1);
	good += equal("error", have, error, PARTS);
	have[0] = surface_integral();
	good += equal("integral", have, &integral, 1);
	printf("LU class " CLASS ": %d of %d values are right; %s\n", good, VALUES, good == VALUES ? "verified" : "NOT VERIFIED");
	return good == VALUES ? 0 : 1;
}
