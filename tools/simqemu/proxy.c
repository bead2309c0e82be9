// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "proxy.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"

enum command { SYNC_SYSMEM, RET, CFG_WRITE, CFG_READ, BAR_WRITE, BAR_READ, SET_IRQFD, DEVICE_RESET, COMMANDS };

enum {
	STATUS = 0x04,
	BARS = 0x10,
	BARS_END = 0x28,
	CAPABILITIES = 0x34,
	HDR_END = 0x40,        /* from here on a function's registers are its own */
	CAPABILITY_END = 0x7c, /* or from here on, where it has a PCI Express capability of ours */
};

struct message {
	int32_t command;
	uint64_t size;
	const unsigned char *data;
};

struct config_data {
	uint32_t off, value;
	int32_t len;
};

struct bar_data {
	uint64_t address, value;
	uint32_t len;
	uint8_t is_memory, padding[3];
};

/* What is right of each command; RET is for us to say. */
static const struct {
	const char *name;
	uint64_t size;
	bool known, any_size, answered;
} commands[COMMANDS] = {
	[SYNC_SYSMEM] = {.name = "SYNC_SYSMEM", .known = true, .any_size = true},
	[CFG_WRITE] = {.name = "PCI_CFGWRITE", .known = true, .size = sizeof(struct config_data), .answered = true},
	[CFG_READ] = {.name = "PCI_CFGREAD", .known = true, .size = sizeof(struct config_data), .answered = true},
	[BAR_WRITE] = {.name = "BAR_WRITE", .known = true, .size = sizeof(struct bar_data), .answered = true},
	[BAR_READ] = {.name = "BAR_READ", .known = true, .size = sizeof(struct bar_data), .answered = true},
	[SET_IRQFD] = {.name = "SET_IRQFD", .known = true, .any_size = true},
	[DEVICE_RESET] = {.name = "DEVICE_RESET", .known = true, .any_size = true, .answered = true},
};

static enum link_said wrong(const struct link *link, const struct message *message, const char *why)
{
	char name[UNC_ADDR_TEXT];

	say("pci %s: QEMU sent command %" PRId32 " with %" PRIu64 " bytes: %s; is it a QEMU that is not known here?",
	    unc_addr_text(&link->addr, name), message->command, message->size, why);
	return LINK_WRONG;
}

static enum link_said cut_short(const struct link *link)
{
	char name[UNC_ADDR_TEXT];

	say("pci %s: QEMU closed its socket in the middle of a message", unc_addr_text(&link->addr, name));
	return LINK_WRONG;
}

static enum link_said answer(struct link *link, uint64_t value)
{
	unsigned char bytes[PROXY_HEADER + sizeof(value)] = {0};
	int32_t command = RET;
	uint64_t size = sizeof(value);

	memcpy(bytes, &command, sizeof(command));
	memcpy(bytes + 8, &size, sizeof(size));
	memcpy(bytes + PROXY_HEADER, &value, sizeof(value));
	/* One question at a time: there is always room for the answer, unless QEMU has ended. */
	return send(link->fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == (ssize_t)sizeof(bytes) ? LINK_FINE : LINK_ENDED;
}

/*
 * A kernel takes 256 bytes for all there is of a function without a PCI Express capability, which the machine's do not have: one of an
 * integrated endpoint is at 0x40, where the machine has no register.
 */
static uint32_t capability(uint32_t off)
{
	switch (off) {
	case STATUS:
		return UINT32_C(1) << 20;
	case CAPABILITIES:
		return HDR_END;
	case HDR_END:
		return UINT32_C(0x00920010);
	default:
		return 0;
	}
}

/*
 * What is not there, or fails, is all ones, as on a bus.  An address of the machine's that looks like a BAR may not be moved, and QEMU is
 * told that it has no size.
 */
static uint64_t config_read(struct served *sim, struct link *link, const struct config_data *data)
{
	unsigned char bytes[4] = {0xff, 0xff, 0xff, 0xff};
	size_t len = (size_t)data->len;
	bool is_bar = link->asked_bar == data->off && data->off;
	uint32_t value;

	link->asked_bar = 0;
	if (served_config_read(sim, &link->addr, data->off, bytes, len) < 0)
		memset(bytes, 0xff, sizeof(bytes));
	if (is_bar)
		return 0;
	value = unc_le32(bytes);
	if (link->extended)
		value |= capability(data->off & ~UINT32_C(3)) >> data->off % 4 * 8;
	return value & UINT32_MAX >> (32 - 8 * len);
}

/*
 * What firmware and kernel write into the header, to see how large what is announced there might be, and which
 * interrupt it got, and what they write into the capability, is no mistake of theirs, so the machine, which takes it for one, is not told.
 */
static void config_write(struct served *sim, struct link *link, const struct config_data *data)
{
	unsigned char bytes[4];
	struct access header = {
		.addr = link->addr, .write = true, .off = data->off, .bytes = bytes, .len = (size_t)data->len};

	unc_put_le32(bytes, data->value);
	if (data->off >= BARS && data->off < BARS_END && data->value == UINT32_MAX)
		link->asked_bar = data->off;
	if (data->off < (link->extended ? CAPABILITY_END : HDR_END))
		log_access(sim, &header);
	else
		served_config_write(sim, &link->addr, data->off, bytes, (size_t)data->len);
}

static enum link_said config(struct served *sim, struct link *link, const struct message *message)
{
	struct config_data data;
	uint64_t value = 0;

	memcpy(&data, message->data, sizeof(data));
	if (data.len != 1 && data.len != 2 && data.len != 4)
		return wrong(link, message, "accesses have 1, 2 or 4 bytes");
	if (message->command == CFG_READ && link->is_window)
		value = window_config_read(sim, link, data.off) & UINT32_MAX >> (32 - 8 * data.len);
	else if (message->command == CFG_READ)
		value = config_read(sim, link, &data);
	else if (link->is_window)
		window_config_write(sim, link, data.off, data.value);
	else
		config_write(sim, link, &data);
	return answer(link, value);
}

/* The address is a physical one.  What fails reads as all ones. */
static enum link_said memory(struct served *sim, struct link *link, const struct message *message)
{
	struct link function = {.extended = true};
	struct config_data in_config = {0};
	unsigned char bytes[8];
	struct bar_data data;
	bool write = message->command == BAR_WRITE;

	memcpy(&data, message->data, sizeof(data));
	if (data.len != 1 && data.len != 2 && data.len != 4 && data.len != 8)
		return wrong(link, message, "accesses of memory have 1, 2, 4 or 8 bytes");
	if (window_config_at(link, data.address, &function.addr, &in_config.off)) {
		in_config.len = data.len < 4 ? (int32_t)data.len : 4;
		in_config.value = (uint32_t)data.value;
		if (!write)
			return answer(link, config_read(sim, &function, &in_config));
		config_write(sim, &function, &in_config);
		return answer(link, 0);
	}
	memset(bytes, 0, sizeof(bytes));
	if (write)
		unc_put_le64(bytes, data.value);
	if (served_mem_access(sim, write, data.address, bytes, data.len) < 0)
		memset(bytes, 0xff, data.len);
	return answer(link, write ? 0 : unc_le64(bytes));
}

static enum link_said obey(struct served *sim, struct link *link, const struct message *message)
{
	if (message->command < 0 || message->command >= COMMANDS || !commands[message->command].known)
		return wrong(link, message, "there is no such command");
	if (!commands[message->command].any_size && message->size != commands[message->command].size)
		return wrong(link, message, "that is not its size");
	if (message->command == CFG_READ || message->command == CFG_WRITE)
		return config(sim, link, message);
	if ((message->command == BAR_READ || message->command == BAR_WRITE) && link->is_window)
		return memory(sim, link, message);
	/* Interrupts are of no use to these functions, other BARs they have none, and a reset is the machine's. */
	return commands[message->command].answered ? answer(link, 0) : LINK_FINE;
}

/* All that is whole in the buffer. */
static enum link_said obey_all(struct served *sim, struct link *link)
{
	enum link_said said = LINK_FINE;

	while (said == LINK_FINE && link->have >= PROXY_HEADER) {
		struct message message = {.data = link->buf + PROXY_HEADER};
		size_t len;

		memcpy(&message.command, link->buf, sizeof(message.command));
		memcpy(&message.size, link->buf + 8, sizeof(message.size));
		if (message.size > PROXY_DATA_MAX)
			return wrong(link, &message, "no message is that long");
		len = PROXY_HEADER + (size_t)message.size;
		if (link->have < len)
			break;
		said = obey(sim, link, &message);
		link->have -= len;
		memmove(link->buf, link->buf + len, link->have);
	}
	return said;
}

static void fds_close(struct msghdr *header)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
		size_t n = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		for (size_t i = 0; part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS && i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(part) + i * sizeof(fd), sizeof(fd));
			close(fd);
		}
	}
}

static ssize_t receive(struct link *link)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = link->buf + link->have, .iov_len = sizeof(link->buf) - link->have};
	struct msghdr header = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(link->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n >= 0)
		fds_close(&header);
	return n;
}

enum link_said link_serve(struct served *sim, struct link *link)
{
	ssize_t n = receive(link);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? LINK_FINE : LINK_ENDED;
	if (n == 0 && link->have)
		return cut_short(link);
	if (n == 0)
		return LINK_ENDED;
	link->asked = true;
	link->have += (size_t)n;
	return obey_all(sim, link);
}
