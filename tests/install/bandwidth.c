// SPDX-License-Identifier: GPL-2.0-or-later
/* One channel's bandwidth:  cc -o bandwidth bandwidth.c $(pkg-config --cflags --libs libuncore) && sudo ./bandwidth */
#include <stdio.h>
#include <uncore.h>

int main(int argc, char **argv)
{
	struct unc_machine_cfg cfg = {.machine = argc > 1 ? argv[1] : "live", .writable = true};
	const char *channel = argc > 2 ? argv[2] : "socket0.imc0.ch0";
	struct unc_session *session = NULL;
	struct unc_machine *machine = NULL;
	struct unc_count counts[2];
	struct unc_box *box;
	struct unc_ctx *ctx;
	int rc, failed;

	if (unc_new(&ctx) < 0)
		return 1;
	if ((rc = unc_machine_open(ctx, &cfg, &machine)) < 0 || (rc = unc_box_find(machine, channel, &box)) < 0 ||
	    (rc = unc_session_open(machine, &(struct unc_session_cfg){0}, &session)) < 0 ||
	    (rc = unc_session_add(session, box, "cas_count.rd", NULL)) < 0 ||
	    (rc = unc_session_add(session, box, "cas_count.wr", NULL)) < 0 || (rc = unc_session_start(session)) < 0 ||
	    (rc = unc_session_sleep_until(session, unc_machine_mono_ns(machine) + 1000000000)) < 0 ||
	    (rc = unc_session_read(session, counts, 2)) < 0)
		fprintf(stderr, "bandwidth: %s\n", unc_errmsg(ctx));
	for (int i = 0; rc == 0 && i < 2; i++) {
		printf("%s %s: ", channel, i == 0 ? "read" : "write");
		if (counts[i].flags & UNC_COUNT_NO_NUMBER)
			printf("no number\n");
		else
			printf("%.3f GB/s\n", counts[i].delta * counts[i].scale / counts[i].interval_ns);
	}
	/* Closing puts the control registers back, or says which it could not. */
	failed = unc_session_close(session);
	failed |= unc_machine_close(machine);
	if (failed < 0)
		fprintf(stderr, "bandwidth: %s\n", unc_errmsg(ctx));
	unc_free(ctx);
	return rc < 0 || failed < 0;
}
