/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated machine: a computer in memory that answers accesses as silicon would.  Written from the manuals alone;
 * it takes no bit position from regs/ or map/, so that a mistake there is not made here too.
 *
 *     MODEL[,KEY=VALUE]...
 *
 * Models; all of them have two threads a core, and the CPUID of the part that is named:
 *
 *     snbep           Xeon E5-2687W (Sandy Bridge-EP), 8 cores: a socket has one memory controller of four
 *                     DDR3-1600 channels, DCLK 800 MHz
 *     ivt             Xeon E5-2697 v2 (Ivy Bridge-EP), 12 cores: two controllers of four DDR3-1600 channels
 *     hsx             Xeon E5-2699 v3 (Haswell-EP), 18 cores: two controllers of two DDR4-1600 channels;
 *                     cache occupancy
 *     bdx             Xeon E5-2697 v4 (Broadwell-EP), 18 cores: two of two DDR4-2400 channels, DCLK 1200 MHz;
 *                     cache occupancy, bandwidth and allocation
 *     bdxde           Xeon D-1540 (Broadwell-DE), 8 cores: one of two DDR4-1600 channels, DCLK 800 MHz; as bdx,
 *                     but one socket by default
 *     skx             Xeon Platinum 8180 (Skylake-SP), 28 cores: two of three DDR4-2400 channels; as bdx.  A
 *                     socket has several buses: UBOX 00 80, channels 3a ae, UPI 5d d7 (of two sockets)
 *     clx             Xeon Platinum 8280 (Cascade Lake): as skx, with more events
 *     cpx             Xeon Platinum 8380H (Cooper Lake): as clx
 *
 * The counters of these are in memory (sim/memory.c); the UBOX and beside it the function that tells where are on bus 7e, of two
 * sockets on 7e fe.  All have cache monitoring and allocation, and one socket by default:
 *
 *     icx             Xeon Platinum 8351N (Ice Lake-SP), 36 cores: four controllers of two DDR4-2400 channels, DCLK 1200 MHz
 *     spr             Xeon w9-3475X (Sapphire Rapids), 36 cores: four of two DDR5-4800 channels, DCLK 1200 MHz, and a discovery
 *                     table, which function 03.0 tells of (sim/discovery.c)
 *     gnr             Xeon 6 6980P (Granite Rapids), 36 cores: twelve of one channel, which has two sub-channels; else as spr
 *     icxd            Xeon D-2796TE (Ice Lake-D): as icx
 *     snr             Atom P5942B (Snow Ridge): as icx with one controller, and without events of persistent memory
 *     emr             Xeon Platinum 8592+ (Emerald Rapids): as spr
 *     gnrd            Xeon 6726P-B (Granite Rapids-D): as gnr, with eight channels at another place
 *     srf             Xeon 6780E (Sierra Forest): as gnr, with a few events less
 *     grr             Grand Ridge: as srf, with two channels and without events of some reads and of self refresh
 *     cwf             Clearwater Forest: as srf, but only the table tells where its counters are
 *
 * Those of AMD have no PCI functions.  MSRs of the data fabric, of memory controllers (UMC) and of L3s count what happens
 * in their memory channels (sim/amd.c), and from zen2 on there are cache monitoring and allocation:
 *
 *     zen1            EPYC 7601 (Naples), two sockets of four dies, each with 8 cores on 2 L3s and two DDR4-2400 channels: imc0 to
 *                     imc3 are its dies
 *     zen2            EPYC 7742 (Rome), 64 cores on 16 L3s a socket, two sockets, eight DDR4-2400 channels
 *     zen3            EPYC 7763 (Milan), 64 cores on 8 L3s, else as zen2
 *     zen4            EPYC 9124 (Genoa), 16 cores on 4 L3s, one socket, twelve DDR5-4800 channels, of which only ch3 has memory;
 *                     UMCs have counters
 *     zen5            EPYC 9655 (Turin), 96 cores on 12 L3s, two sockets, twelve DDR5-6000 channels, RMIDs of 12 bits, else as
 *                     zen4; with l3s=16 384 CPUs on 32 L3s
 *
 * POWER has no CPUID.  Each chip counts in an area of memory, which the device tree describes (sim/model_power.c); chips are 0, 8, 16:
 *
 *     p9              POWER9, two sockets of 8 cores: MCS and MBA, four channels
 *     p10             POWER10: MCS of four memory controllers
 *
 * No memory channels are modelled, and caches where they are monitored, of
 *
 *     cpuid=FILE      the machine that the raw CPUID dump FILE describes: sim/dump.h
 *
 * Keys; offline, nohz_full, hide, allones, vanish, sleep, freeze, empty, pmem, defect and resctrl_group can be given several
 * times.  With a dump, the keys from here to snc cannot be given:
 *
 *     sockets=N       1 to 8, of POWER to 16, default 2, but 1 for bdxde, zen4 and those whose counters are in memory.  Except on skx and those like it, each
 *                     socket has one uncore bus: ff; 7f ff; 3f 7f bf ff; 1f 3f ... ff; another N has the first N buses of
 *                     the next power of two
 *     cores=N         1 to 128 a socket, by default those of the part
 *     threads=N       1 or 2 a core, default 2.  CPU numbers: first threads, package by package, then second ones
 *     l3s=N           L3 caches a socket, over which the cores are spread evenly; more than one with AMD only.  By
 *                     default as many as the part needs for its cores
 *     snc=1|2|4       those whose counters are in memory: NUMA nodes a socket; how that divides RMIDs is in sim/qm.h
 *     offline=LIST    these CPUs are offline, e.g. 3,7 or 8-15; at least one must stay online
 *     domains=N       PCI domains over which the sockets are spread evenly, in order; in each the bus
 *                     numbers start again.  1 to the number of sockets, default 1
 *     load=FILE       what memory and CPUs do: see sim/load.h; by default each channel and CPU does something
 *                     different
 *     clock=real      time is the computer's (the default)
 *     clock=step      time passes only by unc_sim_step(), by sleeping, which moves it to the deadline at once,
 *                     and by dword_ns
 *     dword_ns=N      with clock=step: how long one 32-bit access, or one MSR, takes, 0 to 1000000000, default 500
 *     seed=N          the default load varies, by pseudo-random numbers that are the same for the same N: each rate is
 *                     between half of its normal value and all of it, no two equal.  With clock=step durations vary, too:
 *                     an access takes 0.5 to 3 times dword_ns, once in 500 times another 10 to 60 us, and once in
 *                     5000 times another 1 to 20 ms; and a sleep takes up to 100 us longer.  By default nothing varies
 *     empty=CHANNEL   there are no DIMMs in "socket0.imc0.ch1", as load files call it: its clock ticks, and it gets no
 *                     commands, whatever its load says; * and ? match anything
 *     pmem=CHANNEL    icx, icxd: in the second slot of this channel, or of those that match, is an Optane module.  Without
 *                     load= it reads a quarter of what the DIMMs read there, and writes an eighth; the other channels get no events of modules
 *                     (pmm_), whatever their load says
 *     state=FILE      registers, time, traffic and violations are in this file: they outlive the process that made
 *                     them, and several openers share one computer.  Each must name the same one: model, sockets, cores,
 *                     threads, l3s, snc, offline, domains, load, clock, frz_en, numbering, qm_scope, abmc, seed, empty, pmem,
 *                     umcs, df_ctrs, umc_ctrs, remote, vm, defect
 *     files=DIR       files of its operating system, for unc_host_ops.look: /proc/mounts is DIR/proc/mounts;
 *                     by default there are none
 *     nohz_full=LIST  these CPUs are in nohz_full, as the kernel's command line has it
 *     hide=ADDR       firmware hides the function [DDDD:]BB:DD.F (hex): not listed, cannot be opened
 *     allones=ADDR[@FROM[-UNTIL]]  it is listed and can be opened, but reads all ones, and writes are lost;
 *                     always, or between these times of the machine, in seconds
 *     frz_en=wo       BOX_CTL bit 16 reads 0 (G-JKT; the default); the documents disagree
 *     frz_en=rw       it reads back (DS-SNB); ivt, skx, clx and cpx have no frz_en
 *     frz=wo|rw       frz of BOX_CTL and frz_all of the global register read 0 (G-IVT; the default), or read back
 *     ctl_writes=once|twice  twice: a write of a CTL that changes its value is lost, unless the previous write of that CTL
 *                     was lost (LIKWID writes each twice for that on hsx and bdx; no other source mentions it)
 *     status_bits=fixed_first  BOX_STATUS bit 0 is the fixed counter, bit 1 CTR0 and so on (DS-SNB; the default)
 *     status_bits=by_number  bit 0 is CTR0 and so on, bit 4 the fixed counter; the documents do not decide it
 *     clock_event=works|dead  dead: event 0 of a general counter, which should count DCLK, counts nothing
 *     numa=on|off     off: firmware interleaves the memory of all sockets, which is one node, 0
 *     numbering=reversed  the lowest bus belongs to the highest socket
 *     fail=NTH[:WHAT][:forever]  this opener's NTH access (reads and writes over all buses and functions,
 *                     from 1) goes wrong, once or from then on.  WHAT: EIO (the default), EPERM, ENODEV,
 *                     ENXIO; short (fewer bytes than asked for); ones (a read is all ones, a write is
 *                     lost, both with success, as Linux reports a failed cycle); drop (a write is lost
 *                     with success, reads are normal)
 *     vanish=ADDR@SECONDS  the same as allones=, from that machine time on for good; vanish=cpu3@SECONDS: from then on the file of
 *                     that CPU's MSRs is gone, as when it is unplugged; it is still listed
 *     sleep=SOCKET@FROM-UNTIL  between these times of the machine its package sleeps deeply (C3, C6): DCLK is stopped, and
 *                     its memory moves nothing
 *     freeze=WHERE[@SECONDS]  at the start, or at that time of the machine, another program freezes the channel
 *                     socket0.imc0.ch1 by its BOX_CTL, or all of socket0 by the global register, and does not release it.
 *                     Each opener that has this key does it
 *     kill=N:before|after[:writes]  this process, or with uncore-simfs its client, with uncore-simqemu QEMU, is killed at its Nth
 *                     access, or write: before it, or when it has had its effect
 *     lose=NTH[:TIMES]  this opener's NTH write (over all buses and functions, from 1, reads not counted) and those
 *                     after it up to TIMES, by default 1, are lost with success
 *     msr=present|absent     with absent there are no MSR files (the driver is not loaded)
 *     msr_writes=on|off      off: the driver refuses writes (msr.allow_writes=off)
 *     nest=ok|paused|never|speed|little|torn|stalls|pauses|short|pruned|deaf  POWER: the updates of the counters are paused (status 2); never
 *                     began; have a speed at which the scales are wrong; words have the low byte first; each second read sees half an
 *                     update; no update comes from second 2 on; none from then to 3.5; the area ends too early; firmware removed all
 *                     units of the nest from the device tree; paused, and it takes no command
 *     lockdown=0|1           1: the kernel refuses these writes, and those to configuration space
 *                     and does not open /dev/mem
 *     uncore=N        the clock of the uncore is throttled to N times 100 MHz; by default it is as high as its limit.  A counter of
 *                     its cycles in the U box goes at that rate, by default 2 GHz, while its control enables it, as with
 *                     defect=stuck1:cpu0:0x703:22 (hsx to icx; snbep and ivt 0xc08, snr 0x1f93, grr 0x3f5e, gnr and the like 0x3ffe)
 *     mmio_base=N     the registers in memory of socket 0 begin at N, those of the next socket 0x800000 later; a multiple of that, by
 *                     default 0xf0000000.  0, an address in main memory, and one that the CPU has no bits for are possible
 *     mmio=ok|limit|off  limit: each controller's memory ends before it begins, by its MEM_BAR, or of a client bit 0 of MCHBAR is clear; off: nothing in memory answers, all
 *                     of it reads all ones
 *     iomem=shown|zeros  zeros: /proc/iomem has no addresses, as a process without privilege reads it
 *     table=FAULT     this is wrong with the discovery table: duplicate (channel 1 has the box_id of channel 0), hole (channel 1 is
 *                     missing), access0, access2 (channel 0 would be in MSRs, in PCI configuration space), no_units (max_units
 *                     is 0), ones (it reads all ones), differs (each address is 0x1000 higher than by MEM_BAR or SCF_BAR),
 *                     offset (it begins 0x1000 into its BAR, as the DVSEC says), ram (channel 0 would be in main memory),
 *                     overlap (channel 1 is within channel 0), changes (channel 0 has another address at each read), second (the
 *                     tables of further sockets have their channels in another order: 1 0 3 2 ...), stride (entries are 160
 *                     bytes apart, and not 64), two (the function has two tables, one of channels 0 2 4 ..., the other of
 *                     channels 1 3 5 ...), loop (its capabilities lead back to the first one)
 *     qm_scope=thread|package  from hsx on: each CPU has an IA32_QM_EVTSEL (the default), or each L3 has one
 *     qm=ok|error[:N]|unavailable[:N]|slow[:READS]  what IA32_QM_CTR answers: error and unavailable N times for each RMID
 *                     and event and then data, or always; :alternate instead of N: the 2nd, 4th, 6th ... time.
 *                     slow: the first READS reads after each selection are unavailable, by default 2
 *     disturb=NTH[:TIMES]  right after this opener's NTH accepted write of IA32_QM_EVTSEL, and after the following ones up
 *                     to TIMES, by default 1, another process selects the neighbouring RMID (its lowest bit is inverted)
 *     mbm_erratum=0|1 bdx, skx, clx, cpx: bandwidth of high RMIDs is counted wrong (sim/qm.h), by default
 *     abmc=0|1        zen5: L3_QOS_EXT_CFG bit 0, at reset; while it is 1 bandwidth is counted by assigned counters, and
 *                     IA32_QM_CTR reports 0 for that of an RMID that none is assigned to (sim/qm.c)
 *     umcs=MASK[:MASK]  zen4, zen5: these of the twelve UMCs of each socket, or of socket 0 and of each other, have memory, the others
 *                     no traffic and no counters.  0: CPUID tells of none, but all have memory
 *     df_ctrs=N[:HERE]  zen4, zen5: CPUID tells of N counters of the data fabric, 0 to 63, by default 16; there are HERE of them, at most
 *                     16
 *     umc_ctrs=N[:HERE]  the same for the counters of all UMCs of a node, by default four for each that has memory.  Each has N divided by
 *                     the number of UMCs, rounded down
 *     remote=PERCENT  AMD: that part of what channels carry is for other sockets, as the data fabric counts it; by default 0
 *     vm=no|kvm|qemu  AMD: kvm: a virtual machine, which has no counters, as CPUID says; qemu: CPUID says that it has them, and their
 *                     registers read 0 and forget what is written
 *     perf=on|off     on: its kernel has a driver that counts in memory channels, uncore_imc_N, as Linux 6.1's
 *                     intel_uncore (sim/perf.h): unc_host_ops.perf_open and .perf, and its files.  Root opens its events
 *     perf_order=A-B-...  the N of each channel of a socket, in the order of load files; by default those of Linux
 *     perf_moves=S    S seconds after the first event of a channel was switched on, all that are on get other counters
 *     perf_mask=BITS  it drops all other bits of an event's config; by default those that Linux drops
 *     perf_off=PERCENT  -90 to 90: its counts are too high by that
 *     perf_paranoid=N  -1 to 4: perf_event_paranoid, and the opener of its events is not root: 1 and more refuse them
 *     resctrl=on|off  on: resctrl is mounted at /sys/fs/resctrl, as Linux 6.1 has it (sim/resctrl.h): its files, and /proc/mounts
 *     resctrl_group=NAME:RMID:[CPUS]  it has this group: NAME is jobs, mon_groups/one or jobs/mon_groups/one, and the CPUs
 *                     carry the RMID from the start.  Can be given 15 times
 *     resctrl_hw_id=on|off  on: it shows RMIDs, in mon_hw_id
 *     resctrl_off=PERCENT  -90 to 90: its values are too high by that
 *     defect=NAME[:ARGS]  this is wrong with the silicon
 *
 * Defects.  WHERE is a channel as load files name it, socket0.imc0.ch1; CTR is 0 to 3 or fixed.  Only the measuring is
 * broken: load, unc_sim_truth_*() and CPUID are not affected.
 *
 *     stuck0:WHERE:OFFSET:BIT  that bit of the dword is always 0, or with stuck1 always 1.  BIT of a counter goes to 63.
 *     stuck1:WHERE:OFFSET:BIT  The bit has its effect: an enable counts, a freeze freezes.  A counter's bit that stays 0
 *                              swallows the carry from those below, one that stays 1 passes each on; counts come one by
 *                              one.  WHERE may be socket0.ubox, or cpu3, where OFFSET is an MSR's number; if CPUs share
 *                              that register, the bit is stuck for all of them
 *     width:WHERE:CTR:BITS     1 to 47: the bits above do not exist, and it wraps, with its bit in BOX_STATUS, that early
 *     carry-missing:WHERE:CTR  from bit 31 to bit 32
 *     counts-twice:WHERE:CTR   it counts 2 for each event
 *     freeze-ignored:WHERE:CTR  it goes on when its box is frozen, globally too
 *     freeze-loses:WHERE:COUNTS  the last counts, at most COUNTS, of each counter before a freeze stopped it
 *     reset-leaves:WHERE:CTR   no reset bit clears it
 *     enable-crossed:WHERE:CTR:CTR  the en of each control is the other counter's
 *     umask-shifted:WHERE[:CTR]  the event decoder gets a umask shifted up by one bit: 02 for 01
 *     channels-swapped:WHERE:WHERE  each function, including its ids, answers at the other's address
 *     sockets-swapped:A:B      the UBOX of each reports the other's number
 *     dclk-off:WHERE:PERCENT   -90 to 90: the channel's clock is too fast by that; its commands are not affected.  This is
 *                              not a fault of a counter, so it is in the truth of clockticks
 *     stops:WHERE:SECONDS[:SECONDS]  its counters stop at the first time, for good or until the second; they can be written
 *     hidden:WHERE             as hide=
 *     ones:WHERE:N             one in N reads of a dword of this function is all ones; seed= chooses which, repeatably
 *     drops:WHERE:N            one in N writes is lost, chosen likewise
 *     rmid-off                 IA32_QM_EVTSEL's RMID k answers for k + 1, the highest for 0
 *     no-error                 IA32_QM_CTR never answers Error
 *     upscale-off:PERCENT      a unit of IA32_QM_CTR is worth that much more; CPUID still reports the normal one
 *     never-falls              the occupancy of an RMID is the highest that it ever was since the reset
 *     writes-alias:WHERE:WHERE[:OFFSET]  a write to the first also reaches the second; with OFFSET only of that dword
 *     same-box:WHERE:WHERE     the first has no registers of its own: it shows those of the second
 *     write-clears:WHERE:OFFSET:OFFSET  a write of the first dword makes the second one 0
 *     ignored:WHERE:BIT[:CTR]  that bit of a control, or of all four, can be set and has no effect
 *     status-crossed:WHERE:CTR:CTR  the bit in BOX_STATUS of each is the other counter's
 *     status-sticks:WHERE      writing 1 clears no bit of BOX_STATUS
 *     mesh-misses:WHERE        the counters of what the mesh sends to its controller do not see this channel
 *     free-misses:WHERE        the counters of its controller that always run do not see this channel
 *     mbm-exchanged            the event of total bandwidth counts what is local, and the other way round
 *     assoc-dead:CPU           what this CPU moves is counted for RMID 0, whatever its IA32_PQR_ASSOC holds
 *     assoc-shared             the threads of a core share one IA32_PQR_ASSOC
 *     counts-other:WHERE:WHERE  the first data fabric counts what happens at the second
 *     write-faults:CPU:MSR     each write of that MSR faults, on all CPUs that share it
 *
 * With AMD, WHERE is the data fabric of a die, as socket0.df0, and CTR 0 to 15, of width, carry-missing, counts-twice, stops, drops,
 * ignored (BIT to 63), same-box and counts-other; and a channel, for the counters of its UMC, of stops, drops, ignored and dclk-off.
 *
 * G-JKT: Intel 327043-001, uncore guide for the E5-2600; DS-SNB: datasheet vol. 2 of Sandy Bridge-E.
 *
 * What the hardware does is an exact function of time.  The number of an event's occurrences until time t is
 * floor(integral of its rate from 0 to t) in integer arithmetic, and a counter holds its value of when it was last
 * written, started or stopped, plus the occurrences since, modulo 2^48.  So a read at any moment is exact, and nothing is
 * ever lost except what happens while a counter is stopped or its box is frozen.  Cycle by cycle counting (threshold,
 * invert, edge) is described in sim/curve.h.  The same is true of the caches; sim/qm.h says how.  The MSRs that exist are
 * those for cache monitoring and allocation, the global freeze of the PMON boxes, and those that measuring tools read and
 * write; all others fault.
 *
 * Traffic (unc_host_ops.traffic) is added to the load, with the same exactness.  All channels of its node, except those
 * that are empty, carry the same part of it.  What is loaded is read; what is stored plainly is read once, since a cache
 * must own a line before it changes it, and written once; non-temporal stores are written.  These bytes become CAS commands
 * as those of a load do; they cause no other event.  Each CPU makes the same part: its bandwidth is higher by that, with
 * plain stores by twice as much, and local where the node is its own; and, except for non-temporal stores, it also wants
 * the buffer in its cache.  A node is a socket; on a processor without modelled channels traffic affects only the caches.
 *
 * The limits: a CPU moves 10 GB/s by its instructions; a channel carries 16 bytes each DCLK cycle, load and traffic
 * together (12.8 GB/s with DDR3-1600 and DDR4-1600, 19.2 GB/s with DDR4-2400), which is the limit of its bus and a quarter
 * of what a counter could take, and what the load will need later is kept free from the start; a node without modelled
 * channels carries 204.8 GB/s.  Traffic beyond a limit is reduced to it, and reported as reduced.  It ends when the opener
 * that began it closes the machine; if that was killed, when another process opens the state the next time.  A machine
 * remembers traffic that was made 1024 times; after that it refuses more.
 */
#ifndef UNC_SIM_SIM_H
#define UNC_SIM_SIM_H

#include "access/host.h"

/*
 * Opens a new simulated machine; args is what follows "sim:". *ret_host is closed with unc_host_close(), after the
 * buses opened on it. It has a PCI bus, an MSR bus (UNC_ENODEV with msr=absent), and
 * where registers are in memory a bus for that (elsewhere UNC_ENOSUP). wake_fd
 * is as in struct unc_host.
 *
 * UNC_EARG: the options make no sense, or a file they name is malformed, missing or of another machine; UNC_EPERM,
 * UNC_EIO: that file cannot be opened; UNC_ENOMEM.
 *
 * Time under clock=step, at machine time t: RAW is 1000 s + t, MONO 2000 s + t, BOOT 3000 s + t, REAL
 * 2020-01-01T00:00:00Z + t; so code that mixes up clocks is noticed. Sleeping without a deadline (UINT64_MAX) is
 * UNC_EAGAIN at once, as nothing else makes time pass; wake_fd, if it can be read already, ends any sleep with
 * UNC_EAGAIN and time does not move.
 */
int unc_sim_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host);
/* The ith model: "skx", the name of its part, and that of its CPU as CPUID tells it, perhaps with blanks after it.  False: there are fewer. */
bool unc_sim_list(size_t i, const char **ret_name, const char **ret_title, const char **ret_brand);

/*
 * The functions below are for tests and for programs that serve a simulated machine to others.  host must come from
 * unc_sim_open(), else UNC_EARG (or 0, or NULL).
 */

/* Last-level caches, package by package; CPUs name the one that they use. */
struct unc_sim_cache {
	unsigned id; /* Linux's id: an APIC id without the bits that number the threads sharing it */
	unsigned package;
	unsigned nodes; /* NUMA nodes that share it: 1 without snc= */
	uint64_t bytes;
};

/* All zero of another host. */
struct unc_sim_info {
	uint64_t start_ns; /* when it started, on its UNC_CLOCK_RAW: all that happens to it is counted from then on */
	bool steps;        /* its time passes only by unc_sim_step(), by sleeping and by dword_ns (clock=step) */
	bool has_msrs;     /* there are MSR files; with msr=absent there are none */
	bool takes_msr_writes; /* of the msr driver (msr_writes=) */
	bool is_locked_down;   /* lockdown=1 */
	uint64_t memory_bytes; /* that the registers of all sockets take; 0: they are not in memory */
	size_t n_channels, n_cpus, n_caches, n_pcis;
	unsigned n_chips; /* of POWER, numbered 0, 8, 16: they have areas of counters, and CPUs no CPUID */
	const struct unc_sim_cache *caches; /* of the machine */
	unsigned n_rmids;                   /* 0: no monitoring */
};
struct unc_sim_info unc_sim_info(struct unc_host *host);

/*
 * Lets ns nanoseconds pass; if it overshoots, with seed= slightly more, like a sleep of that length.  UNC_EARG: not clock=step;
 * UNC_ERANGE: beyond 2^58 ns of machine time.
 */
int unc_sim_step(struct unc_host *host, uint64_t ns, bool overshoots);

/* All memory channels of the machine, even hidden ones, by socket and channel. */
struct unc_sim_channel {
	unsigned socket; /* the physical package, as the UBOX reports it */
	unsigned imc, channel;
	struct unc_addr addr;
	bool hidden, allones;
};
/* UNC_ENODEV: i is not below n_channels. */
int unc_sim_channel(struct unc_host *host, size_t i, struct unc_sim_channel *ret_channel);

/*
 * Returns what really happened at a channel from the machine's start until a time on its UNC_CLOCK_RAW, whatever its
 * counters say, even at a hidden channel. Events are named as in a load file ("act_count", "cas_count.rd_reg"), or
 * "cas_count.rd", ".wr", ".all", which are sums. UNC_ENODEV: there is no such channel; UNC_EARG: no such event; UNC_ERANGE:
 * before the machine's start, or 2^58 ns after it.
 */
#define UNC_SIM_NOW UINT64_MAX /* until now */
/* Of the ith channel: with AMD, whose channels have no registers of their own, addr is the first CPU of the channel's node. */
int unc_sim_truth_events_of(struct unc_host *host, size_t i, const char *event, uint64_t raw_ns, uint64_t *ret_count);
/* A CAS is 64 bytes, so these are always exactly 64 * cas_count.rd and 64 * cas_count.wr. */
int unc_sim_truth_bytes_of(struct unc_host *host, size_t i, uint64_t raw_ns, uint64_t *ret_read, uint64_t *ret_write);
/* Returns the name of the i-th event of this machine (without the sums), or NULL beyond the last. */
const char *unc_sim_event_name(struct unc_host *host, size_t i);

/* Logical CPUs by number, even offline ones. */
struct unc_sim_cpu {
	unsigned number; /* Linux's number */
	unsigned package, core, thread;
	unsigned l3;      /* which of the machine's last-level caches it uses: below n_caches */
	unsigned node;    /* NUMA node, Linux's number */
	uint32_t apic_id; /* x2APIC */
	bool online, nohz_full;
};
/* UNC_ENODEV: i is not below n_cpus. */
int unc_sim_cpu(struct unc_host *host, size_t i, struct unc_sim_cpu *ret_cpu);

/* PCI functions that are not hidden, by address. */
struct unc_sim_pci {
	struct unc_addr addr;
	uint16_t vendor, device, subsystem_vendor, subsystem_device;
	uint32_t class_code; /* 24 bits */
	uint8_t revision;
	unsigned socket;
	unsigned config_bytes; /* of its configuration space */
};
/* UNC_ENODEV: i is not below n_pcis. */
int unc_sim_pci(struct unc_host *host, size_t i, struct unc_sim_pci *ret_pci);

/* Changes msr_writes= while the machine runs. */
void unc_sim_take_msr_writes(struct unc_host *host, bool take);

/*
 * What really is in the last-level caches at a time on the machine's UNC_CLOCK_RAW. An L3 is 0 to n_caches - 1;
 * an RMID, as CPUs carry it, is 0 to n_rmids - 1. The values are the bytes of the cache that
 * belong to the RMID, and all that its CPUs moved since the machine's start, by event, modulo 2^64 (at 100 GB/s, after 5
 * years); with sub-NUMA clustering they are the sum of all nodes, and only of what is counted under the RMID there
 * (sim/qm.h). UNC_ENODEV: no such L3 or RMID; UNC_ERANGE: later than now, or before the last change of that L3 that an
 * access to it has noticed.
 */
struct unc_sim_llc {
	uint64_t occupancy_bytes, total_bytes, local_bytes;
};
int unc_sim_truth_llc_at(struct unc_host *host, unsigned l3, unsigned rmid, uint64_t raw_ns,
			 struct unc_sim_llc *ret_llc);

/* A write that broke a rule of the manual; writes of perf=on and freeze= are left out. The first 64 are kept, all are counted. */
struct unc_sim_violation {
	uint64_t t_ns; /* since the machine's start */
	struct unc_addr addr;
	uint32_t off;   /* offset, or number of an MSR */
	uint64_t value; /* that was written, where bytes that were not written are 0 */
	uint64_t wrong; /* the bits that broke the rule */
	char sentence[256];
};
uint64_t unc_sim_violations(struct unc_host *host);
/* UNC_ENODEV: i is not below unc_sim_violations(), or was not kept. */
int unc_sim_violation(struct unc_host *host, size_t i, struct unc_sim_violation *ret_violation);

/*
 * One access of a program that serves the machine to others; fail=, kill= and lose= work as on a bus of this machine.
 *
 * To configuration space, as to a file, at any offset and of any length: it is split into
 * cycles of 1, 2 and 4 bytes in the way Linux's sysfs does it (bytes and words up to a dword boundary, dwords, the
 * rest), each with its own time; a write changes only the bytes it carries. *ret_done is less than len at the end of
 * that space, and short is not a failure: half of a
 * read's bytes are read, and none of a write's are written. UNC_ENODEV: there is no such function, or it is hidden;
 * UNC_EPERM: a write, and lockdown=1; else what fail= says.
 *
 * To the MSR of the number off, of 8 bytes, as the msr driver does it.
 * UNC_EIO: the processor has no such register or does not accept that value (#GP); UNC_EPERM: msr_writes=off,
 * lockdown=1; UNC_ENODEV: no such CPU, or it is offline.
 *
 * To memory: a load or store of 1, 2, 4 or 8 bytes at the address addr->mmio.base, off 0, of a program that has mapped
 * /dev/mem. UNC_EPERM: main memory is there, or lockdown=1; UNC_ENOSUP: its registers are not in memory.
 */
int unc_sim_access(struct unc_host *host, const struct unc_addr *addr, bool write, uint64_t off, void *buf, size_t len,
		   size_t *ret_done);
/*
 * Returns where the window with that address begins, on a machine with registers in memory; an address outside of windows is one by
 * itself.
 */
uint64_t unc_sim_mem_window(struct unc_host *host, uint64_t address);
/* Moves them as another mmio_base= would have; base is a multiple of 0x800000. */
void unc_sim_mem_move(struct unc_host *host, uint64_t base);

/*
 * SMBIOS tables, as files of Linux: they describe the memory in each channel, and none in those that are empty.
 * *ret_bytes must be freed by the caller with free(); it ends with a zero that *ret_len does not count. UNC_ENODEV,
 * without a sentence: no such file, as on a processor without modelled channels.
 */
#define UNC_SIM_SMBIOS_TABLE "/sys/firmware/dmi/tables/DMI"
#define UNC_SIM_SMBIOS_ENTRY "/sys/firmware/dmi/tables/smbios_entry_point"
int unc_sim_smbios(struct unc_host *host, const char *path, char **ret_bytes, size_t *ret_len);

/* Replaces what kill= does, which is to end this process: for a program that serves the machine to others. */
void unc_sim_on_kill(struct unc_host *host, void (*kill)(void *arg), void *arg);

#endif
