/* Four threads take a reader-writer lock 100 times alone and 300 times together: see TestReaders. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile long sum;

static void *work(void *argument)
{
	struct timespec never = {1L << 40, 0};
	long seen = 0;
	(void)argument;
	for (int i = 0; i < 100; i++) {
		if (i % 2 ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_timedwrlock(&lock, &never))
			return &lock;
		sum = sum + 1;
		pthread_rwlock_unlock(&lock);
		for (int k = 0; k < 3; k++) {
			if (k ? pthread_rwlock_rdlock(&lock) : pthread_rwlock_timedrdlock(&lock, &never))
				return &lock;
			seen += sum;
			pthread_rwlock_unlock(&lock);
		}
	}
	return seen < 0 ? &lock : 0;
}

int main(void)
{
	pthread_t thread[4];
	void *wrong = 0;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], 0, work, 0))
			return 2;
	for (int i = 0; i < 4 && !wrong; i++)
		pthread_join(thread[i], &wrong);
	return sum == 400 && !wrong ? 0 : 1;
}
