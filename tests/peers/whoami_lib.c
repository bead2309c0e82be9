// SPDX-License-Identifier: GPL-2.0-or-later
/* A library that asks for twelve letters in leaf 0x40; in front of its CPUID are bytes that look like one and are a number. */
#include <cpuid.h>
#include <string.h>

const char *whoami_letters(void);
unsigned whoami_number(void);

__attribute__((visibility("default"))) unsigned whoami_number(void)
{
	unsigned number;

	__asm__ volatile("movl $0x0fa20f31, %0" : "=r"(number));
	return number;
}

__attribute__((visibility("default"))) const char *whoami_letters(void)
{
	static char letters[13];
	unsigned eax, ebx, ecx, edx;

	__cpuid(0x40, eax, ebx, ecx, edx);
	memcpy(letters, &ebx, 4);
	memcpy(letters + 4, &edx, 4);
	memcpy(letters + 8, &ecx, 4);
	letters[12] = '\0';
	return whoami_number() == 0x0fa20f31 ? letters : "a number was changed";
}
