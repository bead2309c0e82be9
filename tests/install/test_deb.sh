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
arch=$(dpkg --print-architecture)
debs=$(for name in libuncore0 libuncore-dev uncorectl; do echo "$B/deb/${name}_${version}_$arch.deb"; done)
deb=$B/deb/uncorectl_${version}_$arch.deb
library=$B/deb/libuncore0_${version}_$arch.deb
# Packages of ours alone, built of what is built already.
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=1700000000 tools/deb/build "$B" "$version"
check "make deb succeeds" [ "$rc" = 0 ]
is "and says where the packages are" "$out" "$debs"
is "it makes no noise" "$err" ""
mkdir "$T/first"
# shellcheck disable=SC2086 # a list
cp $debs "$T/first"
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=1700000000 tools/deb/build "$B" "$version"
for each in $debs; do
	name=$(basename "$each")
	check "the same sources give the same $name" cmp -s "$T/first/$name" "$each"
	is "its version is the command's" "$(dpkg-deb -f "$each" Version)" "$version"
	is "everything in it belongs to root" "$(dpkg-deb -c "$each" | awk '$2 != "root/root"')" ""
	is "no other user may write it" "$(dpkg-deb -c "$each" | awk '$1 !~ /^l/ && $1 ~ /^.....w|^........w/')" ""
	is "no path of where it was built is in it" "$(dpkg-deb --fsys-tarfile "$each" | tar xO | grep -caF -e "$PWD" -e "$T")" 0
	check "it says what may be done with it" sh -c "dpkg-deb --fsys-tarfile '$each' | tar xO './usr/share/doc/${name%%_*}/copyright' | grep -q GPL-2"
done
for needed in libc6 libpci3 libcpuid libyaml-0-2 libjansson4 libcap-ng0 libnuma1 libseccomp2; do
	has "the command depends on $needed" "$(dpkg-deb -f "$deb" Depends)" "$needed"
done
for needed in libc6 libpci3 libcpuid libyaml-0-2 libfdt1 liblzma5; do
	has "and the library on $needed" "$(dpkg-deb -f "$library" Depends)" "$needed"
done
dpkg-deb -e "$library" "$T/control"
is "the library tells other packages which functions it has" \
	"$(sed -n 's/^ \(unc_.*\)@LIBUNCORE_0 .*/\1/p' "$T/control/symbols" | wc -l)" "$(cat include/uncore.h include/uncore/*.h | grep -c '^UNC_API')"

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
# shellcheck disable=SC2086
run pkg -i $debs
check "dpkg installs them" [ "$rc" = 0 ]
is "it is installed" "$(dpkg-query --admindir="$R/var/lib/dpkg" -W -f='${Status}' uncorectl)" "install ok installed"
run dpkg --root="$R" --verify uncorectl libuncore0 libuncore-dev
is "and whole" "$out" ""
run "$R/usr/bin/uncorectl" --machine sim:snbep mem -n 1 -i 0.01 --format csv
is "the command in it runs" "$(sed 1d "$T/out" | wc -l)" 8
for page in man8/uncorectl.8 man8/uncorectl-efi.8 man5/uncorectl-regs.5 man5/uncorectl-sim.5 man5/uncorectl-output.5 man3/libuncore.3; do
	check "it brings $page" gzip -t "$R/usr/share/man/$page.gz"
done
check "it brings the maps" [ -f "$R/usr/share/uncorectl/regs/intel-snbep-imc.yaml" ]
for unit in uncorectl-serve.service uncorectl-serve.socket; do
	check "it brings $unit" [ -f "$R/usr/lib/systemd/system/$unit" ]
done
is "and enables no unit" "$(find "$R/etc" -path '*/systemd/*' 2>/dev/null; find "$R/var/lib/dpkg/info" -name 'uncorectl.p[ro][es]*')" ""
check "it brings the alerts" [ -f "$R/usr/share/doc/uncorectl/examples/alerts.yml" ]
check "it brings the completion" [ -f "$R/usr/share/bash-completion/completions/uncorectl" ]
run env PYTHONPATH="$R/usr/lib/python3/dist-packages" LIBUNCORE="$(echo "$R"/usr/lib/*/libuncore.so.0)" \
	/usr/bin/python3 -B tests/install/example.py
is "its module for Python counts" "$out$err" ""
run pkg -r uncorectl libuncore-dev libuncore0
check "dpkg removes them" [ "$rc" = 0 ]
is "and nothing stays behind" "$(content)" "$before"
is "nor does dpkg know it any more" "$(dpkg-query --admindir="$R/var/lib/dpkg" -W 2>/dev/null)" ""
is "the system that we run on knows nothing of all this" "$(dpkg-query -W uncorectl 2>&1)" "$ours"
