#include "conn.h"

unsigned long reg(void *any, unsigned int at)
{
	return *(unsigned long *)((char *)any + at);
}
