/* IS of the NAS Parallel Benchmarks, class S, W or A: ten rankings of 65,536 integer keys below 2,048,
 * of 1,048,576 below 65,536, or of 8,388,608 below 524,288.
 *
 * Every thread counts its share of the keys in a histogram of its own; then each sums the histograms of all
 * over its share of the values, and the sums become ranks. Histograms are what the threads tell each other. */
#include "kernel.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 1 << BY_CLASS(16, 20, 23), VALUES = 1 << BY_CLASS(11, 16, 19), RANKINGS = 10, MOST_THREADS = 256, CHECKS = 5 };

static int keys[KEYS], ranks[VALUES + 1], histogram[MOST_THREADS][VALUES], partial[MOST_THREADS + 1];

/* The benchmark's partial verification: ranks of five keys, which move by one per ranking, the first so many up. */
#if defined CLASS_A
enum { UPWARDS = 3, UP = -1, DOWN = 1 };
static const int check_key[CHECKS] = {2112377, 662041, 5336171, 3642833, 4250760};
static const int check_rank[CHECKS] = {104, 17523, 123928, 8288932, 8388264};
#elif defined CLASS_W
enum { UPWARDS = 2, UP = -2, DOWN = 0 };
static const int check_key[CHECKS] = {357773, 934767, 875723, 898999, 404505};
static const int check_rank[CHECKS] = {1249, 11698, 1039987, 1043896, 1048018};
#else
enum { UPWARDS = 3, UP = 0, DOWN = 0 };
static const int check_key[CHECKS] = {48427, 17148, 23627, 62548, 4431};
static const int check_rank[CHECKS] = {0, 18, 346, 64917, 65463};
#endif

static void make_keys(void)
{
#pragma omp parallel
	{
		int share = (KEYS + omp_get_num_threads() - 1) / omp_get_num_threads();
		int from = share * omp_get_thread_num(), to = from + share < KEYS ? from + share : KEYS;
		uint64_t x = random_at(4ull * (uint64_t)from);
		for (int i = from; i < to; i++) {
			double sum = random_next(&x);
			for (int j = 1; j < 4; j++)
				sum += random_next(&x);
			keys[i] = (int)(VALUES / 4 * sum);
		}
	}
}

/* rank makes ranks[v] the number of keys below v. */
static void rank(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();
		int *mine = histogram[me];
		memset(mine, 0, sizeof histogram[me]);
#pragma omp for schedule(static)
		for (int i = 0; i < KEYS; i++)
			mine[keys[i]]++;

		int share = (VALUES + threads - 1) / threads;
		int from = share * me < VALUES ? share * me : VALUES, to = from + share < VALUES ? from + share : VALUES;
		int sum = 0;
		for (int v = from; v < to; v++) {
			for (int t = 0; t < threads; t++)
				sum += histogram[t][v];
			ranks[v + 1] = sum;
		}
		partial[me + 1] = sum;
#pragma omp barrier
		int below = 0;
		for (int t = 0; t <= me; t++)
			below += partial[t];
		for (int v = from; v < to; v++)
			ranks[v + 1] += below;
	}
}

/* passed counts the checks that hold after a ranking. */
static int passed(int ranking)
{
	int good = 0;
	for (int i = 0; i < CHECKS; i++)
		good += ranks[keys[check_key[i]]] == check_rank[i] + (i < UPWARDS ? ranking + UP : DOWN - ranking);
	return good;
}

/* sorted puts the keys in their places and looks at the result. */
static int sorted(void)
{
	static int place[VALUES + 1], ordered[KEYS];
	memcpy(place, ranks, sizeof place);
	for (int i = 0; i < KEYS; i++)
		ordered[place[keys[i]]++] = keys[i];
	for (int i = 1; i < KEYS; i++)
		if (ordered[i - 1] > ordered[i])
			return 0;
	return 1;
}

int main(void)
{
	if (omp_get_max_threads() > MOST_THREADS)
		omp_set_num_threads(MOST_THREADS);
	make_keys();
	rank(); /* all pages are touched before the region */
	int good = 0;
	REGION_BEGINS();
	for (int r = 1; r <= RANKINGS; r++) {
		keys[r] = r;
		keys[r + RANKINGS] = VALUES - r;
		rank();
		good += passed(r);
	}
	REGION_ENDS();
	int all = good == CHECKS * RANKINGS && sorted();
	printf("IS class " CLASS ", %d threads: %d of %d ranks are right; %s\n", omp_get_max_threads(), good, CHECKS * RANKINGS,
	       all ? "verified" : "NOT VERIFIED");
	return all ? 0 : 1;
}
