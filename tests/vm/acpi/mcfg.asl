/* SPDX-License-Identifier: GPL-2.0-or-later */
[0004] Signature : "MCFG"
[0004] Table Length : 00000000
[0001] Revision : 01
[0001] Checksum : 00
[0006] Oem ID : "BOCHS "
[0008] Oem Table ID : "BXPC    "
[0004] Oem Revision : 00000002
[0004] Asl Compiler ID : "INTL"
[0004] Asl Compiler Revision : 00000000
[0008] Reserved : 0000000000000000
[0008] Base Address : 00000000B0000000
[0002] Segment Group Number : 0000
[0001] Start Bus Number : 00
[0001] End Bus Number : 7D
[0004] Reserved : 00000000
[0008] Base Address : 00000000E0000000
[0002] Segment Group Number : 0000
[0001] Start Bus Number : 7E
[0001] End Bus Number : 7F
[0004] Reserved : 00000000
[0008] Base Address : 00000000B0000000
[0002] Segment Group Number : 0000
[0001] Start Bus Number : 80
[0001] End Bus Number : FD
[0004] Reserved : 00000000
[0008] Base Address : 00000000E0000000
[0002] Segment Group Number : 0000
[0001] Start Bus Number : FE
[0001] End Bus Number : FF
[0004] Reserved : 00000000
