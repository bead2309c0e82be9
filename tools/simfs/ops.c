// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What FUSE asks, answered from the tree.  The low-level interface, because paths would have to be built and taken apart
 * for each access; names and attributes never change, so the kernel keeps them and comes back only for registers.
 */
#define FUSE_USE_VERSION 34
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fs.h"

static const double forever = 1e6; /* seconds */

static struct fs *fs_of(fuse_req_t req)
{
	struct fs *fs = fuse_req_userdata(req);
	const struct fuse_ctx *ctx = fuse_req_ctx(req);

	fs->client = (struct client){.uid = ctx->uid, .pid = ctx->pid};
	return fs;
}

static void stat_node(const struct fs *fs, uint64_t ino, struct stat *st)
{
	const struct node *node = tree_node(&fs->tree, ino);

	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_mode = tree_mode(node);
	st->st_nlink = S_ISDIR(st->st_mode) ? 2 + node->folders : 1;
	st->st_uid = fs->owner;
	st->st_gid = fs->group;
	st->st_blksize = 4096;
	if (node->target)
		st->st_size = (off_t)strlen(node->target);
	else if (node->type)
		st->st_size = node->size ? node->size : node->type->shown_size;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs *fs = fs_of(req);
	struct fuse_entry_param entry = {.attr_timeout = forever, .entry_timeout = forever};

	entry.ino = tree_find(&fs->tree, (uint32_t)parent, name);
	if (entry.ino)
		stat_node(fs, entry.ino, &entry.attr);
	fuse_reply_entry(req, &entry); /* inode 0: there is none, and the kernel may remember that too */
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct fs *fs = fs_of(req);
	struct stat st;

	(void)info;
	if (!tree_node(&fs->tree, ino)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	stat_node(fs, ino, &st);
	fuse_reply_attr(req, &st, forever);
}

/* `echo 1 >clock` cuts the file first, which means nothing here, as in sysfs. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *info)
{
	(void)attr;
	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, info);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	const struct node *node = tree_node(&fs_of(req)->tree, ino);

	if (node && node->target)
		fuse_reply_readlink(req, node->target);
	else
		fuse_reply_err(req, EINVAL);
}

/* Offsets: 0 is ".", 1 "..", then the inode that stands at that place; past the end: */
#define DIR_END INT64_MAX

static off_t dir_next(const struct tree *tree, uint32_t folder, off_t off)
{
	uint32_t next;

	if (off == 0)
		return 1;
	next = off == 1 ? tree->nodes[folder].first : tree->nodes[off].next;
	return next ? (off_t)next : DIR_END;
}

static const char *dir_entry(const struct tree *tree, uint32_t folder, off_t off, struct stat *st)
{
	const struct node *node;

	st->st_ino = off == 0 ? folder : off == 1 ? tree->nodes[folder].parent : (ino_t)off;
	node = tree_node(tree, st->st_ino);
	st->st_mode = tree_mode(node);
	return off == 0 ? "." : off == 1 ? ".." : node->name;
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *info)
{
	const struct tree *tree = &fs_of(req)->tree;
	char *buf = malloc(size);
	size_t len = 0;

	(void)info;
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	/* 1 is ".." and no file's inode: the root's. */
	while (off != DIR_END && off >= 0 && off < (off_t)tree->n) {
		off_t next = dir_next(tree, (uint32_t)ino, off);
		struct stat st = {0};
		const char *name = dir_entry(tree, (uint32_t)ino, off, &st);
		size_t needed = fuse_add_direntry(req, buf + len, size - len, name, &st, next);

		if (needed > size - len)
			break;
		len += needed;
		off = next;
	}
	fuse_reply_buf(req, buf, len);
	free(buf);
}

static int handle_open(struct fs *fs, struct handle *handle)
{
	const struct file_type *type = handle->node->type;
	int rc = type->open ? type->open(fs, handle) : 0;

	if (rc == 0 && type->print)
		rc = type->print(fs, handle->node, &handle->content);
	return rc == 0 && handle->content.failed ? -ENOMEM : rc;
}

static struct handle *handle_new(struct fs *fs, const struct node *node)
{
	struct handle *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return NULL;
	handle->node = node;
	handle->next = fs->handles;
	handle->link = &fs->handles;
	if (handle->next)
		handle->next->link = &handle->next;
	fs->handles = handle;
	return handle;
}

static void handle_free(struct handle *handle)
{
	*handle->link = handle->next;
	if (handle->next)
		handle->next->link = handle->link;
	free(handle->content.text);
	free(handle);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct fs *fs = fs_of(req);
	const struct node *node = tree_node(&fs->tree, ino);
	struct handle *handle;
	int rc;

	/* Root passes any mode; a file that nothing writes is refused as sysfs does. */
	if (!node->type->write && (info->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EACCES);
		return;
	}
	handle = handle_new(fs, node);
	if (!handle) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	rc = handle_open(fs, handle);
	info->fh = (uint64_t)(uintptr_t)handle;
	info->direct_io = 1; /* registers are not to be cached, and reads are not to be rounded up to pages */
	if (rc < 0)
		fuse_reply_err(req, -rc);
	/* An open that was interrupted has no release. */
	if (rc < 0 || fuse_reply_open(req, info) < 0)
		handle_free(handle);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
	struct handle *handle = (struct handle *)(uintptr_t)info->fh;
	const struct file_type *type = handle->node->type;

	(void)ino;
	if (type->close)
		type->close(fs_of(req), handle);
	handle_free(handle);
	fuse_reply_err(req, 0);
}

static void reply_content(fuse_req_t req, const struct out *content, size_t len, uint64_t off)
{
	if (off >= content->len)
		len = 0;
	else if (len > content->len - off)
		len = content->len - off;
	fuse_reply_buf(req, len ? content->text + off : NULL, len);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t len, off_t off, struct fuse_file_info *info)
{
	const struct handle *handle = (const struct handle *)(uintptr_t)info->fh;
	struct fs *fs = fs_of(req);
	char small[64], *buf = small;
	int n;

	(void)ino;
	if (handle->node->type->print) {
		reply_content(req, &handle->content, len, (uint64_t)off);
		return;
	}
	if (len > sizeof(small))
		buf = malloc(len);
	n = buf ? handle->node->type->read(fs, handle, (uint64_t)off, buf, len) : -ENOMEM;
	if (n < 0)
		fuse_reply_err(req, -n);
	else
		fuse_reply_buf(req, buf, (size_t)n);
	if (buf != small)
		free(buf);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t len, off_t off,
		     struct fuse_file_info *info)
{
	const struct handle *handle = (const struct handle *)(uintptr_t)info->fh;
	int n = handle->node->type->write(fs_of(req), handle, (uint64_t)off, buf, len);

	(void)ino;
	if (n < 0)
		fuse_reply_err(req, -n);
	else
		fuse_reply_write(req, (size_t)n);
}

/* What there is stays, and nothing is added: refused as sysfs refuses it, where FUSE by itself would answer ENOSYS. */
static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)rdev;
	fuse_reply_err(req, EACCES);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	(void)parent;
	(void)name;
	(void)mode;
	fuse_reply_err(req, EPERM);
}

static void op_remove(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to_parent, const char *to_name,
		      unsigned flags)
{
	(void)to_parent;
	(void)to_name;
	(void)flags;
	op_remove(req, parent, name);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.readdir = op_readdir,
	.open = op_open,
	.release = op_release,
	.read = op_read,
	.write = op_write,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.unlink = op_remove,
	.rmdir = op_remove,
	.rename = op_rename,
};

struct fuse_session *ops_session_new(struct fs *fs, struct fuse_args *args)
{
	return fuse_session_new(args, &operations, sizeof(operations), fs);
}

void ops_clear(struct fs *fs)
{
	struct handle *next;

	for (struct handle *handle = fs->handles; handle; handle = next) {
		next = handle->next;
		free(handle->content.text);
		free(handle);
	}
	fs->handles = NULL;
}
