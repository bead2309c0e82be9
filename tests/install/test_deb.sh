# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# make deb: a package that is installed into an empty root of its own and removed again.
. tests/lib.sh

case "${CFLAGS-}" in *-fsanitize* | *--coverage*)
	skip "the Debian package" "this build is not one to ship"
	exit 0
	;;
esac
for tool in dpkg-deb dpkg-shlibdeps; do
	if ! command -v $tool >/dev/null; then
		skip "the Debian package" "no $tool: tools/deps deb"
		exit 0
	fi
done

ours=$(dpkg-query -W uncorectl 2>&1)
version=$("$U" --version | cut -d' ' -f2)
deb=$B/deb/uncorectl_${version}_$(dpkg --print-architecture).deb
# A package of ours alone, built of what is built already.
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=1700000000 tools/deb/build "$B" "$version"
check "make deb succeeds" [ "$rc" = 0 ]
is "and says where the package is" "$out" "$deb"
is "it makes no noise" "$err" ""
cp "$deb" "$T/first.deb"
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=1700000000 tools/deb/build "$B" "$version"
check "the same sources give the same package" cmp -s "$T/first.deb" "$deb"
is "its version is the command's" "$(dpkg-deb -f "$deb" Version)" "$version"
for library in libc6 libpci3 libcpuid libyaml-0-2; do
	has "it depends on $library" "$(dpkg-deb -f "$deb" Depends)" "$library"
done
for source in jansson libcap-ng libcpuid numactl libseccomp libyaml; do
	has "it tells that $source is in it" "$(dpkg-deb -f "$deb" Built-Using)" "$source (= "
done
is "everything in it belongs to root" "$(dpkg-deb -c "$deb" | awk '$2 != "root/root"')" ""
is "no other user may write it" "$(dpkg-deb -c "$deb" | awk '$1 !~ /^l/ && $1 ~ /^.....w|^........w/')" ""
is "no path of where it was built is in it" "$(dpkg-deb --fsys-tarfile "$deb" | tar xO | grep -caF -e "$PWD" -e "$T")" 0

# A system that has nothing but dpkg's own records; never the one we run on.
R=$T/root
mkdir -p "$R/var/lib/dpkg/info" "$R/var/lib/dpkg/updates" "$R/var/lib/dpkg/triggers" "$R/var/log"
: >"$R/var/lib/dpkg/status"
: >"$R/var/lib/dpkg/available"
pkg() {
	dpkg --root="$R" --log="$R/var/log/dpkg.log" --force-not-root --force-depends --force-bad-path "$@"
}
# Without what dpkg writes for itself.
content() { (cd "$R" && find . -path ./var -prune -o -print | sort); }
before=$(content)
run pkg -i "$deb"
check "dpkg installs it" [ "$rc" = 0 ]
is "it is installed" "$(dpkg-query --admindir="$R/var/lib/dpkg" -W -f='${Status}' uncorectl)" "install ok installed"
run dpkg --root="$R" --verify uncorectl
is "and whole" "$out" ""
run "$R/usr/bin/uncorectl" --machine sim:snbep mem -n 1 -i 0.01 --format csv
is "the command in it runs" "$(sed 1d "$T/out" | wc -l)" 8
for page in man8/uncorectl.8 man5/uncorectl-regs.5 man5/uncorectl-sim.5 man3/libuncore.3; do
	check "it brings $page" gzip -t "$R/usr/share/man/$page.gz"
done
check "it brings the maps" [ -f "$R/usr/share/uncorectl/regs/intel-snbep-imc.yaml" ]
check "it brings the completion" [ -f "$R/usr/share/bash-completion/completions/uncorectl" ]
check "it says what may be done with it" grep -q GPL-2 "$R/usr/share/doc/uncorectl/copyright"
run pkg -r uncorectl
check "dpkg removes it" [ "$rc" = 0 ]
is "and nothing stays behind" "$(content)" "$before"
is "nor does dpkg know it any more" "$(dpkg-query --admindir="$R/var/lib/dpkg" -W 2>/dev/null)" ""
is "the system that we run on knows nothing of all this" "$(dpkg-query -W uncorectl 2>&1)" "$ours"
