// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers in memory: each call is one load or one store. */
#include "os/efi/host.h"

uint32_t unc_efi_load32(uint64_t at)
{
	return *(const volatile uint32_t *)at;
}

void unc_efi_store32(uint64_t at, uint32_t value)
{
	*(volatile uint32_t *)at = value;
}
