# SPDX-License-Identifier: GPL-2.0-or-later
"""What uncore.py gives on simulated machines whose traffic is known (sim/load.h); prints what is wrong."""
import sys

import uncore

notes = []


def expect(what, got, wanted):
    if got != wanted:
        print(f"{what}: {got}, not {wanted}")


def near(what, got, wanted):
    if got is None or abs(got - wanted) > 0.002 * wanted:
        print(f"{what}: {got}, not {wanted}")


with uncore.Machine("sim:snbep,clock=step,hide=ff:10.4", writable=True, notes=notes.append) as machine:
    expect("part", machine.info["part"], "Sandy Bridge-EP")
    expect("boxes", [box.name for box in machine.boxes("imc") if not box.present], ["socket1.imc0.ch2"])
    with machine.session() as session:
        for box in machine.boxes("imc"):
            if box.present:
                session.add(box, "cas_count.rd")
        samples = list(session.samples(interval=0.5, count=3))
        expect("samples", [len(sample) for sample in samples], [7, 7, 7])
        for count in samples[2][:4]:
            near(count.box, count.per_second, 4e9 + 0.7e9 * int(count.box[-1]))
            expect("flags", count.flags, ())
    with machine.session() as session:
        session.add("socket0.imc0.ch0", "cas_count.rd")
        with session.regions() as region:
            for _ in range(3):
                with region("step"):
                    machine.sleep(0.1)
                    with region("solve"):
                        machine.sleep(0.4)
            step, solve = region.results()
        expect("paths", [step["path"], solve["path"]], ["step", "step/solve"])
        near("step", step["counts"][0].value, 6e9)
        near("solve", solve["counts"][0].value, 4.8e9)
    for wrong, name in (("nonesuch", "ENODEV"), ("socket1.imc0.ch2", "ENODEV")):
        try:
            with machine.session() as session:
                session.add(wrong, "cas_count.rd")
            print(f"{wrong} can be counted")
        except uncore.Error as error:
            expect("error", error.name, name)
            expect("its sentence names it", wrong in str(error), True)
    forgotten = machine.session()  # is closed with the machine
    forgotten.add("socket0.imc0.ch0", "cas_count.rd")
    forgotten.read()
expect("a session ends with its machine", forgotten._handle, None)

with uncore.Machine("sim:bdx,clock=step", writable=True) as machine:
    with machine.llc({"web": [0, 1, 2], "db": [4]}) as llc:
        rows = list(llc.samples(interval=1, count=2))[1]
    expect("groups", [row["group"] for row in rows], ["web", "db"])
    for row in rows:
        expect("status", (row["occupancy_status"], row["total_status"]), ("ok", "ok"))
        expect("numbers", row["occupancy_bytes"] > 0 and row["total_bytes_per_s"] > row["local_bytes_per_s"] > 0, True)

try:
    uncore.Machine("sim:snbep,clock=step").session().add("socket0.imc0.ch0", "cas_count.rd")
    with uncore.Machine("sim:snbep,clock=step") as machine, machine.session() as session:
        session.add("socket0.imc0.ch0", "cas_count.rd")
        session.start()
    print("counts on a machine that was opened for reading")
except uncore.Error as error:
    expect("its sentence names the field", "cfg.writable" in str(error), True)
sys.exit(0)
