/* Four threads meet 20 times at a barrier made by hand, and between that take a reader-writer lock made by hand five times
 * together and once alone: see TestWordsOfPrograms. */
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 20 };
static int lock __attribute__((aligned(64)));
static struct {
	int arrived, round;
} barrier __attribute__((aligned(64)));
static volatile long sum __attribute__((aligned(64)));

static void take(int alone)
{
	for (;;) {
		int found = __atomic_load_n(&lock, __ATOMIC_RELAXED);
		if ((alone ? found == 0 : found >= 0) && __atomic_compare_exchange_n(&lock, &found, alone ? -1 : found + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
}

static void meet(void)
{
	int now = __atomic_load_n(&barrier.round, __ATOMIC_ACQUIRE);
	if (__atomic_fetch_add(&barrier.arrived, 1, __ATOMIC_ACQ_REL) == THREADS - 1) {
		__atomic_store_n(&barrier.arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&barrier.round, now + 1, __ATOMIC_RELEASE);
	} else {
		while (__atomic_load_n(&barrier.round, __ATOMIC_ACQUIRE) == now)
			;
	}
}

static void *work(void *argument)
{
	long seen = 0;
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 5; k++) {
			take(0);
			seen += sum;
			__atomic_fetch_sub(&lock, 1, __ATOMIC_RELEASE);
		}
		take(1);
		sum = sum + 1;
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
		meet();
	}
	return seen < 0 ? argument : 0;
}

int main(void)
{
	pthread_t thread[THREADS];
	for (long i = 1; i < THREADS; i++)
		if (pthread_create(&thread[i], 0, work, 0))
			return 2;
	work(0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], 0);
	return sum == THREADS * ROUNDS ? 0 : 1;
}
