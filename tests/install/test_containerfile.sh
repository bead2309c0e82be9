# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The Containerfile: it names what there is, and buildah builds it where that runs.
. tests/lib.sh

file=tools/serve/Containerfile
said() { sed -n "s/^$1 //p" "$file"; }
is "its image has one file, that of make static" "$(said FROM) $(said COPY)" "scratch build/static/uncorectl /uncorectl"
check "which the Makefile builds" grep -q '^\$(B)/static/uncorectl:' Makefile
# With the machine of the page, a simulated one in its place; the words are JSON.
words=$( (said ENTRYPOINT && said CMD) | jq -r '.[]' | sed "1s|.*|$U|; s|^/host|$T/host|; s|root:/host|sim:snbep,state=$T/machine|" | paste -sd' ')
mkdir -p "$T/host/run"
# shellcheck disable=SC2086 # words
$words --listen "unix:$T/socket" >"$T/out" 2>"$T/err" &
pid=$!
check "its command line serves" until_ [ -S "$T/socket" ]
is "its journals survive it, on the host" "$(ls "$T/host/run")" uncorectl-container
kill -TERM "$pid"
over "$pid" >/dev/null
is "it names the capabilities of the unit" "$(grep -o 'CAP_[A-Z_]*' "$file" | sort -u | paste -sd' ')" \
	"$(sed -n 's/^AmbientCapabilities=//p' tools/serve/uncorectl-serve.service | tr ' ' '\n' | sort | paste -sd' ')"
is "and has the container be given them" "$(grep -o 'cap-add=[A-Z_,]*' "$file" | sed 's/cap-add=//' | tr ',' '\n' | sed 's/^/CAP_/' | sort | paste -sd' ')" \
	"$(sed -n 's/^AmbientCapabilities=//p' tools/serve/uncorectl-serve.service | tr ' ' '\n' | sort | paste -sd' ')"

if ! command -v buildah >/dev/null; then
	skip "buildah builds it" "no buildah here"
	exit 0
fi
mkdir -p "$T/context/build/static"
cp "$U" "$T/context/build/static/uncorectl"
run timeout 120 buildah --storage-driver vfs --root "$T/storage" --runroot "$T/runroot" from scratch
if [ "$rc" != 0 ]; then
	skip "buildah builds it" "buildah does not run here: $(echo "$err" | tail -1)"
	exit 0
fi
run timeout 120 buildah --storage-driver vfs --root "$T/storage" --runroot "$T/runroot" build -f "$file" -t uncorectl "$T/context"
check "buildah builds it" [ "$rc" = 0 ]
run timeout 120 buildah --storage-driver vfs --root "$T/storage" --runroot "$T/runroot" inspect --type image uncorectl
is "and the image starts it" "$(jq -c .OCIv1.config.Entrypoint "$T/out")" "$(said ENTRYPOINT | jq -c .)"
buildah --storage-driver vfs --root "$T/storage" --runroot "$T/runroot" rm --all >/dev/null 2>&1
