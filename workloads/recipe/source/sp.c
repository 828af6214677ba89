/* SP of the NAS Parallel Benchmarks, class S, W or A: time steps of an implicit scheme that diagonalises the
 * blocks and solves, along each direction in turn, three scalar pentadiagonal systems per line of points: one for
 * the waves that move with the flow, two for those of sound. Lines belong to threads. */
#include "kernel.h"

enum { SIDE = BY_CLASS(12, 36, 64), STEPS = BY_CLASS(100, 400, 400), WAVES = 3, BAND = 5, CENTRE = 2 };
static const double dt = BY_CLASS(0.015, 0.0015, 0.0015);

#include "flow.h"
static const double half_root = 0.70710678118654752440; /* of 2 */

static double sound[POINTS];

/* to_waves turns rhs at every point into what the matrices of the x direction are diagonal in. */
static void to_waves(void)
{
#pragma omp for collapse(2) schedule(static)
	for (int k = 1; k < SIDE - 1; k++)
		for (int j = 1; j < SIDE - 1; j++)
			for (int i = 1; i < SIDE - 1; i++) {
				const int p = point(i, j, k);
				double *r = rhs[p];
				const double x = velocity[0][p], y = velocity[1][p], z = velocity[2][p], inverse = inverse_density[p];
				const double entropy = c2 / (sound[p] * sound[p]) *
				                       (kinetic_of_mass[p] * r[0] - x * r[1] - y * r[2] - z * r[3] + r[4]);
				const double flow = half_root * inverse * (x * r[0] - r[1]), pressure = half_root * inverse * sound[p] * entropy;
				const double along_y = r[2], along_z = r[3], density = r[0];
				r[0] = density - entropy;
				r[1] = -inverse * (z * density - along_z);
				r[2] = inverse * (y * density - along_y);
				r[3] = pressure - flow;
				r[4] = pressure + flow;
			}
}

/* turn changes the waves of one direction into those of the next: after x and after y. */
static inline void turn(double r[PARTS], int d)
{
	const double half = 0.5 * (r[3] + r[4]), difference = half_root * (r[3] - r[4]);
	const double r0 = r[0], r1 = r[1], r2 = r[2];
	const double t = half_root * (d == 0 ? r2 : r0);
	r[0] = d == 0 ? -r1 : difference;
	r[1] = d == 0 ? r0 : -r2;
	r[2] = d == 0 ? difference : r1;
	r[3] = half - t;
	r[4] = half + t;
}

/* from_waves turns those of the z direction back into changes of the state. */
static inline void from_waves(double r[PARTS], int p)
{
	const double x = velocity[0][p], y = velocity[1][p], z = velocity[2][p], density = u[p][0];
	const double pressure = half_root * density / sound[p] * (r[3] + r[4]), flow = half_root * density * (r[3] - r[4]);
	const double sum = r[2] + pressure, r0 = r[0], r1 = r[1];
	r[0] = sum;
	r[1] = x * sum - density * r1;
	r[2] = y * sum + density * r0;
	r[3] = z * sum + flow;
	r[4] = density * (y * r0 - x * r1) + kinetic_of_mass[p] * sum + sound[p] * sound[p] / c2 * pressure + z * flow;
}

/* viscous_radius bounds the eigenvalues of the viscous terms; the largest factor is that of the energy. */
static inline double viscous_radius(int p, int d) { return dissipation[d] + 1.4 * 1.4 * c3c4 * inverse_density[p]; }

/* band fills the row of the point number n of a line; wave is 0 for the flow, 1 and -1 for sound. */
static inline void band(double row[BAND], int p, int s, int d, int n, int wave)
{
	const double convection = dt * first_difference, viscosity = dt * second_difference, smooth = dt * fourth_dissipation;
	const double before = velocity[d][p - s] + wave * sound[p - s], after = velocity[d][p + s] + wave * sound[p + s];
	row[0] = n > 2 ? smooth : 0;
	row[1] = n > 1 ? -convection * before - viscosity * viscous_radius(p - s, d) - 4 * smooth : 0;
	row[2] = 1 + 2 * viscosity * viscous_radius(p, d) + (n == 1 || n == SIDE - 2 ? 5 : 6) * smooth;
	row[3] = n < SIDE - 2 ? convection * after - viscosity * viscous_radius(p + s, d) - 4 * smooth : 0;
	row[4] = n < SIDE - 3 ? smooth : 0;
}

/* solve_line solves the three systems of a line; start is its first point, on the boundary. The parts 0 to 2
 * go with the flow, 3 and 4 with sound. */
static void solve_line(int start, int d)
{
	static const int wave_of[WAVES] = {0, 1, -1}, first[WAVES] = {0, 3, 4}, end[WAVES] = {3, 4, 5};
	const int s = stride_of[d];
	for (int w = 0; w < WAVES; w++) {
		double rows[SIDE][BAND];
		for (int n = 1; n < SIDE - 1; n++)
			band(rows[n], start + n * s, s, d, n, wave_of[w]);
		for (int n = 1; n < SIDE - 1; n++) {
			const double pivot = 1 / rows[n][CENTRE];
			double *r = rhs[start + n * s];
			rows[n][3] *= pivot;
			rows[n][4] *= pivot;
			for (int m = first[w]; m < end[w]; m++)
				r[m] *= pivot;
			for (int below = 1; below <= 2 && n + below < SIDE - 1; below++) {
				double *row = rows[n + below], factor = row[CENTRE - below];
				row[CENTRE + 1 - below] -= factor * rows[n][3];
				row[CENTRE + 2 - below] -= factor * rows[n][4];
				for (int m = first[w]; m < end[w]; m++)
					rhs[start + (n + below) * s][m] -= factor * r[m];
			}
		}
		for (int n = SIDE - 3; n > 0; n--)
			for (int m = first[w]; m < end[w]; m++) {
				rhs[start + n * s][m] -= rows[n][3] * rhs[start + (n + 1) * s][m];
				if (n < SIDE - 3)
					rhs[start + n * s][m] -= rows[n][4] * rhs[start + (n + 2) * s][m];
			}
	}
	for (int n = 1; n < SIDE - 1; n++)
		if (d < 2)
			turn(rhs[start + n * s], d);
		else
			from_waves(rhs[start + n * s], start + n * s);
}

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
#pragma omp for schedule(static)
		for (int p = 0; p < POINTS; p++)
			sound[p] = sqrt(c1 * c2 * inverse_density[p] * (u[p][ENERGY] - kinetic[p]));
		to_waves();
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
	static const double residual[PARTS] = {2.4799822399300195, 1.1276337964368832, 1.5028977888770491,
	                                       1.4217816211695179, 2.1292113035138280};
	static const double error[PARTS] = {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
	                                    4.7671093939528255e-05, 1.3621613399213001e-04};
#elif defined CLASS_W
	static const double residual[PARTS] = {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03,
	                                       0.2887475409984e-03, 0.3143611161242e-02};
	static const double error[PARTS] = {0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04,
	                                    0.1128838671535e-04, 0.1212845639773e-03};
#else
	static const double residual[PARTS] = {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
	                                       1.5840557224455615e-02, 3.4849040609362460e-02};
	static const double error[PARTS] = {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
	                                    1.5750704994480102e-05, 3.4177666183390531e-05};
#endif
	begin();
	step(); /* all pages are touched before the region */
	begin();
	REGION_BEGINS();
	for (int n = 0; n < STEPS; n++)
		step();
	REGION_ENDS();
	return verify("SP", residual, error);
}
