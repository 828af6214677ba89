/* BT of the NAS Parallel Benchmarks, class S, W or A: time steps of an implicit scheme that solves, along each
 * direction in turn, one block tridiagonal system per line of points. Lines belong to threads. */
#include "kernel.h"

enum { SIDE = BY_CLASS(12, 24, 64), STEPS = BY_CLASS(60, 200, 200) };
static const double dt = BY_CLASS(0.010, 0.0008, 0.0008);

#include "flow.h"

/* solve_line solves the system of one line; start is its first point, on the boundary, where nothing changes. */
static void solve_line(int start, int d)
{
	const double convection = dt * first_difference, viscosity = dt * second_difference;
	const int s = stride_of[d];
	double upper[SIDE][PARTS][PARTS];
	for (int n = 1; n < SIDE - 1; n++) {
		const int p = start + n * s;
		double diagonal[PARTS][PARTS] = {{0}};
		for (int m = 0; m < PARTS; m++)
			diagonal[m][m] = 1;
		add_jacobian(diagonal, p, d, 0, 2 * viscosity);
		memset(upper[n], 0, sizeof upper[n]);
		if (n < SIDE - 2)
			add_jacobian(upper[n], p + s, d, convection, -viscosity);
		if (n > 1) {
			double lower[PARTS][PARTS] = {{0}};
			add_jacobian(lower, p - s, d, -convection, -viscosity);
			for (int m = 0; m < PARTS; m++)
				for (int k = 0; k < PARTS; k++) {
					rhs[p][m] -= lower[m][k] * rhs[p - s][k];
					for (int l = 0; l < PARTS; l++)
						diagonal[m][l] -= lower[m][k] * upper[n - 1][k][l];
				}
		}
		solve(diagonal, upper[n], rhs[p]);
	}
	for (int n = SIDE - 3; n > 0; n--)
		for (int m = 0; m < PARTS; m++)
			for (int k = 0; k < PARTS; k++)
				rhs[start + n * s][m] -= upper[n][m][k] * rhs[start + (n + 1) * s][k];
}

/* solve_along solves all lines of a direction. */
static void solve_along(int d)
{
	const int across = stride_of[d == 0 ? 1 : 0], along = stride_of[d == 2 ? 1 : 2];
#pragma omp for collapse(2) schedule(static)
	for (int b = 1; b < SIDE - 1; b++)
		for (int a = 1; a < SIDE - 1; a++)
			solve_line(a * across + b * along, d);
}

static void step(void)
{
#pragma omp parallel
	{
		compute_rhs(dt);
		for (int d = 0; d < DIRECTIONS; d++)
			solve_along(d);
#pragma omp for schedule(static)
		for (int p = 0; p < POINTS; p++)
			for (int m = 0; m < PARTS; m++)
				u[p][m] += rhs[p][m];
	}
}

int main(void)
{
#if defined CLASS_A
	static const double residual[PARTS] = {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
	                                       2.3665622544678910e+01, 2.5278963211748344e+02};
	static const double error[PARTS] = {4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
	                                    8.8302063039765474e-01, 9.7379901770829278e+00};
#elif defined CLASS_W
	static const double residual[PARTS] = {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02,
	                                       0.2469174937669e+02, 0.2638427874317e+03};
	static const double error[PARTS] = {0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01,
	                                    0.9235878729944e+00, 0.1018045837718e+02};
#else
	static const double residual[PARTS] = {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
	                                       2.6436421275166801e-02, 1.9211784131744430e-01};
	static const double error[PARTS] = {4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
	                                    7.3821238632439731e-05, 8.9269630987491446e-04};
#endif
	begin();
	step(); /* all pages are touched before the region */
	begin();
	REGION_BEGINS();
	for (int n = 0; n < STEPS; n++)
		step();
	REGION_ENDS();
	return verify("BT", residual, error);
}
