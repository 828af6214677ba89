/* Threads read in each round what others have written in the one before: see TestOpenMP. */
enum { N = 1 << 12, ROUNDS = 3 };

static long from[N], to[N];

int main(void)
{
	long sum = 0;
	for (int i = 0; i < N; i++)
		from[i] = i;
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			to[i] = from[N - 1 - i] + 1;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++) {
			from[i] = to[N - 1 - i];
			sum += from[i];
		}
	}
	return sum == ROUNDS * (N * (N - 1L) / 2) + (1 + 2 + 3) * (long)N ? 0 : 1;
}
