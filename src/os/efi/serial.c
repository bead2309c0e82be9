// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --log serial: what is printed goes to the first serial line, which may be a hundred times slower than what it is of.  It waits in
 * memory, and leaves in the pauses between samples, a few bytes at a time, so that no sample is late.
 */
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "os/efi/efi.h"

enum { ROOM = 1 << 16, CHUNK = 16 /* as many as a 16550 takes at once */ };

static struct {
	struct efi_serial *line; /* firmware's; NULL: the console is used */
	char waiting[ROOM];
	size_t first, len;
	size_t unfinished; /* the last bytes of them: a line whose end was not printed yet */
	bool drops;        /* nothing may wait for the line: the program measures, or nobody takes what is sent */
	bool in_dropped;   /* the rest of a line that has no room */
	unsigned dropped;  /* lines */
	uint64_t chunk_ns; /* that a chunk takes */
} serial;

bool unc_efi_serial_open(void)
{
	enum { BITS = 10, BAUD = 9600 }; /* a byte with start and stop; where firmware does not say */
	uint64_t baud;

	if (efi->boot->LocateProtocol(&EFI_SERIAL, NULL, (void **)&serial.line) != EFI_SUCCESS)
		return false;
	baud = serial.line->Mode->BaudRate;
	serial.chunk_ns = UNC_EFI_NS * CHUNK * BITS / (baud ? baud : BAUD);
	return true;
}

bool unc_efi_serial_is_open(void)
{
	return serial.line != NULL;
}

/* Hands over one chunk, if the last one has left.  False: nothing was taken. */
static bool hand_over(void)
{
	size_t n = serial.len < CHUNK ? serial.len : CHUNK;
	uint32_t control = EFI_SERIAL_OUTPUT_EMPTY;

	if (n > ROOM - serial.first)
		n = ROOM - serial.first;
	if (!n || serial.line->GetControl(serial.line, &control) != EFI_SUCCESS || !(control & EFI_SERIAL_OUTPUT_EMPTY))
		return false;
	serial.line->Write(serial.line, &n, serial.waiting + serial.first); /* n becomes what was taken */
	serial.first = (serial.first + n) % ROOM;
	serial.len -= n;
	return n > 0;
}

void unc_efi_serial_pause(uint64_t ns)
{
	serial.drops = true;
	if (serial.line && ns > 2 * serial.chunk_ns)
		hand_over();
}

/* Waits until there is so much room.  If the line takes nothing for a second, nobody reads it, and nothing waits for it any more. */
static void wait_for(size_t room)
{
	uint64_t last = unc_os_now_ns(UNC_CLOCK_MONO), now = last;

	while (ROOM - serial.len < room && now - last < UNC_EFI_NS) {
		now = unc_os_now_ns(UNC_CLOCK_MONO);
		if (hand_over())
			last = now;
	}
	serial.drops |= ROOM - serial.len < room;
}

void unc_efi_serial_put(const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) + 1 : len, room = n + 1; /* the return in front of a newline */

		if (!serial.drops && !serial.in_dropped)
			wait_for(room);
		if (serial.in_dropped || ROOM - serial.len < room) {
			serial.dropped += !serial.in_dropped;
			if (serial.unfinished <= serial.len) /* no part of a line is sent alone */
				serial.len -= serial.unfinished;
			serial.unfinished = 0;
			serial.in_dropped = !end;
		} else {
			for (size_t i = 0; i < n; i++) {
				if (text[i] == '\n')
					serial.waiting[(serial.first + serial.len++) % ROOM] = '\r';
				serial.waiting[(serial.first + serial.len++) % ROOM] = text[i];
			}
			serial.unfinished = end ? 0 : serial.unfinished + n;
		}
		text += n;
		len -= n;
	}
}

void unc_efi_serial_end(void)
{
	unsigned dropped = serial.dropped;

	if (!serial.line)
		return;
	serial.drops = false;
	if (dropped)
		fprintf(stderr,
			"uncorectl: note: --log serial: %u line%s dropped, since the serial line is slower than what "
			"is printed; "
			"take longer intervals, or -o FILE\n",
			dropped, dropped == 1 ? " was" : "s were");
	wait_for(ROOM);
	serial.line = NULL;
}
