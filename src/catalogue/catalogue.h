/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What POWER9 and later count without being asked (in-memory collection), as their firmware describes it: a flattened device tree.
 * It becomes an ordinary map, one unit for each of its units.  Everything in it is untrusted input.
 */
#ifndef UNC_CATALOGUE_CATALOGUE_H
#define UNC_CATALOGUE_CATALOGUE_H

#include "access/host.h"
#include "map/map.h"

/*
 * Finds the tree in a file: a device tree itself, one packed by xz, or an IMA_CATALOG partition with one for each processor.
 * pvr: the processor version register, which chooses there; 0: the only one is taken.  name: of the file, for sentences.
 * UNC_EMAP: it is none of these, or damaged; UNC_EARG: the partition has several, or none for that PVR; UNC_ENOMEM.
 * *ret_tree is the caller's to free().
 */
int unc_catalogue_unpack(struct unc_ctx *ctx, const char *name, const char *bytes, size_t len, uint32_t pvr,
			 char **ret_tree, size_t *ret_len);
/* Packs a live tree's folder imc-counters.  UNC_ENODEV: there is none; UNC_EMAP: it is too large; or what reading fails with. */
int unc_catalogue_pack(struct unc_host *host, char **ret_tree, size_t *ret_len);
/*
 * Makes the map; name outlives it.  The tree is free()d, or the map's.  Malformed units and events are left out, with a note; events that
 * cannot be right, or cannot be read, have `refused`.  UNC_EMAP: it is no catalogue; UNC_ENOMEM.
 */
int unc_catalogue_parse(struct unc_ctx *ctx, const char *name, char *tree, size_t len, struct unc_map **ret_map);

#endif
