/* The mark of the region's beginning for Java: the native method begin of class Middleware. */
#include "kernel.h"

void Java_Middleware_begin(void *environment, void *class)
{
	(void)environment, (void)class;
	REGION_BEGINS();
}
