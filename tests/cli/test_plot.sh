# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl plot: samples as a page for a browser, and as a trace.
. tests/lib.sh

S=sim:bdx,sockets=2,clock=step
there() { command -v "$1" >/dev/null; }
page() { # FILE...: its page in T/page.html, and the data in it in T/page.json
	run "$U" plot "$@" -o "$T/page.html"
	sed -n '/^<script type="application\/json" id="report">/,/^]<\/script>/p' "$T/page.html" | sed '1d; s/<\/script>//' >"$T/page.json"
}
drawn() { node tests/cli/draw_page.js "$T/page.html" >"$T/out" 2>"$T/err"; } # the page as its script draws it

# ---- bins: what is least, mean and largest in each, of samples whose values are known ----
head=time_ns,interval_ns,socket,imc,channel,pci,read_bytes,write_bytes,read_bytes_per_s,write_bytes_per_s,read_count,write_count,flags,uncertainty_percent
# rows N: N samples, a second apart, of two channels of socket 0 and one of socket 1; the first reads 1, 2, 3, ... MB/s
rows() {
	awk -v n="$1" -v head="$head" 'BEGIN {
		print head
		for (i = 1; i <= n; i++) {
			t = 1700000000 + i "000000000,1000000000"
			printf "%s,0,0,0,p,1,1,%.0f,0,1,1,%s,0\n", t, i * 1000000, i == 7 ? "late" : ""
			printf "%s,0,0,1,p,1,1,%s,0,1,1,%s,0\n", t, i == 5 ? "" : 1000000, i == 5 ? "stolen" : ""
			printf "%s,1,0,0,p,1,1,3000000,0,1,1,,0\n", t
		}
	}'
}
if there jq; then
	track() { jq -c ".[0].places[] | select(.box == \"$1\") | .tracks[] | select(.quantity == \"read_bytes_per_s\") | $2" "$T/page.json"; }
	rows 100 >"$T/100.csv"
	page "$T/100.csv"
	is "a page is made" "$rc $out$err" "0 "
	check "the data in it is JSON" jq empty "$T/page.json"
	is "a short run has a point for each sample" "$(track socket0.imc0.ch0 '.bins | length')" 100
	is "with its value" "$(track socket0.imc0.ch0 '[.bins[0][1], .bins[99][1]]')" "[1,100]"
	is "sockets are the sums of their channels" "$(track socket0 '[.bins[0][1], .bins[99][1]]')" "[2,101]"
	is "with what was given, where a channel has no value" "$(track socket0 '.bins[4][1]') $(track socket0.imc0.ch1 '.bins | length')" "5 99"
	is "the machine is the sum of all" "$(track machine '[.least, .mean, .most]')" "[5000000,54490000,104000000]"
	rows 30000 >"$T/30000.csv"
	page "$T/30000.csv"
	bins=$(track socket0 '.bins | length')
	check "a long run has a bin for each pixel of a wide page, and not many more" [ "$bins" -ge 1000 ] && [ "$bins" -le 2048 ]
	is "no sample is lost" "$(track socket0.imc0.ch0 '[.least, .mean, .most]')" "[1000000,15000500000,30000000000]"
	is "a bin has its least, mean and largest value" "$(track socket0.imc0.ch0 '.bins[1] | [.[3] - .[2] > 20, (.[1] * 2 - .[2] - .[3] | fabs) < 2]')" '[true,true]'
	is "neighbours touch" "$(track socket0.imc0.ch0 '.bins as $b | [range(1; 100) | $b[.][2] - $b[. - 1][3]] | unique | tostring')" '"[1]"'
	check "its page is not longer than for a third of it" sh -c \
		"rows=$(wc -c <"$T/page.html"); head -30000 '$T/30000.csv' >'$T/third.csv'; '$U' plot '$T/third.csv' -o '$T/third.html'; [ \$rows -lt \$((\$(wc -c <'$T/third.html') * 2)) ]"
	page "$T/100.csv"
	is "flags have their samples" "$(jq -c '[.[0].places[] | select(.flags != {}) | [.box, (.flags | map_values(.[0]))]]' "$T/page.json")" \
		'[["socket0.imc0.ch0",{"late":1}],["socket0.imc0.ch1",{"stolen":1}]]'
	printf '%s\n' time_ns,interval_ns,box,memory,read_bytes_per_s,flags 1000,1000,machine,hbm,5, >"$T/hbm.csv"
	page "$T/hbm.csv"
	is "a kind of memory alone is a group" "$(jq -c '[.[0].places[].group]' "$T/page.json")" '["hbm"]'
	head -n -2 "$T/100.csv" >"$T/killed.csv"
	page "$T/killed.csv"
	is "a sum that lacks channels, since the writer was killed, is none" "$(track machine '.bins | length')" 99
else
	skip "what is in a page is right" "jq is not there"
fi

# ---- every kind of file ----
"$U" --machine "$S" mem -n 3 --format csv -o "$T/m.csv" 2>/dev/null
"$U" --machine "$S" mem -n 3 --format jsonl -o "$T/m.jsonl" 2>/dev/null
"$U" --machine "$S" record "$T/m.rec" -- mem -n 3 >/dev/null 2>&1
"$U" --machine "$S" llc --group web=0-3 -n 3 --format jsonl -o "$T/llc.jsonl" 2>/dev/null
"$U" --machine "$S" stat -e cas_count.rd -m page_hit -n 3 --format csv -o "$T/stat.csv" 2>/dev/null
data() { sed 's/"name":"[^"]*",//' "$T/page.json"; }
page "$T/m.csv"
wanted=$(data)
check "a page of mem" [ "$(grep -c '"box":"socket1.imc1.ch1"' "$T/page.json")" = 1 ]
page "$T/m.rec"
is "a record has what its run has written" "$(data)" "$wanted"
"$U" --machine "$S" record "$T/of.rec" -- mem -n 3 -- true >/dev/null 2>&1
page "$T/of.rec"
is "also that of a COMMAND, whose data went to standard error" "$rc $(grep -c '"box":"socket1.imc1.ch1"' "$T/page.json")" "0 1"
"$U" --machine "$S" mem -n 3 --per all --format csv --header -o "$T/all.csv" 2>/dev/null
page "$T/all.csv"
is "a file with sums of its own has each once" "$rc $(grep -o '"box":"[^"]*"' "$T/page.json" | grep -v imc | sort | tr '\n' ' ')" '0 "box":"machine" "box":"socket0" "box":"socket1" '
page "$T/m.jsonl"
is "JSON lines have as many places" "$(grep -o '"box":"[^"]*"' "$T/page.json" | sort | uniq -c)" "$(echo "$wanted" | grep -o '"box":"[^"]*"' | sort | uniq -c)"
run sh -c "'$U' plot - <'$T/m.csv' >'$T/stdin.html'"
has "- is standard input, and without -o the page goes to standard output" "$rc $(sed -n 1p "$T/stdin.html")" "0 <!DOCTYPE html>"

# ---- the page ----
page "$T/m.csv" "$T/m.rec" "$T/llc.jsonl" "$T/stat.csv" "$T/100.csv"
is "it needs no other file" "$(grep -ciE '(src|href)="[^#]|url\(|@import|<link|<img' "$T/page.html")" 0
has "nor may it ask for one" "$(cat "$T/page.html")" "content=\"default-src 'none';"
lacks "nothing of the template is left" "$(cat "$T/page.html")" "{{"
if there node; then
	check "the script draws the page" drawn
	said=$(sed 's/ data-head="[^"]*"//g' "$T/out" | grep -oE '<strong>[^<]*</strong>|<path class="mark" d="M|grid-template-columns:repeat\([0-9]*,|<td>[^<]*</td>|[a-z]*</span>|NaN|undefined' | sort -u)
	has "several files are side by side" "$said" "grid-template-columns:repeat(2,"
	has "sums" "$said" '<strong>machine</strong>'
	has "channels" "$said" '<strong>socket1.imc1.ch1</strong>'
	has "caches" "$said" '<strong>socket0.l3-0 web</strong>'
	has "with what is drawn" "$said" 'occupancy</span>'
	has "events" "$said" '<strong>socket0.imc0.ch0 cas_count.rd</strong>'
	has "metrics" "$said" '<strong>socket0.imc0.ch0 page_hit</strong>'
	has "flags are marks" "$said" '<path class="mark" d="M'
	has "and in a table" "$said" '<td>stolen</td>'
	has "shares" "$said" '<td>socket0.imc0.ch0</td>'
	has "in percent" "$said" ' %</td>'
	has "that it is simulated is said" "$said" "A machine here is simulated."
	lacks "no number is broken" "$said" NaN
	lacks "nor missing" "$said" undefined
	has "each number has its head, for a narrow page" "$(grep -o 'data-head="share">[0-9.]* %' "$T/out" | head -1)" 'data-head="share">'
	cp "$T/out" "$T/drawn.html"
	page "$T/100.csv"
	drawn
	lacks "what is not there has no heading" "$(cat "$T/out")" "<h2>Caches"
	said=$(sed -n '/<section id="shares">/,$p' "$T/out")
	has "a share is one of all channels" "$(echo "$said" | grep -A9 'socket1.imc0.ch0')" "5.5 %"
else
	skip "the script draws the page" "node is not there"
fi
if there tidy && there node; then
	for file in page drawn; do
		tidy -q -e "$T/$file.html" 2>"$T/wrong"
		is "tidy finds nothing wrong in $file" "$(cat "$T/wrong")" ""
	done
fi
mkdir "$T/a<b>&"
cp "$T/100.csv" "$T/a<b>&/x.csv"
page "$T/a<b>&/x.csv"
is "the name of a file is no markup" "$(grep -c '<b>' "$T/page.html")" 0

# ---- the trace ----
run "$U" plot --format trace "$T/100.csv" "$T/m.rec" -o "$T/trace.json"
is "a trace is made" "$rc $out$err" "0 "
if there jq; then
	is "it has every value at its time" "$(jq -c '[.traceEvents[] | select(.ph == "C" and .pid == 1 and .name == "socket0.imc0.ch0") | [.ts, .args.read_bytes_per_s]] | [length, .[0], .[99]]' "$T/trace.json")" \
		"[100,[1000000,1000000],[100000000,100000000]]"
	is "a value that was not given is not there" "$(jq -c '[.traceEvents[] | select(.ph == "C" and .pid == 1 and .ts == 5000000 and .name == "socket0.imc0.ch1") | .args]' "$T/trace.json")" '[{"write_bytes_per_s":0}]'
	is "flags are instants" "$(jq -c '[.traceEvents[] | select(.ph == "i") | [.name, .ts, .args.box]]' "$T/trace.json")" \
		'[["stolen",5000000,"socket0.imc0.ch1"],["late",7000000,"socket0.imc0.ch0"]]'
	# https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: what each phase must have
	is "each event has the keys of its phase" "$(jq -c '[.traceEvents[] | select((
		(.name | type) == "string" and (.pid | type) == "number" and (.args | type) == "object" and
		(if .ph == "M" then .name == "process_name" and (.args.name | type) == "string"
		 elif .ph == "C" then (.ts | type) == "number" and .ts >= 0 and all(.args[]; type == "number")
		 elif .ph == "i" then (.ts | type) == "number" and .s == "p" else false end)) | not)]' "$T/trace.json")" "[]"
	is "and there is nothing else in it" "$(jq -c '[keys, (.traceEvents | map(.ph) | unique)]' "$T/trace.json")" '[["traceEvents"],["C","M","i"]]'
	is "files are processes" "$(jq -c '[.traceEvents[] | select(.ph == "M") | .args.name]' "$T/trace.json")" "[\"$T/100.csv\",\"$T/m.rec\"]"
else
	skip "what is in a trace is right" "jq is not there"
fi

# ---- wrong input ----
refused "no file" 2 "which files?" "$U" plot
echo time_ns >"$T/same"
refused "its own input as the output" 2 "is also read" "$U" plot --format trace "$T/same" -o "$T/../${T##*/}/same"
is "which stays as it was" "$(cat "$T/same")" time_ns
refused "standard input twice" 2 "only one" "$U" plot - -
refused "a dump of registers" 2 "no samples of mem, stat or llc" sh -c "'$U' --machine '$S' reg dump --format csv 2>/dev/null | '$U' plot -"
refused "an empty file" 2 "no samples" "$U" plot /dev/null
refused "a file that is not there" 2 "No such file" "$U" plot "$T/none"
echo "keep me" >"$T/kept"
head -c 300 "$T/100.csv" >"$T/cut.csv"
refused "a line that is cut" 2 "$T/cut.csv:4: " "$U" plot "$T/cut.csv" -o "$T/kept"
is "leaves the output as it was" "$(cat "$T/kept")" "keep me"
run sh -c "'$U' plot '$T/100.csv' --format trace | head -1"
has "a reader that goes ends it quietly" "$rc $out$err" '0 {"traceEvents":['
if there script; then
	run script -qec "'$U' plot '$T/100.csv'" /dev/null
	has "a page is nothing for a terminal" "$rc $out" "2 uncorectl: plot: a page is nothing for a terminal; -o page.html"
fi
refused "a full disk" 1 "No space left" "$U" plot "$T/100.csv" -o /dev/full
refused "no record of a plot" 2 "nothing to record" "$U" --machine "$S" record "$T/new" -- plot "$T/100.csv"
