/* 50 stores before the region, 100 in it and 70 after it: see TestMarkers. */
#define MARK(code) __asm__ volatile(".byte 0x0f, 0x1f, 0x80, " #code ", 0x00, 0xa7, 0x0c")

static volatile int variable;

static void __attribute__((noinline)) store(int times)
{
	for (int i = 0; i < times; i++)
		variable = i;
}

int main(void)
{
	store(50);
	MARK(0x01);
	store(100);
	MARK(0x02);
	store(70);
	return 3;
}
