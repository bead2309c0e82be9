// SPDX-License-Identifier: GPL-2.0-or-later
/* What two parts of a program read:  cc -o regions regions.c $(pkg-config --cflags --libs libuncore) && sudo ./regions */
#define UNC_REGIONS /* without this, none of the calls is in the program */
#include <stdio.h>
#include <uncore/region.h>

/* Stands for work: a simulated machine moves memory without us. */
static void work(struct unc_machine *machine, unsigned ms)
{
	unc_machine_sleep_until(machine, unc_machine_mono_ns(machine) + ms * 1000000ull);
}

static void print(struct unc_regions *regions)
{
	for (size_t i = 0; i < unc_region_count(regions); i++) {
		struct unc_region_info info;
		struct unc_count count;

		if (unc_region_info(regions, i, &info) < 0 || unc_region_counts(regions, i, &count, 1) < 0)
			continue;
		printf("%s%s, %llu times: ", info.parent == SIZE_MAX ? "" : "  ", info.name,
		       (unsigned long long)info.times);
		if (info.too_short || count.flags & UNC_COUNT_NO_NUMBER)
			printf("no number\n");
		else
			printf("%.2f GB read\n", unc_count_value(&count) / 1e9);
	}
}

int main(int argc, char **argv)
{
	struct unc_machine_cfg cfg = {.machine = argc > 1 ? argv[1] : "live", .writable = true};
	struct unc_session *session = NULL;
	struct unc_machine *machine = NULL;
	struct unc_regions *regions = NULL;
	struct unc_box *box;
	struct unc_ctx *ctx;
	int rc, failed;

	if (unc_new(&ctx) < 0)
		return 1;
	if ((rc = unc_machine_open(ctx, &cfg, &machine)) < 0 ||
	    (rc = unc_box_find(machine, "socket0.imc0.ch0", &box)) < 0 ||
	    (rc = unc_session_open(machine, &(struct unc_session_cfg){.confirm_later = true}, &session)) < 0 ||
	    (rc = unc_session_add(session, box, "cas_count.rd", NULL)) < 0 || (rc = unc_session_start(session)) < 0 ||
	    (rc = unc_regions_open(session, &regions)) < 0)
		fprintf(stderr, "regions: %s\n", unc_errmsg(ctx));
	for (int i = 0; rc == 0 && i < 3; i++) {
		unc_region_begin(regions, "step");
		work(machine, 100);
		unc_region_begin(regions, "solve");
		work(machine, 400);
		unc_region_end(regions, "solve");
		unc_region_end(regions, "step");
	}
	if (rc == 0)
		print(regions);
	unc_regions_close(regions);
	failed = unc_session_close(session);
	failed |= unc_machine_close(machine);
	if (failed < 0)
		fprintf(stderr, "regions: %s\n", unc_errmsg(ctx));
	unc_free(ctx);
	return rc < 0 || failed < 0;
}
