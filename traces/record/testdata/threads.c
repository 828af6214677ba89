/* Four threads add to a counter under a mutex and meet at a barrier; main joins them: see TestThreads. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static volatile long sum;

static void *work(void *argument)
{
	(void)argument;
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&mutex);
		sum = sum + 1;
		pthread_mutex_unlock(&mutex);
	}
	pthread_barrier_wait(&barrier);
	return 0;
}

int main(void)
{
	pthread_t thread[4];
	pthread_barrier_init(&barrier, 0, 4);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], 0, work, 0))
			return 2;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], 0);
	return sum == 2000 ? 0 : 1;
}
