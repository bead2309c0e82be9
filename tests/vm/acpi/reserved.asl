// SPDX-License-Identifier: GPL-2.0-or-later
// The window's second BAR is configuration space: a kernel uses none that no device of the motherboard reserves.
DefinitionBlock ("reserved.aml", "SSDT", 2, "UNCORE", "RESERVED", 1)
{
	Device (\_SB.SIMR)
	{
		Name (_HID, EisaId ("PNP0C02"))
		Name (_UID, "simqemu")
		Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0xE0000000, 0x10000000) })
	}
}
