# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# test_rows.sh MODEL FUNCTION: the same commands on the same simulated functions print the same rows under firmware, as /init, and under an
# ordinary Linux with its uncore driver; and what mem counts in each of them is the truth.  FUNCTION is one that is no channel.
machine=sim:$1,sockets=2 model_name=$1 function=$2
scratch=$T
modules=$B/vm/kernel/lib/modules/$(cat "$B/vm/kernel/version")/kernel/arch/x86
# Two processors in each socket: of one alone, OVMF does not tell the socket.
SMP=4,sockets=2,cores=2
export SMP
guest=''
trap '[ -z "$guest" ] || kill "$guest"' EXIT
trap 'exit 1' INT TERM

# The commands, one a line; mem, which comes first, is between two reads of what it does not read, where the log of accesses is cut.
mark=0xb4
commands() {
	cat <<-TEXT
		reg raw pci $function $mark
		mem -i 0.5 -n 2 --format csv
		reg raw pci $function $mark
		list --format csv
		stat -e cas_count.rd -i 0.5 -n 2 --format csv
		reg dump --format csv
		check --quick --format tap
		list --format csv
	TEXT
}

# under_SYSTEM: leaves in $R/all what the commands printed, one after the other.
under_firmware() {
	commands | awk '{ print "uncorectl.efi " $0 " -o " NR ".out" } END { print "reset -s" }' | sed '1i fs0:' >"$R/startup.nsh"
	SHELL_FILE=$R/startup.nsh VOLUME=$R/volume tests/bringup/boot_efi "$R" "$machine"
	mcopy -n -i "$R/volume" '::*.out' "$R/"
	cat "$R/"[0-9].out >"$R/all"
}
# What the commands print goes to the second serial line.
boot() {
	threads=multi # QEMU drops an access to a function that it still forwards another one of
	case $machine in sim:icx* | sim:spr*) threads=single ;; esac
	timeout 120 "$B/uncore-simqemu" --log "$R/log" --truth "$R/truth" --violations "$R/violations" "$machine" -- \
		-accel "tcg,thread=$threads" -smp "$SMP" -m 256 -nodefaults -display none -nic none -no-reboot \
		-kernel "$B/vm/kernel/vmlinux" -initrd "$R/initramfs" -serial "file:$R/console" -serial "file:$R/all" \
		-append 'console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off tsc=reliable clocksource=hpet' >"$R/said" 2>&1 &
	guest=$!
	wait "$guest"
	guest=''
}
under_init() {
	commands | sed 's,$, -o /dev/ttyS1,' >"$R/uncorectl.args"
	tools/initramfs "$R/initramfs" "$B/static/uncorectl" "$R/uncorectl.args" "$modules/kernel/msr.ko"
	boot
}
under_linux() {
	root=$R/root
	mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/run"
	cp "$(command -v busybox)" "$B/uncorectl" "$root/bin/"
	cp "$modules/kernel/msr.ko" "$modules/events/intel/intel-uncore.ko" "$root/"
	strip "$root/bin/uncorectl"
	ldd "$B/uncorectl" | sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p' | while read -r library; do
		mkdir -p "$root${library%/*}"
		cp -L "$library" "$root$library"
	done
	{
		printf '#!/bin/busybox sh\n/bin/busybox --install -s /bin\n'
		printf 'mount -t %s none /%s\n' proc proc sysfs sys devtmpfs dev tmpfs run
		printf 'insmod /msr.ko\ninsmod /intel-uncore.ko\nstty -F /dev/ttyS1 raw\nexec 3>/dev/ttyS1\n'
		commands | sed 's,.*,uncorectl & >\&3,'
		printf 'stty -F /dev/ttyS1 raw\npoweroff -f\n' # the former waits until all is sent
	} >"$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$R/initramfs"
	boot
}

# rows COMMAND: of $R/all, without times, numbers of a sample, and values of registers.
rows() {
	tr -d '\r' <"$R/all" | awk -F, -v OFS=, -v wanted="$1" '
		/^[a-z_]+,[a-z_]+,/ { # the names of columns
			split("", column)
			for (i = 1; i <= NF; i++) column[$i] = i
			is = $1 != "time_ns" ? ("register" in column ? "dump" : lists++ ? "relist" : "list") : "event" in column ? "stat" : "mem"
		}
		/^TAP/ { is = "check" }
		/^at  |^[0-9a-f:.]+  / { is = "raw" }
		is != wanted { next }
		is == "mem" || is == "stat" { print $3, $4, $5, $6, is == "mem" ? $15 : $7 OFS $12 OFS $16; next }
		is == "dump" && $1 ~ /[.]m2m/ { next } # beyond 256 bytes of a function, which a guest on a pc does not reach
		is == "dump" { $5 = $8 = "" }
		# Of a check its name, its box, and whether it was skipped.  Traffic needs memory, which guests lack, and threads, which firmware lacks.
		is == "check" {
			if (!/^(not )?ok / || / - traffic[.]/) next
			skipped = / # SKIP/
			sub(/ # .*/, "")
			sub(/ok [0-9]+ - /, "ok ")
			$0 = $0 (skipped ? " skipped" : "")
		}
		{ print }' | sed 's/,0x[c-f][0-9a-f]\{7\},/,window,/; s/at 0x[c-f][0-9a-f]\{7\} by/at a window by/' # firmware places these
}

# true_mem: what mem counted in $R is the truth, between the two marks.
true_mem() {
	awk -v mark="$mark" -v place="0000:$function" '
		$3 == place && $4 == "r32" && $5 == mark { inside++ }
		inside == 1' "$R/log" >"$R/cut"
	mv "$R/cut" "$R/log"
	cp "$R/truth" "$R/violations" "$R/log" "$T"
	tr -d '\r' <"$R/all" | awk '/^box/ { exit } /^time_ns/ { rows = 1 } /^at/ { rows = 0 } rows' >"$R/mem.out"
	follow all
	undisturbed ours "$(our_counts mem.out)" $((2 * channels))
	is "mem tells the true rates" "$(true_rates mem.out)" ""
	is "a control that it wrote is 0 in the end" "$(awk '
		$3 == "w32" && $4 ~ /^0xd[8c]$|^0xe[04]$/ { last[$2 " " $4] = $5; n++ }
		END { for (key in last) if (last[key] != "0x00000000") print key, last[key]
			if (!n) print "none was written" }' "$T/accesses")" ""
	legal
}

for system in firmware init linux; do
	R=$scratch/$system
	T=$R.judge
	mkdir "$R" "$T"
	name=$model_name
	export name
	under_$system
	touch "$R/all" "$R/truth" "$R/log"
	cp "$R/truth" "$T"
	. tests/vm/lib.sh
	true_mem | sed "s/^\(ok\|not ok\) /&$model_name, $system: /"
	for command in list mem stat dump check relist; do rows $command >"$R/$command"; done
	if [ $system = firmware ]; then
		is "$model_name: list has the rows that it has of the simulated machine" "$(cut -d, -f 1-6 "$R/list")" \
			"$("$B/uncorectl" --machine "$machine" list --format csv 2>/dev/null | cut -d, -f 1-6 | sed 's/,0x[c-f][0-9a-f]\{7\},/,window,/')"
		is "$model_name: all is idle before and after" "$(tail -q -n +2 "$R/list" "$R/relist" | cut -d, -f 6 | sort -u)" idle
		has "$model_name: a clock that may be wrong is a note" "$(cat "$R/console")" "not invariant"
		lacks "$model_name: the clock is checked, and not found wrong" "$(cat "$R/console")" "the ACPI timer differ"
		is "$model_name: no check fails" "$(grep -c '^not ok' "$R/check")" 0
		continue
	fi
	for command in list mem stat dump check relist; do
		if [ -s "$R/$command" ] && cmp -s "$scratch/firmware/$command" "$R/$command"; then
			ok "$model_name: $command has the same rows under firmware and $system, $(wc -l <"$R/$command")"
		else
			not_ok "$model_name: $command has the same rows under firmware and $system" \
				"$(diff "$scratch/firmware/$command" "$R/$command" 2>&1 | head -n 20)" "$(tail -n 5 "$R/console" | tail -c 1000)"
		fi
	done
done
