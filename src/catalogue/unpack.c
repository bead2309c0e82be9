// SPDX-License-Identifier: GPL-2.0-or-later
/* From a file, or from the folder of a live tree, to a flattened device tree. */
#include "catalogue/catalogue.h"

#include <libfdt.h>
#include <lzma.h>

#include "base/text.h"

/* Firmware takes 256 KiB (skiboot, core/flash.c), also unpacked; published ones have less. */
enum { TREE_MAX = 256 << 10, MEMORY_MAX = 80 << 20, DEPTH_MAX = 4 };
static const char xz_magic[] = {'\xfd', '7', 'z', 'X', 'Z', '\0'}, dtb_magic[] = {'\xd0', '\x0d', '\xfe', '\xed'};

static uint32_t be32(const char *bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value = value << 8 | (unsigned char)bytes[i];
	return value;
}

static bool begins(const char *bytes, size_t len, const char *magic, size_t n)
{
	return len >= n && memcmp(bytes, magic, n) == 0;
}

static int unxz(struct unc_ctx *ctx, const char *name, const char *bytes, size_t len, char *tree, size_t *ret_len)
{
	uint64_t memory = MEMORY_MAX;
	size_t from = 0;
	lzma_ret rc;

	*ret_len = 0;
	rc = lzma_stream_buffer_decode(&memory, 0, NULL, (const uint8_t *)bytes, &from, len, (uint8_t *)tree, ret_len,
				       TREE_MAX);
	if (rc != LZMA_OK)
		return unc_fail(ctx, rc == LZMA_MEM_ERROR ? UNC_ENOMEM : UNC_EMAP,
				"%s: its xz data is damaged, cut off, or more than %d bytes when unpacked", name,
				TREE_MAX);
	return UNC_OK;
}

/*
 * An IMA_CATALOG partition: "IMCC", version 1, then {id, offset, size} up to zeros, within 4 KiB; id is a PVR without the
 * revision's lowest digits (skiboot, libflash and core/flash.c).
 */
static int choose(struct unc_ctx *ctx, const char *name, const char **bytes, size_t *len, uint32_t pvr)
{
	uint32_t wanted = pvr & 0xffff0f00, found = 0, at = 0, size = 0;
	char ids[120] = "";
	unsigned n = 0;

	if (*len < 8 || be32(*bytes + 4) != 1)
		return unc_fail(ctx, UNC_EMAP, "%s: the partition has version %u; only version 1 can be read", name,
				*len < 8 ? 0 : be32(*bytes + 4));
	for (const char *entry = *bytes + 8; entry + 12 <= *bytes + (*len < 4096 ? *len : 4096) && be32(entry);
	     entry += 12) {
		if (n++ == 0 || be32(entry) == wanted) {
			found = be32(entry);
			at = be32(entry + 4);
			size = be32(entry + 8);
		}
		unc_text_join(ids, sizeof(ids), ", ", "0x%x", be32(entry));
	}
	if (!n || (pvr ? found != wanted : n > 1))
		return unc_fail(ctx, n ? UNC_EARG : UNC_EMAP, "%s: it has catalogues for the PVRs %s; %s", name,
				n ? ids : "(none)", pvr ? "none of them is the wanted one" : "choose one with --pvr");
	if (at > *len || size > *len - at)
		return unc_fail(ctx, UNC_EMAP, "%s: the catalogue for PVR 0x%x reaches beyond its end", name, found);
	*bytes += at;
	*len = size;
	return UNC_OK;
}

int unc_catalogue_unpack(struct unc_ctx *ctx, const char *name, const char *bytes, size_t len, uint32_t pvr,
			 char **ret_tree, size_t *ret_len)
{
	size_t n = len;
	char *tree;
	int rc = UNC_OK;

	if (begins(bytes, len, "IMCC", 4))
		rc = choose(ctx, name, &bytes, &n, pvr);
	if (rc < 0)
		return rc;
	tree = malloc(TREE_MAX);
	if (!tree)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", name);
	if (begins(bytes, n, xz_magic, sizeof(xz_magic)))
		rc = unxz(ctx, name, bytes, n, tree, &n);
	else if (!begins(bytes, n, dtb_magic, sizeof(dtb_magic)))
		rc = unc_fail(ctx, UNC_EMAP,
			      "%s: neither a device tree, nor one packed by xz, nor an IMA_CATALOG partition", name);
	else if (n > TREE_MAX)
		rc = unc_fail(ctx, UNC_EMAP, "%s: it is larger than %d bytes, the most that firmware accepts", name,
			      TREE_MAX);
	else
		memcpy(tree, bytes, n);
	if (rc < 0) {
		free(tree);
		return rc;
	}
	*ret_tree = tree;
	*ret_len = n;
	return UNC_OK;
}

/* ---- a live tree ---- */

struct packing {
	struct unc_host *host;
	char *tree;
	char path[600];
};

static bool is_folder(const struct packing *p)
{
	const char *const *names;
	size_t n;

	if (unc_host_names(p->host, p->path, &names, &n) < 0)
		return false;
	free((void *)names);
	return true;
}

static int pack_property(struct packing *p, const char *name)
{
	char *value;
	size_t len;
	int rc = unc_host_file(p->host, p->path, TREE_MAX, &value, &len);

	if (rc < 0)
		return rc;
	rc = fdt_property(p->tree, name, value, (int)len);
	free(value);
	return rc < 0 ? UNC_ERANGE : UNC_OK;
}

/* Properties come first, as in every flattened tree.  UNC_ERANGE: it does not fit. */
static int pack_folder(struct packing *p, unsigned depth)
{
	size_t len = strlen(p->path), n;
	const char *const *names;
	int rc = unc_host_names(p->host, p->path, &names, &n);

	if (rc < 0)
		return rc;
	for (size_t k = 0; k < 2 * n && rc == 0; k++) {
		bool folders = k >= n, folder;
		const char *name = names[folders ? k - n : k];

		if (len + strlen(name) + 2 > sizeof(p->path) || depth == DEPTH_MAX) {
			rc = UNC_ERANGE;
			break;
		}
		snprintf(p->path + len, sizeof(p->path) - len, "/%s", name);
		folder = is_folder(p);
		if (!folders && !folder && strcmp(name, "name") != 0)
			rc = pack_property(p, name);
		if (folders && folder) {
			rc = fdt_begin_node(p->tree, name) < 0 ? UNC_ERANGE : pack_folder(p, depth + 1);
			if (rc == 0 && fdt_end_node(p->tree) < 0)
				rc = UNC_ERANGE;
		}
		p->path[len] = '\0';
	}
	free((void *)names);
	return rc;
}

int unc_catalogue_pack(struct unc_host *host, char **ret_tree, size_t *ret_len)
{
	static const char *const places[] = {"/sys/firmware/devicetree/base/imc-counters",
					     "/proc/device-tree/imc-counters"};
	struct packing p = {.host = host, .tree = malloc(TREE_MAX)};
	bool found = false;
	int rc = UNC_OK;

	if (!p.tree)
		return unc_fail(host->ctx, UNC_ENOMEM, "%s: out of memory", places[0]);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !found; i++) {
		snprintf(p.path, sizeof(p.path), "%s", places[i]);
		found = is_folder(&p);
	}
	if (!found)
		rc = UNC_ENODEV;
	else if (fdt_create(p.tree, TREE_MAX) < 0 || fdt_finish_reservemap(p.tree) < 0 ||
		 fdt_begin_node(p.tree, "") < 0)
		rc = UNC_ERANGE;
	else
		rc = pack_folder(&p, 0);
	if (rc == 0 && (fdt_end_node(p.tree) < 0 || fdt_finish(p.tree) < 0))
		rc = UNC_ERANGE;
	if (rc == 0) {
		*ret_len = fdt_totalsize(p.tree);
		*ret_tree = p.tree;
		return UNC_OK;
	}
	free(p.tree);
	return rc == UNC_ERANGE
		       ? unc_fail(host->ctx, UNC_EMAP,
				  "%s: it has more than %d bytes, or more than %d levels: that is not a catalogue",
				  p.path, TREE_MAX, DEPTH_MAX)
		       : rc;
}
