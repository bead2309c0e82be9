/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is in the last-level caches, and which RMID moved what: each L3 is shared by the CPUs that CPUID says share it.
 *
 * Bandwidth.  What a CPU moves until time t is floor(integral of its rate); what an RMID moves on an L3 is the sum of
 * what the CPUs of that L3 moved while they carried it (IA32_PQR_ASSOC).  It is never cleared.
 *
 * Occupancy, in whole bytes.  A change is a write of another RMID to a CPU's PQR_ASSOC, or a step of what a CPU wants of
 * the cache (of occupancy in its load).  From one change to the next:
 *
 *   - An RMID's target is what its CPUs want of the cache together; if the RMIDs want more than there is, each gets its
 *     share: floor(wanted * size of the L3 / wanted by all).
 *   - An RMID below its target has what it had at the change, plus what its CPUs moved since, but no more than the
 *     target: everything that comes in stays, until the target is reached.
 *   - What an RMID has above its target is surplus, left in the cache since its CPUs left or want less.  Only eviction
 *     removes it: for each byte that any CPU of the L3 moves, one byte of the total surplus at the change goes away, shared
 *     in proportion, so that all of it ends at the same moment:  target + floor(surplus * (all - moved) / all).
 *     If no CPU moves anything, it stays for ever.
 *
 * All RMIDs together never have more than the L3: while there is surplus, it shrinks by at least as much as others grow;
 * without surplus, no RMID is above its target.  The changes do not depend on the readers and their times, so the
 * numbers do not either.
 *
 * AMD (56375, and how Linux uses it: commit 15292f1b4c55).  Hardware tracks an RMID on an L3 from the moment on at which
 * a CPU there carries it and none did just before; RMID 0 from the reset on.  Its bandwidth counters begin at 0 at that
 * moment, and the first read of each of its events after it is Unavailable.  When its last CPU leaves it, it stays
 * tracked, and it is tracked anew when a CPU carries it again.  An RMID that no CPU has carried since the reset is always
 * Unavailable.
 *
 * What its bandwidth events count can be chosen (BMEC): all traffic here is reads of fast memory, local or remote.  After
 * a choice the event's counters of all RMIDs of the L3 begin at 0, and the next read of each is Unavailable.
 *
 * Sub-NUMA clustering (Linux, monitor.c, and the message of the patch that enabled it there, T. Luck, June 2024): the
 * RMIDs are divided between the n nodes of an L3; each node has an nth of the number N in CPUID.  Each node has accounts
 * of its own, as if it were an L3 of an nth of the size, and units are an nth of CPUID's.  IA32_QM_EVTSEL takes physical
 * RMIDs, from any CPU of the L3:
 *
 *   - Local mode, RMID_SNC_CONFIG bit 0 = 1, as after a reset: RMIDs 0 to N / n - 1 count on the first node, the next on
 *     the second, and so on; an RMID that a CPU carries on another node is not counted.
 *   - Sharing mode, bit 0 = 0: a CPU with RMID r counts under r + node * N / n.  An r of N / n or more is accepted and not
 *     counted.
 *
 * Three points are assumed: that last one; that what a CPU moves is counted on its own node, wherever the memory is; and
 * that units are divided in local mode too.  Changing the mode keeps what was counted until then.
 */
#ifndef UNC_SIM_QM_H
#define UNC_SIM_QM_H

#include "sim/computer.h"

/*
 * One share at one time; the caller holds the lock. A share is an L3, or with sub-NUMA clustering a node's part of it:
 * those of one L3 follow each other. Its accounts are numbered from 0 on, as RMIDs are.
 */
struct unc_sim_moment {
	struct unc_sim *sim;
	unsigned share;
	uint64_t t_ns;
};

/* Bytes that an RMID has in the cache, and that it has moved since the machine's start. */
struct unc_sim_account {
	uint64_t occupancy;
	unc_sim_wide total, local;
};

/* The number of RMIDs of the machine, as CPUID reports it; the number of accounts of a share. */
unsigned unc_sim_n_rmids(const struct unc_sim *sim);
unsigned unc_sim_n_accounts(const struct unc_sim *sim);
struct unc_sim_rmid *unc_sim_rmid_at(const struct unc_sim_moment *moment, unsigned account);

/* Does all changes of what CPUs want until that moment; it must be called first at any moment. */
void unc_sim_llc_catch_up(const struct unc_sim_moment *moment);
struct unc_sim_account unc_sim_llc_account(const struct unc_sim_moment *moment, unsigned account);

/* Returns what a bandwidth counter, 0 for total or 1 for local, counts of that traffic: sim/qm.c. */
unc_sim_wide unc_sim_counted(const struct unc_sim_moment *moment, unsigned bandwidth, unc_sim_wide total,
			     unc_sim_wide local);
/* AMD: lets the counters of that bandwidth begin at 0; the first read of each is Unavailable. */
void unc_sim_llc_begin(const struct unc_sim_moment *moment, unsigned bandwidth);

/* Gives a CPU of that share another RMID; its state is in threads[]. */
void unc_sim_llc_carry(const struct unc_sim_moment *moment, const struct unc_sim_cpu *cpu, uint64_t pqr_assoc);
/*
 * Must be called before and after a change of what these CPUs want and move; cpus has a bit for each, NULL: all. They do
 * nothing where no cache is monitored.
 */
void unc_sim_llc_before_change(struct unc_sim *sim, const uint64_t *cpus, uint64_t t_ns);
void unc_sim_llc_after_change(struct unc_sim *sim, const uint64_t *cpus, uint64_t t_ns);
/* The machine was without power: no CPU has an RMID, and the caches are empty. Bandwidth is not reset. */
void unc_sim_llc_reset(struct unc_sim *sim, uint64_t t_ns);

/*
 * Bandwidth of high RMIDs is counted wrong: errata BDF102 (Xeon E5 v4 specification update) and SKX99 (Xeon Scalable
 * specification update), on Broadwell, Skylake-SP, Cascade Lake and Cooper Lake.
 *
 * Intel gives a threshold and a factor for each number of RMIDs that a part can have; the total and local bandwidth that
 * IA32_QM_CTR reports for an RMID above the threshold must be multiplied by that factor.  Here, hardware counts so that
 * this is exactly right: for B bytes that were moved it counts
 *
 *     floor(B * 1000000 / F)    bytes, where F is the published factor in millionths
 *
 * and IA32_QM_CTR reports that divided by the bytes of a unit, rounded down, as always.  Both roundings together are
 * equal to one division, so a count times the factor is below the truth by less than a unit times the factor.
 */
/* Returns the factor in millionths; 1000000: bandwidth is counted right. */
unsigned unc_sim_mbm_millionths(unsigned max_rmid, unsigned rmid);
/* Returns what is counted for bytes that this RMID moved, on a machine with RMIDs 0 to max_rmid. */
unc_sim_wide unc_sim_mbm_counted(unsigned max_rmid, unsigned rmid, unc_sim_wide bytes);

#endif
