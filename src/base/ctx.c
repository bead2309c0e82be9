// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "base/err.h"

int unc_new(struct unc_ctx **ret_ctx)
{
	struct unc_ctx *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return UNC_ENOMEM;
	*ret_ctx = ctx;
	return UNC_OK;
}

void unc_free(struct unc_ctx *ctx)
{
	free(ctx);
}

const char *unc_errmsg(const struct unc_ctx *ctx)
{
	return ctx->msg;
}

void unc_set_log(struct unc_ctx *ctx, unc_log_fn *fn, void *arg)
{
	ctx->log = fn;
	ctx->log_arg = arg;
}
