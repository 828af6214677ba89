/* Stores and loads that are known by heart, of every size, in a region that begins and ends at functions; with
 * THREADS while another thread exists. */
#include <stdint.h>
#ifdef THREADS
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}
#endif

static volatile struct {
	uint64_t eight;
	uint32_t four;
	uint16_t two;
	uint8_t one;
} place;
static volatile uint64_t sum = 40, word = 7;

__attribute__((noinline)) void begin(void) { __asm__ volatile(""); }
__attribute__((noinline)) void end(void) { __asm__ volatile(""); }

int main(void)
{
#ifdef THREADS
	pthread_t other;
	pthread_create(&other, 0, wait_for_ever, 0);
#endif
	begin();
	place.eight = 0x1122334455667788;
	place.four = 0x99aabbcc;
	place.two = 0xddee;
	place.one = 0xff;
	sum += place.one;                                  /* 40 + 255 */
	__asm__ volatile("lock addq $5, %0" : "+m"(word)); /* 7 + 5 */
	__asm__ volatile("lock cmpxchgq %1, %0" : "+m"(word) : "r"((uint64_t)9), "a"((uint64_t)1) : "cc"); /* fails */
	end();
	return 0;
}
