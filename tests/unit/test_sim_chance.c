// SPDX-License-Identifier: GPL-2.0-or-later
/* seed=: what varies, between what, and always in the same way. */
#include "test_sim.h"

#define STEP "hsx,sockets=8,clock=step"

static uint64_t mono_ns(void)
{
	return fx.host->ops->now_ns(fx.host, UNC_CLOCK_MONO);
}

static struct fx_moved bytes_of(size_t channel)
{
	struct unc_sim_channel is = fx_channel(channel);

	return fx_moved(&is.addr);
}

enum { ACCESSES = 4000 };

/* Times of many accesses and sleeps, one behind the other. */
static void times_of(const char *args, uint64_t *ret_ns)
{
	struct unc_space *space;
	uint32_t value;

	fx_open(args);
	space = fx_space("1f:14.0");
	for (size_t i = 0; i < ACCESSES; i++) {
		int rc = i % 8 ? unc_read32(space, 0, &value) : fx.host->ops->sleep_until(fx.host, mono_ns() + 1000000);

		CU_ASSERT_EQUAL(rc, 0);
		ret_ns[i] = mono_ns();
	}
	unc_space_close(space);
}

TEST(accesses_and_sleeps_take_longer_at_times)
{
	uint64_t ns[ACCESSES], least = UINT64_MAX, most = 0, overshot = 0;
	unsigned preempted = 0;

	times_of(STEP ",seed=7", ns);
	for (size_t i = 1; i < ACCESSES; i++) {
		uint64_t took_ns = ns[i] - ns[i - 1];

		if (i % 8 == 0) {
			CU_ASSERT(took_ns >= 1000000 && took_ns <= 1100000);
			overshot = took_ns > overshot ? took_ns : overshot;
		} else if (took_ns >= 10000) {
			preempted++;
			CU_ASSERT(took_ns <= 61500 || (took_ns >= 1000000 && took_ns <= 20061500));
		} else {
			least = took_ns < least ? took_ns : least;
			most = took_ns > most ? took_ns : most;
		}
	}
	CU_ASSERT(least >= 250 && least < 300);
	CU_ASSERT(most <= 1500 && most > 1450);
	CU_ASSERT(overshot > 1090000);
	CU_ASSERT(preempted > 0 && preempted < 20);
}

TEST(the_same_seed_is_the_same_again_and_another_is_not)
{
	uint64_t a[ACCESSES], b[ACCESSES], c[ACCESSES];

	times_of(STEP ",seed=3", a);
	times_of(STEP ",seed=3", b);
	times_of(STEP ",seed=4", c);
	CU_ASSERT(memcmp(a, b, sizeof(a)) == 0);
	CU_ASSERT(memcmp(a, c, sizeof(a)) != 0);
}

TEST(without_a_seed_nothing_varies)
{
	uint64_t ns[ACCESSES];

	times_of(STEP, ns);
	for (size_t i = 1; i < ACCESSES; i++)
		CU_ASSERT_EQUAL(ns[i] - ns[i - 1], i % 8 ? 500 : 1000000);
}

TEST(who_has_no_durations_gets_none)
{
	uint64_t ns[ACCESSES];

	times_of(STEP ",seed=9,dword_ns=0", ns);
	for (size_t i = 1; i < ACCESSES; i++)
		CU_ASSERT(i % 8 == 0 || ns[i] == ns[i - 1]);
}

/* Between half of the default and all of it, so that nothing is exceeded; with clock=real too. */
TEST(the_load_of_each_channel_and_seed_is_another)
{
	struct fx_moved usual[32];
	uint64_t all[2 * 32 * 16];
	size_t n = 0;

	fx_open(STEP);
	fx_step(SECOND);
	for (size_t channel = 0; channel < 32; channel++)
		usual[channel] = bytes_of(channel);
	for (unsigned seed = 0; seed < 16; seed++) {
		fx_open(fx_text(STEP ",seed=%u", seed));
		fx_step(1000000000);
		for (size_t channel = 0; channel < 32; channel++) {
			struct fx_moved is = bytes_of(channel);

			CU_ASSERT(is.read <= usual[channel].read && is.read + 64 >= usual[channel].read / 2);
			CU_ASSERT(is.written <= usual[channel].written &&
				  is.written + 64 >= usual[channel].written / 2);
			all[n++] = is.read;
			all[n++] = is.written;
		}
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(all[i], all[k]);
}

TEST(real_time_goes_as_ever)
{
	uint64_t ns;

	fx_open("hsx,seed=5");
	ns = mono_ns();
	CU_ASSERT_EQUAL(fx.host->ops->sleep_until(fx.host, ns + 1000), 0);
	CU_ASSERT(mono_ns() >= ns + 1000);
}

TEST(a_state_belongs_to_its_seed_and_channels)
{
	const char *path = fx_file(NULL),
		   *args = fx_text("hsx,clock=step,seed=5,empty=socket0.imc0.ch1,state=%s", path);

	fx_open(args);
	fx_open(args);
	FX_REFUSED(fx_text("hsx,clock=step,seed=6,empty=socket0.imc0.ch1,state=%s", path), "another machine",
		   ",seed=5,", "empty channels 1,");
	FX_REFUSED(fx_text("hsx,clock=step,seed=5,state=%s", path), "another machine");
	FX_REFUSED(fx_text("hsx,clock=step,empty=socket0.imc0.ch1,state=%s", path), "another machine");
	FX_REFUSED("hsx,seed=x", "seed=x", "a number");
}
