# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of uncorectl's command line for bash; needs nothing but bash.

# Bash replaces only that part of a word after the last : or = (where COMP_WORDBREAKS has them), so what is
# before that is taken off the answers.
_uncorectl_answer() { # WORD ANSWER...
	local word=$1 keep='' answer breaks
	shift
	breaks=${COMP_WORDBREAKS//[!:=]/}
	[[ $breaks ]] && keep=${word%"${word##*["$breaks"]}"}
	COMPREPLY=()
	for answer; do
		if [[ $answer == "$word"* ]]; then COMPREPLY+=("${answer#"$keep"}"); fi
	done
}

_uncorectl_files() { # WORD [-d]: files, or folders only
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "${2:--f}" -- "$1")
}

_uncorectl_machine() { # WORD
	local word=$1
	local before=${word%"${word##*,}"} last=${word##*,}
	compopt -o nospace 2>/dev/null
	case $word in
	root:*) _uncorectl_files "${word#root:}" -d ;;
	replay:*) _uncorectl_files "${word#replay:}" ;;
	sim:*,*)
		case $last in
		load=* | state=*) _uncorectl_files "${last#*=}" ;;
		files=*) _uncorectl_files "${last#*=}" -d ;;
		clock=*) _uncorectl_answer "$word" "$before"clock={real,step} ;;
		status_bits=*) _uncorectl_answer "$word" "$before"status_bits={fixed_first,by_number} ;;
		clock_event=*) _uncorectl_answer "$word" "$before"clock_event={works,dead} ;;
		numa=*) _uncorectl_answer "$word" "$before"numa={on,off} ;;
		frz_en=* | frz=*) _uncorectl_answer "$word" "$before${last%%=*}"={wo,rw} ;;
		ctl_writes=*) _uncorectl_answer "$word" "$before"ctl_writes={once,twice} ;;
		numbering=*) _uncorectl_answer "$word" "$before"numbering={normal,reversed} ;;
		sockets=* | domains=*) _uncorectl_answer "$word" "$before${last%%=*}"={1..8} ;;
		threads=*) _uncorectl_answer "$word" "$before"threads={1,2} ;;
		msr=*) _uncorectl_answer "$word" "$before"msr={present,absent} ;;
		msr_writes=* | perf=* | resctrl=* | resctrl_hw_id=*)
			_uncorectl_answer "$word" "$before${last%%=*}"={on,off}
			;;
		lockdown=* | mbm_erratum=* | abmc=*) _uncorectl_answer "$word" "$before${last%%=*}"={0,1} ;;
		iomem=*) _uncorectl_answer "$word" "$before"iomem={shown,zeros} ;;
		mmio=*) _uncorectl_answer "$word" "$before"mmio={ok,limit,off} ;;
		table=*)
			_uncorectl_answer "$word" "$before"table={ok,duplicate,hole,access0,access2,no_units,ones} \
				"$before"table={differs,offset,ram,overlap,changes}
			;;
		vm=*) _uncorectl_answer "$word" "$before"vm={no,kvm,qemu} ;;
		snc=*) _uncorectl_answer "$word" "$before"snc={2,4} ;;
		qm_scope=*) _uncorectl_answer "$word" "$before"qm_scope={thread,package} ;;
		qm=*) _uncorectl_answer "$word" "$before"qm={ok,error,unavailable} ;;
		defect=*:*) ;;
		defect=*)
			_uncorectl_answer "$word" \
				"$before"defect={rmid-off,no-error,never-falls,mbm-exchanged,assoc-shared} "$before"defect={stuck0,stuck1,width,stops,ones}: \
				"$before"defect={freeze-ignored,freeze-loses,reset-leaves,enable-crossed,umask-shifted}: \
				"$before"defect={channels-swapped,sockets-swapped,dclk-off,carry-missing,hidden}: \
				"$before"defect={drops,upscale-off,writes-alias,same-box}: \
				"$before"defect={write-clears,ignored,status-crossed,status-sticks,free-misses,mesh-misses}: \
				"$before"defect={counts-other,write-faults}:
			;;
		*=*) ;;
		*)
			_uncorectl_answer "$word" \
				"$before"{sockets,cores,threads,l3s,snc,domains,offline,nohz_full,load,clock,clock_event,numa,state,hide,allones,frz_en,frz,freeze,sleep,ctl_writes,status_bits,dword_ns,seed,empty,pmem}= \
				"$before"{numbering,fail,vanish,kill,lose,msr,msr_writes,lockdown,qm_scope,qm}= \
				"$before"{files,disturb,mbm_erratum,abmc,defect}= \
				"$before"{umcs,df_ctrs,umc_ctrs,remote,vm}= \
				"$before"{perf,perf_order,perf_moves,perf_mask,perf_off,perf_paranoid}= \
				"$before"{resctrl,resctrl_hw_id,resctrl_group,resctrl_off}= \
				"$before"{mmio,mmio_base,iomem,table,uncore,nest}=
			;;
		esac
		;;
	*)
		local machine models=()
		while read -r machine _; do models+=("$machine"); done < <("$program" --list-machines 2>/dev/null)
		_uncorectl_answer "$word" live live,ecam root: replay: "${models[@]}" sim:cpuid=
		;;
	esac
}

# Names that the command itself prints, in the first column; of a simulated machine only, as a key at the keyboard should
# neither read hardware nor make a state file.
_uncorectl_names() { # WORD COMMAND...
	local word=$1 line names=()
	shift
	[[ $machine =~ ^(sim:.*),state=[^,]*(.*) ]] && machine=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
	[[ $machine == sim:* ]] || return
	while IFS= read -r line; do
		names+=("${line%%,*}")
	done < <("$program" --machine "$machine" "$@" --format csv 2>/dev/null | sed 1d)
	_uncorectl_answer "$word" "${names[@]}"
}

# The last of several names that are joined by commas, or are in braces.
_uncorectl_listed() { # WORD COMMAND...
	local word=$1 before
	shift
	before=${word%"${word##*[,\{]}"}
	compopt -o nospace 2>/dev/null
	_uncorectl_names "${word#"$before"}" "$@"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

# The last of several words that are joined by commas.
_uncorectl_joined() { # WORD ANSWER...
	local word=$1 before
	shift
	before=${word%"${word##*,}"}
	compopt -o nospace 2>/dev/null
	_uncorectl_answer "${word#"$before"}" "$@"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

# Groups of resctrl: its root, and each folder that has tasks.
_uncorectl_groups() { # WORD
	local file groups=(/)
	for file in /sys/fs/resctrl/{,*/}{mon_groups/,}*/tasks; do
		file=${file#/sys/fs/resctrl/}
		[[ $file == *'*'* ]] || groups+=("${file%/tasks}")
	done
	_uncorectl_answer "$1" "${groups[@]}"
}

# Themes and names of checks, the last of several; the program has them, whatever the machine.
_uncorectl_checks() { # WORD
	local line theme='' names=()
	while IFS= read -r line; do
		line=${line#*\"check\":\"}
		[[ $theme == "${line%%.*}" ]] || names+=("${line%%.*}")
		theme=${line%%.*}
		names+=("${line%%\"*}")
	done < <("$program" check --list --format jsonl 2>/dev/null)
	_uncorectl_joined "$1" "${names[@]}"
}

# The options that --help of a command shows, and -- if a command of the user may follow.
_uncorectl_options() { # WORD COMMAND...
	local word=$1 line names=()
	shift
	while IFS= read -r line; do
		[[ $line == usage:*'-- COMMAND'* ]] && names+=(--)
		[[ $line =~ ^\ \ (-[a-zA-Z]) ]] && names+=("${BASH_REMATCH[1]}")
		[[ $line =~ ^\ \ \(?(-[a-zA-Z],\ )?(--[a-z][a-z-]*) ]] && names+=("${BASH_REMATCH[2]}")
	done < <("$program" "$@" --help 2>/dev/null && [[ $word == --?* ]] && "$program" --help)
	_uncorectl_answer "$word" "${names[@]}"
}

# The words that an option of a command takes as its value.
_uncorectl_words() { # WORD OPTION COMMAND...
	local word=$1 option=$2 line answers=() t=$'\t'
	shift 2
	while IFS= read -r line; do
		if [[ $line =~ ^[a-z]?${t}([a-z-]*)${t}[^${t}]*${t}([^${t}]*)${t} && $option == --"${BASH_REMATCH[1]}" ]]; then
			read -ra answers <<<"${BASH_REMATCH[2]}"
		fi
	done < <("$program" "$@" --help=table 2>/dev/null)
	_uncorectl_answer "$word" "${answers[@]}"
}

# After reg: what it does, then its options, boxes, files.
_uncorectl_reg() { # WORD; words, i as in _uncorectl
	local word=$1 what='' k
	for ((k = i + 1; k < ${#words[@]} - 1; k++)); do
		[[ ${words[k]} == -* ]] || { what=${words[k]} && break; }
	done
	case "$what $word" in
	' '-*) _uncorectl_answer "$word" --help ;;
	' '*) _uncorectl_answer "$word" dump get set watch diff explain raw ;;
	*' '-*) _uncorectl_options "$word" reg "$what" ;;
	'diff '* | 'plot '*) _uncorectl_files "$word" ;;
	'raw '*) [[ ${words[-2]} == raw ]] && _uncorectl_answer "$word" pci msr mmio ;;
	'dump '*) _uncorectl_names "$word" list ;;
	'get '* | 'set '* | 'watch '*)
		# A box and its dot; the registers after it are in `reg dump BOX`.
		compopt -o nospace 2>/dev/null
		_uncorectl_names "$word" list
		COMPREPLY=("${COMPREPLY[@]/%/.}")
		;;
	esac
}

_uncorectl() {
	# The words as the shell will see them: what COMP_WORDBREAKS cut at : and = is put together again.
	local line=${COMP_LINE:0:COMP_POINT} words=() word program machine=$UNCORECTL_MACHINE command='' i k
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	word=${words[-1]}
	program=${words[0]}
	COMPREPLY=()

	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		[[ ${words[i]} == -- ]] && break
		[[ ${words[i]} == --machine ]] && machine=${words[i + 1]}
		[[ ${words[i]} == --machine=* ]] && machine=${words[i]#*=}
	done
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		--machine | --regs | --state | --trace) ((++i)) ;;
		-*) ;;
		*)
			command=${words[i]}
			break
			;;
		esac
	done

	if [[ $command == record ]]; then
		# record FILE -- COMMAND: first its own words, then those of that command.
		if ((i + 1 == ${#words[@]} - 1)); then
			if [[ $word == -* ]]; then _uncorectl_answer "$word" --help; else _uncorectl_files "$word"; fi
			return
		elif ((i + 2 == ${#words[@]} - 1)); then
			_uncorectl_answer "$word" --
			return
		elif ((i + 3 == ${#words[@]} - 1)); then
			_uncorectl_answer "$word" list mem stat llc events reg check xcheck doctor
			return
		fi
		((i += 3))
		command=${words[i]}
	fi

	if [[ $command == mem || $command == stat || $command == llc || $command == xcheck || $command == reg ]]; then
		# After -- comes a command of the user.
		for ((k = i + 1; k < ${#words[@]} - 1; k++)); do
			[[ ${words[k]} == -- ]] || continue
			if ((k == ${#words[@]} - 2)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				_uncorectl_files "$word"
			fi
			return
		done
	fi

	case "${words[-2]} $command" in
	'--machine '*) _uncorectl_machine "$word" && return ;;
	'--regs '* | '--state '*) _uncorectl_files "$word" -d && return ;;
	'--trace '* | '-o '?* | '--output '?*) _uncorectl_files "$word" && return ;;
	'--import-perfmon '?*) _uncorectl_files "$word" && return ;;
	'--format check')
		if [[ " ${words[*]} " == *' --list '* ]]; then
			_uncorectl_answer "$word" table jsonl
		else
			_uncorectl_words "$word" --format check
		fi
		return
		;;
	'--only check' | '--skip check') _uncorectl_checks "$word" && return ;;
	'--format reg') _uncorectl_words "$word" --format reg dump && return ;;
	'--format '?* | '--per '?*) _uncorectl_words "$word" "${words[-2]}" "$command" && return ;;
	'-e stat' | '--event stat' | '-e xcheck' | '--events xcheck') _uncorectl_listed "$word" events && return ;;
	'-m stat' | '--metric stat') _uncorectl_listed "$word" events --metrics && return ;;
	'--box mem' | '--box stat' | '--box xcheck') _uncorectl_listed "$word" list && return ;;
	'--box check') _uncorectl_names "$word" list && return ;;
	'--events llc') _uncorectl_joined "$word" occupancy total local && return ;;
	'-e top' | '--events top') _uncorectl_listed "$word" events && return ;;
	'--glyphs top') _uncorectl_words "$word" --glyphs top && return ;;
	'--cpus top' | '--group top' | '--cpus serve' | '--group serve' | '--listen serve' | '--cpus llc' | '--group llc' | '--pid llc' | '--program llc' | '--cgroup llc' | '--read-cpu llc' | '--bind llc') return ;;
	'--bmec llc') _uncorectl_answer "$word" {total,local}= && return ;;
	'--read load' | '--write load' | '--nt-write load') _uncorectl_answer "$word" max && return ;;
	'--node load' | '--cpu load' | '--size load' | '--time load') return ;;
	'--tolerance xcheck') return ;;
	'--resctrl xcheck') _uncorectl_groups "$word" && return ;;
	'--for reg' | '--but '?* | '--map reg' | '--threshold '?*) return ;;
	'-i '* | '--interval '* | '-d '* | '--duration '* | '-n '* | '--count '*) return ;;
	esac
	case $word in
	--machine=*) _uncorectl_machine "${word#*=}" && return ;;
	--regs=* | --state=*) _uncorectl_files "${word#*=}" -d && return ;;
	--trace=* | --output=* | --import-perfmon=*) _uncorectl_files "${word#*=}" && return ;;
	--only=* | --skip=*) _uncorectl_checks "${word#*=}" && return ;;
	--format=* | --per=*)
		[[ $command == reg ]] && command='reg dump' # its commands have the same formats
		# shellcheck disable=SC2086 # two words
		_uncorectl_words "${word#*=}" "${word%%=*}" $command && return
		;;
	esac

	case "$command $word" in
	' '-*) _uncorectl_options "$word" ;;
	' '* | 'help '*) _uncorectl_answer "$word" help list mem stat llc events reg recover maps check xcheck doctor load record diff plot top serve ;;
	'diff -'* | 'plot -'*) _uncorectl_options "$word" "$command" ;;
	'diff '* | 'plot '*) _uncorectl_files "$word" ;;
	'events -'*) _uncorectl_options "$word" events ;;
	'events '*)
		if [[ " ${words[*]} " == *' --metrics '* ]]; then
			_uncorectl_names "$word" events --metrics
		else
			_uncorectl_names "$word" events
		fi
		;;
	'reg '*) _uncorectl_reg "$word" ;;
	'maps -'*) _uncorectl_options "$word" maps list ;;
	'maps '*)
		if [[ ${words[-2]} == maps ]]; then
			_uncorectl_answer "$word" check list
		else
			_uncorectl_files "$word"
		fi
		;;
	*' '*) _uncorectl_options "$word" "$command" ;;
	esac
}

complete -F _uncorectl uncorectl
