// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include "base/err.h"

int unc_files_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n)
{
	int rc;

	if (ctx->files)
		return ctx->files->list(ctx->files, path, ret_names, ret_n);
	rc = unc_os_dir_trust(ctx, path);
	return rc < 0 ? rc : unc_os_dir_list(ctx, path, ret_names, ret_n);
}

int unc_files_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		   size_t *ret_len)
{
	if (ctx->files)
		return ctx->files->read(ctx->files, path, max, trust, ret_text, ret_len);
	return unc_os_file_read(ctx, path, max, trust, ret_text, ret_len);
}
