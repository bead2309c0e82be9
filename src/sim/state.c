// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of a machine: its file, its time, and the check that what the file holds is possible. */

#include "sim/perf.h"
#include "sim/qm.h"
#include "sim/state.h"

static const char magic[16] = "uncorectl sim\n";

enum { VERSION = 13 };

static struct unc_sim_identity identity(const struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	struct unc_sim_identity id;

	memset(&id, 0, sizeof(id)); /* the padding is compared and stored, too */
	memcpy(id.magic, magic, sizeof(magic));
	strncpy(id.model, options->model->name, sizeof(id.model) - 1);
	id.version = VERSION;
	id.bytes = sizeof(struct unc_sim_state);
	id.sockets = options->sockets;
	id.cores = options->cores;
	id.threads = options->threads;
	id.domains = options->domains;
	id.l3s = options->l3s;
	id.snc = options->snc;
	id.step = options->step;
	id.frz_en_rw = options->frz_en_rw;
	id.reversed = options->reversed;
	id.qm_per_package = options->qm_per_package;
	id.abmc = options->abmc;
	id.amd = options->amd;
	memcpy(id.offline, options->offline.has, sizeof(id.offline));
	id.seed = options->seed;
	id.seeded = options->seeded;
	id.empty = sim->empty;
	id.pmem = sim->pmem;
	id.load = sim->load.fingerprint;
	id.dump = options->dump ? options->dump->fingerprint : 0;
	id.defects = options->defects.fingerprint;
	return id;
}

enum { LIST_TEXT = 64 };

/* Returns a list such as "3,7", or none; a list that is too long for its buffer is cut. */
static const char *list_text(const uint64_t *words, unsigned n, const char *none, char buf[LIST_TEXT])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < n; i++)
		if (words[i / 64] >> i % 64 & 1)
			unc_text_join(buf, LIST_TEXT, ",", "%u", i);
	return *buf ? buf : none;
}

static int differs(const struct unc_sim *sim, const struct unc_sim_identity *is)
{
	char text[LIST_TEXT], empty[LIST_TEXT], pmem[LIST_TEXT], seed[32] = "", amd[96] = "";
	const char *path = sim->options.state;

	if (memcmp(is->magic, magic, sizeof(magic)) != 0)
		return unc_sim_fail(sim, UNC_EARG, "state=%s: this is not a state of a simulated machine", path);
	if (is->version != VERSION || is->bytes != sizeof(struct unc_sim_state))
		return unc_sim_fail(sim, UNC_EARG,
				    "state=%s: it was made by another version of this program (%" PRIu32
				    ", here %d); remove it",
				    path, is->version, VERSION);
	if (is->seeded)
		snprintf(seed, sizeof(seed), ",seed=%" PRIu64, is->seed);
	if (is->amd.df_ctrs)
		snprintf(amd, sizeof(amd),
			 ",umcs=0x%" PRIx32 ":0x%" PRIx32 ",df_ctrs=%" PRIu32 ":%" PRIu32 ",umc_ctrs=%" PRIu32
			 ":%" PRIu32 ",remote=%" PRIu32 ",vm=%d",
			 is->amd.umcs[0].mask, is->amd.umcs[1].mask, is->amd.df_ctrs, is->amd.df_here,
			 is->amd.umcs[0].ctrs, is->amd.umcs[0].here, is->amd.remote, (int)is->amd.vm);
	return unc_sim_fail(
		sim, UNC_EARG,
		"state=%s: it is the state of another machine: %.15s,sockets=%" PRIu32 ",cores=%" PRIu32
		",threads=%" PRIu32 ",l3s=%" PRIu32 ",snc=%" PRIu32 ",domains=%" PRIu32
		",clock=%s,frz_en=%s,numbering=%s,qm_scope=%s,abmc=%d%s%s, with %s offline, load %016" PRIx64
		", empty channels %s, Optane modules in channels %s, CPUID dump %016" PRIx64 " and defects %016" PRIx64
		"; use the same options, or remove it",
		path, is->model, is->sockets, is->cores, is->threads, is->l3s, is->snc, is->domains,
		is->step ? "step" : "real", is->frz_en_rw ? "rw" : "wo", is->reversed ? "reversed" : "normal",
		is->qm_per_package ? "package" : "thread", is->abmc ? 1 : 0, amd, seed,
		list_text(is->offline, UNC_SIM_CPUS_MAX, "no CPU", text), is->load,
		list_text(is->empty.has, UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX, "none", empty),
		list_text(is->pmem.has, UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX, "none", pmem), is->dump,
		is->defects);
}

/* The first opener makes the machine. The caller holds the lock, as two openers may come at once. */
static int adopt(const struct unc_sim *sim, struct unc_sim_state *state)
{
	static const struct unc_sim_identity none;
	struct unc_sim_identity id = identity(sim);
	uint64_t raw_ns = unc_os_now_ns(UNC_CLOCK_RAW);

	if (memcmp(&state->identity, &none, sizeof(none)) == 0) {
		state->identity = id;
		state->start_raw_ns = raw_ns;
		return UNC_OK;
	}
	if (memcmp(&state->identity, &id, sizeof(id)) != 0)
		return differs(sim, &state->identity);
	/* RAW starts again when the computer boots; then the times in the file would be in the future. */
	if (!id.step && (raw_ns < state->start_raw_ns || raw_ns - state->start_raw_ns < state->now_ns))
		return unc_sim_fail(sim, UNC_EARG,
				    "state=%s: that machine was started before this computer was, so its time is lost; "
				    "remove it",
				    sim->options.state);
	return UNC_OK;
}

int unc_sim_store_open(struct unc_sim *sim, size_t used)
{
	struct unc_sim_store *store = &sim->store;
	const char *path = sim->options.state;
	int rc;

	if (path) {
		rc = unc_os_shared_open(sim->host.ctx, path, sizeof(*store->state), used, &store->shared);
		if (rc < 0)
			return unc_sim_path_failed(sim->host.ctx, sim->options.model, "state", rc);
		store->state = store->shared.mem;
	} else {
		store->state = calloc(1, used);
		if (!store->state)
			return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	}
	unc_os_shared_lock(&store->shared);
	rc = adopt(sim, store->state);
	unc_os_shared_unlock(&store->shared);
	if (rc < 0)
		unc_sim_store_close(store);
	return rc;
}

void unc_sim_store_close(struct unc_sim_store *store)
{
	if (!store->shared.mem)
		free(store->state);
	unc_os_shared_close(&store->shared);
	store->state = NULL;
}

uint64_t unc_sim_state_now(struct unc_sim_state *state)
{
	if (!state->identity.step) {
		uint64_t now_ns = unc_os_now_ns(UNC_CLOCK_RAW) - state->start_raw_ns;

		if (now_ns > state->now_ns)
			state->now_ns = now_ns < UNC_SIM_TIME_MAX ? now_ns : UNC_SIM_TIME_MAX;
	}
	return unc_sim_bounded(&state->now_ns, UNC_SIM_TIME_MAX);
}

uint64_t unc_sim_state_access(struct unc_sim_state *state)
{
	uint64_t now_ns = unc_sim_state_now(state);

	state->seen_ns = now_ns;
	return now_ns;
}

uint64_t unc_sim_state_access_at(const struct unc_sim_state *state, uint64_t t_ns)
{
	uint64_t seen_ns = unc_sim_bounded(&state->seen_ns, UNC_SIM_TIME_MAX);

	return t_ns > seen_ns ? t_ns : seen_ns;
}

void unc_sim_state_pass(struct unc_sim_state *state, uint64_t ns)
{
	uint64_t now_ns = unc_sim_bounded(&state->now_ns, UNC_SIM_TIME_MAX), left_ns = UNC_SIM_TIME_MAX - now_ns;

	state->now_ns = now_ns + (ns < left_ns ? ns : left_ns);
}

/*
 * Checks whether what a state file holds is possible, when it is opened: counts, indices and times. Registers may hold
 * anything, and a violation is checked when it is reported. What another process changes later is bounded where it is
 * used.
 */

static bool is_time(uint64_t t_ns)
{
	return t_ns <= UNC_SIM_TIME_MAX;
}

/* Each begins once, in the order of their numbers; each ends at most once, after its begin. */
static bool traffics_are_good(const struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	bool has_ended[UNC_SIM_TRAFFICS] = {false};
	const uint64_t most = INT64_MAX / 4;
	uint64_t begun = 0;

	if (state->n_traffics > UNC_SIM_TRAFFICS || state->n_changes > 2 * state->n_traffics)
		return false;
	for (size_t i = 0; i < state->n_traffics; i++) {
		const struct unc_sim_traffic *traffic = &state->traffics[i];
		uint64_t until_ns = traffic->until_ns;

		if (traffic->kind > UNC_TRAFFIC_NT_WRITE || !traffic->n_cpus || traffic->n_cpus > sim->n_cpus ||
		    traffic->channel_rate >= most || traffic->cpu_rate >= most ||
		    traffic->occupancy >= most / UNC_SIM_RATE_ONE || !is_time(traffic->from_ns) ||
		    (until_ns != UINT64_MAX && (!is_time(until_ns) || until_ns < traffic->from_ns)))
			return false;
	}
	for (size_t i = 0; i < state->n_changes; i++) {
		uint32_t number = state->changes[i] / 2;

		if (state->changes[i] % 2 == 0 ? number != begun++ : number >= begun || has_ended[number])
			return false;
		if (number >= state->n_traffics)
			return false;
		has_ended[number] |= state->changes[i] % 2;
	}
	for (size_t i = 0; i < state->n_traffics; i++)
		if (has_ended[i] != (state->traffics[i].until_ns != UINT64_MAX))
			return false;
	return begun == state->n_traffics;
}

static bool is_channel(const struct unc_sim *sim, uint32_t place)
{
	return place < sim->n_places && sim->places[place].function->kind == UNC_SIM_IMC;
}

static bool perf_is_good(const struct unc_sim *sim)
{
	const struct unc_sim_perf *perf = &sim->store.state->perf;

	if (perf->n > UNC_SIM_PERF_EVENTS)
		return false;
	for (size_t i = 0; i < perf->n; i++) {
		const struct unc_sim_perf_event *event = &perf->events[i];

		if (event->order > perf->orders || event->slot > UNC_SIM_PERF_SLOT_FIXED ||
		    ((event->order || event->on) && !is_channel(sim, event->place)))
			return false;
	}
	for (size_t i = 0; i < UNC_SIM_N(perf->boxes); i++) {
		const struct unc_sim_perf_box *box = &perf->boxes[i];

		if ((box->rotates_ns || box->moves_ns || box->polls_ns) &&
		    (!is_channel(sim, box->place) || sim->places[box->place].channel != i))
			return false;
	}
	return true;
}

static bool resctrl_is_good(const struct unc_sim *sim)
{
	const struct unc_sim_resctrl *resctrl = &sim->store.state->resctrl;

	if (resctrl->n_groups > UNC_SIM_GROUPS || (resctrl->n_groups && !unc_sim_n_rmids(sim)))
		return false;
	for (size_t i = 0; i < resctrl->n_groups; i++)
		if (resctrl->rmids[i] >= unc_sim_n_rmids(sim))
			return false;
	return true;
}

static bool shares_are_good(const struct unc_sim *sim)
{
	for (unsigned number = 0; unc_sim_n_rmids(sim) && number < sim->n_shares; number++) {
		const struct unc_sim_share *share = unc_sim_share_at(sim, number);

		for (unsigned i = unc_sim_n_accounts(sim) + 1; i < sizeof(share->carried) * 8; i++)
			if (share->carried[i / 64] >> i % 64 & 1)
				return false;
		if (!is_time(share->changed_ns))
			return false;
	}
	return true;
}

int unc_sim_state_check(struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	const char *wrong = NULL;
	bool timely = true;

	if (!sim->options.state)
		return UNC_OK;
	unc_os_shared_lock(&sim->store.shared);
	for (size_t i = 0; i < UNC_SIM_N(state->imc); i++)
		timely &= is_time(state->imc[i].since_ns);
	if (!timely || !is_time(state->now_ns) || !is_time(state->seen_ns) || !is_time(state->suspended_ns))
		wrong = "times";
	else if (!traffics_are_good(sim))
		wrong = "traffic";
	else if (!perf_is_good(sim))
		wrong = "events of its kernel";
	else if (!resctrl_is_good(sim))
		wrong = "groups of resctrl";
	else if (!shares_are_good(sim))
		wrong = "caches";
	unc_os_shared_unlock(&sim->store.shared);
	if (!wrong)
		return UNC_OK;
	return unc_sim_fail(sim, UNC_EARG, "state=%s: this file is damaged: its %s are impossible; remove it",
			    sim->options.state, wrong);
}
