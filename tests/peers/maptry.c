// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maptry FROM WORD...: maps two pages of /dev/mem from FROM on, and accesses them with one instruction for each word; all numbers are hex:
 *     rWIDTH:OFF          prints what is read             wWIDTH:OFF:VALUE    writes it
 *     o4:OFF:VALUE         ORs it into what is there       crash               writes to an address that is nowhere
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 8192 };

static uint64_t read_at(volatile unsigned char *at, unsigned width)
{
	switch (width) {
	case 1:
		return *at;
	case 2:
		return *(volatile uint16_t *)at;
	case 4:
		return *(volatile uint32_t *)at;
	default:
		return *(volatile uint64_t *)at;
	}
}

static void write_at(volatile unsigned char *at, unsigned width, uint64_t value)
{
	switch (width) {
	case 1:
		*at = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(volatile uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(volatile uint64_t *)at = value;
	}
}

int main(int argc, char **argv)
{
	int fd = open("/dev/mem", O_RDWR);
	volatile char *volatile nowhere = (volatile char *)8;
	unsigned char *map;

	if (argc < 2 || fd < 0)
		return 2;
	map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, strtol(argv[1], NULL, 16));
	if (map == MAP_FAILED)
		return 3;
	for (int i = 2; i < argc; i++) {
		unsigned width, off;
		uint64_t value = 0;

		if (strcmp(argv[i], "crash") == 0)
			*nowhere = 1;
		if (sscanf(argv[i] + 1, "%x:%x:%" SCNx64, &width, &off, &value) < 2 || off > BYTES - 8)
			return 2;
		if (argv[i][0] == 'r')
			printf("%" PRIx64 "\n", read_at(map + off, width));
		else if (argv[i][0] == 'w')
			write_at(map + off, width, value);
		else
			__asm__ volatile("orl %1, %0" : "+m"(*(uint32_t *)(map + off)) : "r"((uint32_t)value));
		fflush(stdout);
	}
	return munmap(map, BYTES) == 0 ? 0 : 4;
}
