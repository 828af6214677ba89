/* Four threads add to a counter under a spin lock made by hand: see TestSpinsOfPrograms. */
#include <pthread.h>

static int lock __attribute__((aligned(64)));
static volatile long sum __attribute__((aligned(64)));

static void *work(void *argument)
{
	(void)argument;
	for (int i = 0; i < 200; i++) {
		while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
			while (__atomic_load_n(&lock, __ATOMIC_RELAXED))
				;
		sum = sum + 1;
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	}
	return 0;
}

int main(void)
{
	pthread_t thread[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], 0, work, 0))
			return 2;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], 0);
	return sum == 800 ? 0 : 1;
}
