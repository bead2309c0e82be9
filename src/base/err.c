// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include "base/text.h"

const char *unc_version(void)
{
	return UNC_VERSION;
}

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

int unc_fail_named(struct unc_ctx *ctx, int err, const char *name, const char *fmt, ...)
{
	/* Formatted into a buffer first: an argument may be the message that is about to be replaced. */
	char msg[UNC_MSG_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(msg, sizeof(msg), fmt, args);
	va_end(args);
	unc_text_show(msg, ctx->msg, sizeof(ctx->msg));
	ctx->os_name = name;
	return err;
}

int unc_wrap(struct unc_ctx *ctx, int err, const char *fmt, ...)
{
	char level[256], shown[256], msg[UNC_MSG_MAX + sizeof(shown) + 2];
	va_list args;

	if (err == 0)
		return 0;
	va_start(args, fmt);
	vsnprintf(level, sizeof(level), fmt, args);
	va_end(args);
	unc_text_show(level, shown, sizeof(shown));
	snprintf(msg, sizeof(msg), "%s: %s", shown, ctx->msg);
	memcpy(ctx->msg, msg, UNC_MSG_MAX - 1);
	ctx->msg[UNC_MSG_MAX - 1] = '\0';
	return err;
}

int unc_list_add(struct unc_ctx *ctx, void *list, size_t *n, const void *element, size_t size)
{
	return unc_array_add(list, n, element, size) ? UNC_OK : unc_fail(ctx, UNC_ENOMEM, "out of memory");
}

void unc_note(struct unc_ctx *ctx, const char *fmt, ...)
{
	char sentence[UNC_MSG_MAX], shown[UNC_MSG_MAX];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	unc_text_show(sentence, shown, sizeof(shown));
	ctx->log(ctx->log_arg, shown);
}

const char *unc_setting(const struct unc_ctx *ctx, const char *option)
{
	static const char *const fields[][2] = {
		{"--abmc", "cfg.assign"},     {"--force", "cfg.force"},     {"--freeze", "cfg.freeze"},
		{"--no-wait", "cfg.no_wait"}, {"--observe", "cfg.observe"}, {"--shared", "cfg.shared"},
		{"--start", "cfg.start"},     {"--state", "cfg.state_dir"},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !ctx->is_command; i++)
		if (strcmp(fields[i][0], option) == 0)
			return fields[i][1];
	return option;
}

void unc_msg_save(const struct unc_ctx *ctx, struct unc_saved_msg *ret_saved)
{
	memcpy(ret_saved->msg, ctx->msg, sizeof(ret_saved->msg));
	ret_saved->os_name = ctx->os_name;
}

void unc_msg_restore(struct unc_ctx *ctx, const struct unc_saved_msg *saved)
{
	memcpy(ctx->msg, saved->msg, sizeof(ctx->msg));
	ctx->os_name = saved->os_name;
}

const char *unc_err_name(const struct unc_ctx *ctx, int err)
{
	static const char *const names[] = {
		[-UNC_ENOMEM] = "ENOMEM", [-UNC_EARG] = "EINVAL",   [-UNC_EPERM] = "EPERM", [-UNC_ENODEV] = "ENODEV",
		[-UNC_ERANGE] = "EINVAL", [-UNC_EDENIED] = "EPERM", [-UNC_EBUSY] = "EBUSY", [-UNC_EAGAIN] = "EAGAIN",
	};
	size_t i = err < 0 ? (size_t)-err : 0;

	if (ctx->os_name)
		return ctx->os_name;
	return i < sizeof(names) / sizeof(names[0]) && names[i] ? names[i] : "EIO";
}

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
