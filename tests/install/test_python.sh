# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncore.py against the library, with python3 alone.
. tests/lib.sh

case "${CFLAGS-}" in *-fsanitize*)
	skip "uncore.py" "a sanitizer would have to be in python3"
	exit 0
	;;
esac
python() { PYTHONPATH=tools/python LIBUNCORE="$B/libuncore.so" /usr/bin/python3 -B "$@"; }

run python tests/install/example.py
is "it counts, and says what went wrong" "$out$err" ""
is "and ends well" "$rc" 0
is "it tells the library's version" "$(python -c 'import uncore; print(uncore.version())')" "$("$U" --version | cut -d' ' -f2)"

# Where each member lies, as the compiler has it and as the file has it.
python - >"$T/lay.c" <<'END'
import uncore
print("#include <stdio.h>\n#include <uncore.h>\n#include <uncore/region.h>\nint main(void)\n{")
for struct in (value for name, value in sorted(vars(uncore).items()) if getattr(value, "__name__", "").startswith("unc_")):
    name = struct.__name__
    print(f'printf("{name} %zu\\n", sizeof(struct {name}));')
    for field in struct._fields_:
        print(f'printf("{name}.{field[0]} %zu %zu\\n", offsetof(struct {name}, {field[0]}),'
              f' sizeof(((struct {name} *)0)->{field[0]}));')
print("}")
END
run ${CC:-cc} -Iinclude -o "$T/lay" "$T/lay.c"
check "every member that it names is in the headers" [ "$rc" = 0 ]
"$T/lay" >"$T/compiled"
python - >"$T/python" <<'END'
import uncore
for struct in (value for name, value in sorted(vars(uncore).items()) if getattr(value, "__name__", "").startswith("unc_")):
    name = struct.__name__
    print(name, uncore.ctypes.sizeof(struct))
    for field in struct._fields_:
        print(f"{name}.{field[0]}", getattr(struct, field[0]).offset, getattr(struct, field[0]).size)
END
check "there are structures" [ "$(wc -l <"$T/compiled")" -ge 80 ]
is "each lies where the library has it" "$(diff "$T/compiled" "$T/python")" ""
# Its words are those of the command, and all of them.
is "it knows every error" "$(python -c 'import uncore; print(*("UNC_" + e for e in uncore.ERRORS.values()))')" \
	"$(sed -n 's/^\t\(UNC_E[A-Z]*\) = -.*/\1/p' include/uncore.h | paste -sd ' ')"
is "it knows every flag of a count" "$(python -c 'import uncore; print(*uncore.FLAGS)')" \
	"$(sed -n 's/^\tUNC_COUNT_\([A-Z_]*\) = 1 << .*/\1/p' include/uncore.h | tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//')"
is "and which of them have no number" "$(python -c 'import uncore; print(*sorted(uncore.NO_NUMBER))')" \
	"$(sed -n '/UNC_COUNT_NO_NUMBER = /,/,$/p' include/uncore.h | grep -o 'UNC_COUNT_[A-Z_]*' | sed '1d; s/UNC_COUNT_//' | tr '[:upper:]' '[:lower:]' | sort | paste -sd ' ')"
is "it knows every status of a cache" "$(python -c 'import uncore; print(*uncore.LLC_STATUS)')" \
	"$(sed -n '/^enum unc_llc_status/,/^}/p' include/uncore.h | sed -n 's/^\tUNC_LLC_\([A-Z_]*\),.*/\1/p' | tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//')"
is "and every flag" "$(python -c 'import uncore; print(*uncore.LLC_FLAGS)')" \
	"$(sed -n 's/^\tUNC_LLC_\([A-Z_]*\) = 1 << .*/\1/p' include/uncore.h | tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//')"
