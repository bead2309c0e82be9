// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a catalogue from a file, for commands that open no machine. */
#include "catalogue/catalogue.h"

#include "cli/confine.h"

int catalogue_read(struct unc_ctx *ctx, const struct globals *globals, const char *path, uint32_t pvr,
		   struct unc_map **ret_map)
{
	enum { FILE_MAX = 1 << 20 };
	char *bytes, *tree;
	size_t len, tree_len;
	int rc = unc_os_file_read(ctx, path, FILE_MAX, UNC_TRUST_ANY, &bytes, &len);

	if (rc < 0)
		return rc == UNC_ENODEV ? UNC_EARG : rc; /* a missing file is an error of the arguments */
	confine(globals, CONFINE_READING, 0);
	rc = unc_catalogue_unpack(ctx, path, bytes, len, pvr, &tree, &tree_len);
	free(bytes);
	return rc < 0 ? rc : unc_catalogue_parse(ctx, path, tree, tree_len, ret_map);
}
