// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/endings.h"

#include "access/replay.h"
#include "machine/machine.h"

static struct unc_host *host; /* not owned; NULL: none */
static bool replayed, signal_told, signal_replayed;

void endings_replay(void)
{
	replayed = true;
}

bool endings_replayed(void)
{
	return replayed;
}

void endings_of(struct unc_machine *machine)
{
	host = machine ? machine->host : NULL;
}

int endings_signal(int caught)
{
	int number = 0;

	if (!host || signal_told)
		return caught;
	if (replayed) {
		if (!caught && unc_replay_asks(host, UNC_RECORD_SIGNAL, &number))
			caught = number;
		signal_replayed = caught == number && number;
	} else {
		unc_record_asked(host, UNC_RECORD_SIGNAL, caught != 0, caught);
	}
	signal_told = caught != 0;
	return caught;
}

bool endings_signal_replayed(void)
{
	return signal_replayed;
}

void endings_signal_cleared(void)
{
	signal_told = signal_replayed = false;
}

void endings_command(bool ended, int status)
{
	if (host && !replayed)
		unc_record_asked(host, UNC_RECORD_ENDED, ended, status);
}

bool endings_command_replayed(int *ret_status)
{
	return host && unc_replay_asks(host, UNC_RECORD_ENDED, ret_status);
}
