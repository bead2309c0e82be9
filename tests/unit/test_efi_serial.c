// SPDX-License-Identifier: GPL-2.0-or-later
/* --log serial under firmware, of lines that take all, some, or nothing.  The file is no part of a build for Linux. */
#define efi           serial_efi
#define unc_os_now_ns serial_now_ns
#include "../../src/os/efi/serial.c"
#undef unc_os_now_ns

#include <stdlib.h>

#include "onsim.h"
#include "test.h"

static struct {
	char sent[4 * ROOM];
	size_t n;
	size_t takes; /* of each chunk */
	uint64_t ns;  /* each look at the time is a tenth of a millisecond later */
} t;

uint64_t serial_now_ns(enum unc_clock clock)
{
	(void)clock;
	return t.ns += UNC_EFI_NS / 10000;
}

static EFI_STATUS control(struct efi_serial *line, uint32_t *ret_control)
{
	(void)line;
	*ret_control = t.takes ? EFI_SERIAL_OUTPUT_EMPTY : 0;
	return EFI_SUCCESS;
}

static EFI_STATUS take(struct efi_serial *line, size_t *n, const void *bytes)
{
	(void)line;
	*n = *n < t.takes ? *n : t.takes;
	memcpy(t.sent + t.n, bytes, *n);
	t.n += *n;
	return EFI_SUCCESS;
}

static __typeof__(*((struct efi_serial *)0)->Mode) mode = {.BaudRate = 38400};
static struct efi_serial line = {.GetControl = control, .Write = take, .Mode = &mode};

static EFI_STATUS find(const EFI_GUID *protocol, void *key, void **ret_interface)
{
	(void)protocol, (void)key;
	*ret_interface = &line;
	return EFI_SUCCESS;
}

static struct efi_boot boot = {.LocateProtocol = find};
static const struct unc_efi self = {.boot = &boot};
const struct unc_efi *efi = &self;

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	memset(&serial, 0, sizeof(serial));
	t.takes = CHUNK;
	CU_ASSERT_FATAL(unc_efi_serial_open());
}

static void end(void)
{
}

EACH(begin, end)

static void put(const char *text)
{
	unc_efi_serial_put(text, strlen(text));
}

/* Rows of several lengths, each printed in two pieces: there may be room for the first of them alone. */
static void put_rows(unsigned n)
{
	char row[120];

	for (unsigned i = 0; i < n; i++) {
		snprintf(row, sizeof(row), "%05u,%0*u,", i, 60 + (int)(i % 7), i);
		put(row);
		put("e\n");
		unc_efi_serial_pause(UNC_EFI_NS);
	}
}

/* Each line that was sent is a whole row.  Returns how many there are. */
static unsigned whole_rows(void)
{
	unsigned n = 0;

	for (char *rest = t.sent, *end; (end = strchr(rest, '\n')) != NULL; rest = end + 1, n++) {
		EQ(end - rest, 69 + (unsigned)atoi(rest) % 7);
		CU_ASSERT_TRUE(strncmp(end - 3, ",e\r", 3) == 0);
	}
	return n;
}

TEST(a_line_that_takes_some_of_a_chunk_gets_the_rest_later)
{
	t.takes = 3;
	put("one\ntwo\n");
	unc_efi_serial_end();
	SAME(t.sent, "one\r\ntwo\r\n");
	CU_ASSERT_FALSE(unc_efi_serial_is_open());
}

TEST(while_it_measures_a_row_is_sent_whole_or_not_at_all)
{
	unsigned rows;

	unc_efi_serial_pause(0);
	put_rows(3000);
	CU_ASSERT_TRUE(serial.dropped > 0);
	rows = 3000 - serial.dropped;
	serial.dropped = 0;
	unc_efi_serial_end();
	EQ(whole_rows(), rows);
}

TEST(before_it_measures_output_waits_for_the_line)
{
	char row[] = "a line; all of them together need more room than there is\n";

	for (unsigned i = 0; i < 2000; i++)
		put(row);
	unc_efi_serial_end();
	EQ(t.n, 2000 * sizeof(row)); /* with a return each */
	EQ(serial.dropped, 0);
}

TEST(a_line_that_nobody_reads_delays_the_program_once_by_a_second)
{
	uint64_t begun_ns = t.ns;

	t.takes = 0;
	for (unsigned i = 0; i < 3000; i++)
		put("a line; all of them together need more room than there is\n");
	CU_ASSERT_TRUE(t.ns - begun_ns < 2 * UNC_EFI_NS);
	CU_ASSERT_TRUE(serial.dropped > 1000);
}
