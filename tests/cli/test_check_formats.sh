# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The reports of check, as those read them for whom they are made: prove, xmllint, jq, a browser's eyes.
. tests/lib.sh

GOOD=sim:ivt,sockets=2,clock=step
# Two channels that are not there, one with a counter that goes on when it is frozen, and a bit that is stuck.
BAD=$GOOD,hide=ff:10.4,allones=7f:10.1,defect=freeze-ignored:socket0.imc1.ch2:1,defect=stuck0:socket0.imc1.ch2:0xe4:9
report() { # MACHINE FORMAT [OPTION]...
	machine=$1 format=$2
	shift 2
	"$U" --machine "$machine" check --format "$format" "$@" >"$T/report.$format" 2>"$T/err"
	rc=$?
	cp "$T/report.$format" "$T/out"
}
there() { command -v "$1" >/dev/null; }

# ---- what there is to be told ----
report "$BAD" jsonl
is "a machine with faults" "$rc" 1
results=$(grep -c '"record":"result"' "$T/out")
failed=$(grep -c '"state":"fail"' "$T/out")
skipped=$(grep -c '"state":"skip"' "$T/out")
check "three channels at least fail" [ "$failed" -ge 3 ]
frozen=$(grep '"check":"behaviour.freeze","subject":"socket0.imc1.ch2"' "$T/out")
has "a counter that is wrong has its register" "$frozen" '"box":"socket0.imc1.ch2","pci":"0000:7f:1e.0","register":"CTR[1]","name":null,"offset":"0xa8"'
read=$(echo "$frozen" | grep -o '"read":"[^"]*","expected":"[^"]*","compared":"0x[0-9a-f]*","differs":"0x[0-9a-f]*","good":false' | head -1)
has "what was read and expected" "$read" '"good":false'
has "and a trace" "$frozen" '"plots":[{"title":"'
read=$(echo "$read" | cut -d'"' -f4)
is "the first record is the header, then that of the run" "$(cut -c1-15 "$T/out" | head -2 | paste -sd " ")" '{"record":"head {"record":"run"'
has "which names the machine" "$(sed -n 1p "$T/out")" "\"machine\":\"$BAD\",\"simulated\":true,\"vendor\":\"GenuineIntel\",\"part\":\"Ivy Bridge-EP\""
has "the last one counts" "$(sed -n '$p' "$T/out")" "\"results\":$results,\"passed\":$((results - failed - skipped)),\"failed\":$failed,\"skipped\":$skipped,\"not_run\":0"
has "a channel is where it is" "$(grep '"subject":"socket1.imc0.ch2"' "$T/out" | head -1)" '"socket":1,"imc":0,"channel":2,'
if there jq; then
	check "every line is JSON" jq empty "$T/out"
	is "each with the same names" "$(jq -rc 'select(.record=="result") | keys' "$T/report.jsonl" | sort -u | wc -l)" 1
else
	skip "every line is JSON" "jq is not there"
fi

# ---- TAP ----
report "$BAD" tap
is "TAP has a plan" "$(sed -n 2p "$T/out")" "1..$results"
is "and as many tests" "$(grep -cE '^(not )?ok [0-9]+ - [a-z]+\.[a-z_]+ ' "$T/out")" "$results"
is "as many fail" "$(grep -c '^not ok' "$T/out")" "$failed"
is "each of these with a block of YAML" "$(grep -c '^  ---$' "$T/out") $(grep -c '^  \.\.\.$' "$T/out")" "$failed $failed"
is "as many are skipped" "$(grep -c ' # SKIP ' "$T/out")" "$skipped"
has "with what was read" "$(grep -A14 '^not ok .* - behaviour.freeze socket0.imc1.ch2' "$T/out")" "read: $read"
if there prove; then
	prove --exec cat "$T/report.tap" >"$T/proved" 2>&1
	rc=$?
	cp "$T/proved" "$T/out"
	check "prove counts the failures" [ "$rc" != 0 ]
	has "all of them" "$(cat "$T/proved")" "Failed $failed/$results subtests"
	lacks "and finds no error in the form" "$(cat "$T/proved")" "Parse errors"
	report "$GOOD" tap
	prove --exec cat "$T/report.tap" >"$T/proved" 2>&1
	rc=$?
	cp "$T/proved" "$T/out"
	check "prove is content with a machine without fault" [ "$rc" = 0 ]
	has "which it says" "$(cat "$T/proved")" "Result: PASS"
else
	skip "prove counts the failures" "prove is not there"
fi

# ---- JUnit ----
for machine in "$GOOD" "$BAD"; do
	report "$machine" junit
	has "the machine is a property" "$(cat "$T/out")" "<property name=\"machine\" value=\"$machine\"/>"
	if there xmllint; then
		check "xmllint is content with its form" xmllint --noout --schema tests/cli/junit.xsd "$T/report.junit" 2>"$T/err"
	else
		skip "xmllint is content with its form" "xmllint is not there"
	fi
done
is "as many fail" "$(grep -c '<failure ' "$T/out")" "$failed"
is "as many are skipped" "$(grep -c '<skipped ' "$T/out")" "$skipped"
is "as many cases" "$(grep -c '<testcase ' "$T/out")" "$results"
has "what was read is there" "$(cat "$T/out")" "CTR[1] (0xa8 of 0000:7f:1e.0) while frozen read $read expected"
has "and the sums say so" "$(sed -n 2p "$T/out")" "tests=\"$results\" failures=\"$failed\" errors=\"0\" skipped=\"$skipped\""
if there xmllint; then
	sed 's/<testcase /<testcase color="red" /' "$T/report.junit" >"$T/wrong.xml"
	check "what is not of that form is found" sh -c '! xmllint --noout --schema tests/cli/junit.xsd "$1" 2>"$2"' sh "$T/wrong.xml" "$T/err"
fi

# ---- HTML ----
drawn() { node tests/cli/draw_page.js "$T/report.html" >"$T/out" 2>"$T/err"; } # the page as its script draws it
well_formed() { # PAGE
	if there xmllint; then
		# It knows HTML 4 alone: what it says of the elements of 5 does not count.
		xmllint --html --noout "$1" 2>&1 | grep 'error :' | grep -vE 'Tag (header|main|section|article|footer|details|summary|figure|figcaption|svg|title|line|text|path|rect|circle) invalid' >"$T/wrong"
		is "xmllint finds nothing wrong in the page" "$(cat "$T/wrong")" ""
	else
		skip "xmllint finds nothing wrong in the page" "xmllint is not there"
	fi
	if there tidy; then
		tidy -q -e "$1" 2>"$T/wrong"
		is "nor does tidy" "$(cat "$T/wrong")" ""
	else
		skip "nor does tidy" "tidy is not there"
	fi
}
report "$BAD" html
is "the page begins as one" "$(sed -n 1p "$T/out")" "<!DOCTYPE html>"
is "it needs no other file" "$(grep -ciE '(src|href)="[^#]|url\(|@import|<link|<img' "$T/out")" 0
has "nor may it ask for one" "$(cat "$T/out")" "content=\"default-src 'none';"
for part in machine summary map failures all; do
	has "there is $part" "$(cat "$T/out")" "<section id=\"$part\">"
done
plain=$(sed '/^<script/,$d' "$T/out")
has "without scripts there is the verdict" "$plain" "<h1>Does this silicon count right? <span class=\"state fail\">&#10007; FAILED</span></h1>"
is "each failure is told" "$(echo "$plain" | grep -c '<span class="state fail">&#10007; fail</span></td><td>.')" "$failed"
is "and each other finding" "$(echo "$plain" | grep -c '^<tr><td>')" "$results"
has "that it is simulated is said" "$plain" "This machine is simulated."
well_formed "$T/report.html"
if there jq; then
	sed -n '/^<script type="application\/json" id="report">/,/^]<\/script>/p' "$T/out" | sed '1d; $s/<.*//' >"$T/page.json"
	check "the report in it is JSON" jq empty "$T/page.json"
	is "with every result" "$(jq '[.[] | select(.record=="result")] | length' "$T/page.json")" "$results"
else
	skip "the report in it is JSON" "jq is not there"
fi

# ---- HTML, as its script draws it ----
if there node; then
	check "the script draws the page" drawn
	is "each failure has its evidence" "$(grep -c '<article class="failure" id="f[0-9]*">' "$T/out")" "$failed"
	has "the map leads to what failed" "$(grep -o '<a class="ch fail" href="#f[0-9]*" title="socket1.imc0.ch0: [^"]*' "$T/out" | head -1)" "failed"
	has "and tells it in words too" "$(grep -A0 'title="socket1.imc0.ch0' "$T/out" | head -1)" "fail</b></a>"
	is "every place that is led to is there" "$(grep -o 'href="#[^"]*"' "$T/out" | sed 's/href="#//; s/"//' | sort -u | while read -r id; do
		grep -q "id=\"$id\"" "$T/out" || echo "$id"
	done)" ""
	is "no two have the same name" "$(grep -o ' id="[^"]*"' "$T/out" | sort | uniq -d)" ""
	frozen=$(sed -n '/<h3>.*behaviour.freeze: socket0.imc1.ch2/,/<\/article>/p' "$T/out")
	has "how far a counter came is a number" "$(echo "$frozen" | grep '>read</th><td')" "<td class=\"hex\">$(printf '%u (0x%x)' "$read" "$read")</td>"
	has "with its difference" "$(echo "$frozen" | grep '>differs</th>')" " more than expected</td>"
	stuck=$(sed -n '/<h3>.*registers.bits: socket0.imc1.ch2/,/<\/article>/p' "$T/out")
	has "what was read is there bit by bit" "$(echo "$stuck" | grep '>wrote</th><td' | head -1)" '<td class="hex">0x00000200</td>'
	has "bits that differ are marked" "$stuck" '<td class="bad">^</td>'
	has "in the rows too" "$(echo "$stuck" | grep '>expected</th><td')" 'bad">'
	brief=$(sed -n '/<section id="brief">/,/<\/section>/p' "$T/out")
	is "each failure is a line at the top" "$(echo "$brief" | grep -c '<td class="found" data-head="found">')" "$failed"
	has "with the place in words" "$brief" "<strong>socket 0, memory controller 1, channel 2</strong>"
	has "and its address" "$brief" "PCI 0000:7f:1e.0"
	has "there is a plot" "$frozen" '<svg xmlns='
	has "with its units" "$frozen" '>ms</text>'
	lacks "its axes begin at 0" "$frozen" "not begin at 0"
	has "of those that do not it is said" "$(cat "$T/out")" "(the vertical axis does not begin at 0)"
	skips=$(sed -n '/<section id="skips">/,/<\/section>/p' "$T/out")
	is "each reason to skip is one row" "$(echo "$skips" | grep -o '<td>[^<]*</td></tr>' | sort | uniq -d)" ""
	has "whatever the check" "$skips" " checks</summary>"
	lacks "a tile that counts something is not grey" "$(cat "$T/out")" "<div class=\"tile skip\"><b>✗"
	cp "$T/out" "$T/drawn.html"
	well_formed "$T/drawn.html"
else
	skip "the script draws the page" "node is not there"
fi

if there node; then
	report "$GOOD" html
	drawn
	has "that nothing failed is not red" "$(cat "$T/out")" "<div class=\"tile skip\"><b>✗ 0</b>"
fi
# A column whose letters may stand below each other must not be as narrow as one of them; only what failed is printed in full.
has "columns are as wide as their words" "$(cat "$T/report.html")" "width:1%;padding-right:1.2rem;overflow-wrap:break-word"
lacks "what is folded is not printed" "$(cat "$T/report.html")" "details-content"

# ---- what is typed cannot become markup ----
mkdir "$T/a<b>&\"'c"
odd="$GOOD,state=$T/a<b>&\"'c/state"
for format in junit html; do
	report "$odd" $format
	is "a name with signs in it is no markup in $format" "$(grep -c '<b>&"' "$T/out")" 0
	has "but can be read" "$(cat "$T/out")" 'a&lt;b&gt;&amp;&quot;&#39;c'
done
is "nor in the report in the page" "$(sed '1,/^<script/d; /^]<\/script>/,$d' "$T/out" | grep -c '<')" 0
if there xmllint; then
	check "and XML stays well-formed" xmllint --noout --schema tests/cli/junit.xsd "$T/report.junit" 2>"$T/err"
fi

# ---- the list ----
"$U" check --list --format jsonl --only clock,traffic.nodes --skip clock.jedec >"$T/out" 2>"$T/err"
is "the list has what is asked for" "$(sed '1d; s/^{"record":"check","check":"\([^"]*\)".*/\1/' "$T/out" | tr '\n' ' ')" "clock.rate clock.equal clock.smbios clock.steady traffic.nodes "
"$U" check --list --only clock.rate >"$T/out" 2>"$T/err"
is "as a page, too" "$(sed -n '1,2p' "$T/out" | tr -d '\n')" "clock  rate"

# ---- which computer it was ----
mkdir -p "$T/f/sys/class/dmi/id" "$T/f/proc/sys/kernel" "$T/f/sys/devices/system/cpu/cpu0/microcode"
echo "A&B Inc.  " >"$T/f/sys/class/dmi/id/bios_vendor"
echo "2.10" >"$T/f/sys/class/dmi/id/bios_version"
echo "secret" >"$T/f/sys/class/dmi/id/product_serial"
echo "6.1.0-9-amd64" >"$T/f/proc/sys/kernel/osrelease"
echo "0x49" >"$T/f/sys/devices/system/cpu/cpu0/microcode/version"
for format in table tap junit jsonl html; do
	report "$GOOD,files=$T/f" $format --only presence.functions
	said=$(cat "$T/out")
	has "$format has the kernel" "$said" "6.1.0-9-amd64"
	has "and the microcode" "$said" "0x49"
	lacks "but no serial number" "$said" "secret"
done
has "the firmware is one text, without blanks at its ends" "$said" '"firmware":"A&B Inc. 2.10"'
if there node; then
	drawn
	said=$(cat "$T/out")
	has "which is drawn" "$said" "<dt>firmware</dt><dd>A&amp;B Inc. 2.10</dd>"
	lacks "what is not told is not there" "$said" "<dt>board</dt>"
else
	skip "which is drawn" "node is not there"
fi

# ---- what silicon does where a map has doubts ----
report "$GOOD" table --only presence,registers
is "each name is there once" "$(grep -o '^[A-Za-z_.]*: {tested:' "$T/out" | sort | uniq -d)" ""
has "with what all sockets tell" "$(grep '^CPUNODEID' "$T/out")" '; node '

# ---- what was refused is not passed ----
report "$GOOD,lockdown=1" table --quick
is "a kernel that is locked down" "$rc" 4
has "is no success" "$(tail -2 "$T/out")" "INCOMPLETE. "
has "and told" "$(cat "$T/err")" "are missing because something was refused or failed, the first: socket0."
