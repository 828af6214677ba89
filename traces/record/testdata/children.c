/* Two children store to their copies of a variable: see TestChildren. */
#include <sys/wait.h>
#include <unistd.h>

static volatile int variable;

int main(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			for (int j = 0; j < 1000; j++)
				variable = j;
			_exit(0);
		}
	while (wait(0) > 0)
		;
	return 0;
}
