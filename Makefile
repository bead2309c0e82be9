# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make          build/uncorectl with its manual page, and build/libuncore.so
#   make demo     installs what is missing, builds, shows a simulated machine
#   make check    installs what is missing, builds, runs every test
#
#   make install, make uninstall    below PREFIX (/usr/local), in DESTDIR; BINDIR, LIBDIR and so on as usual
#   make static                     build/static/uncorectl, one file that needs no other; with musl: LIBC=musl
#   make initramfs                  build/static/initramfs.cpio.gz with that file as /init, and FILES=uncorectl.args, msr.ko beside it
#   make stick KERNEL=/boot/vmlinuz build/static/stick.img, which UEFI firmware boots, with that kernel and initramfs, and uncorectl.efi
#   make ppc64le, make ppc64        build/ppc64le/uncorectl and build/ppc64/uncorectl, each one file, for POWER
#   make efi                        build/uncorectl.efi, which firmware starts, without an operating system
#   make deb                        the packages uncorectl, libuncore0 and libuncore-dev in build/deb
#   make check-defects              simulated silicon with defects: which check finds which; and build/defects.json
#   make check-every                a fault, and the end of the process, at every access, of which check tries a sample
#   make check-san                  every test under the address and undefined behaviour sanitizers, in build/san
#   make check-valgrind             the unit tests under valgrind
#   make lint                       formatting, static analysis, shell scripts, manual pages, layers
#   make fuzz SECONDS=600           fuzzing, each target a part of that time; what is new in its inputs stays in build/fuzz
#   make cov                        line coverage of src/ by all tests, in build/cov
#   make peers    installs what is missing, builds, runs other people's tools on the simulated machine
#   make fleet    installs what is missing, builds, lets Prometheus and its tools judge what is for them
#   make vm       installs and fetches what is missing, builds, runs perf and uncorectl on Debian's kernel in guests whose
#                 uncore is simulated, and prints both beside the truth
#   make bringup  installs and fetches what is missing, builds, boots uncorectl as the only program of a kernel, and under firmware
#   make bench    installs what is missing, builds, measures: a table, and build/bench.json

.DEFAULT_GOAL := all

VERSION := 0.2.0
SOVERSION := 0

CC ?= cc
OBJCOPY ?= objcopy
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
# Out-parameters are written on success only, which this warning of gcc cannot follow across files.
QUIET := -Wno-maybe-uninitialized
# Hardening of all programs and libraries.  HARDEN= leaves it to CFLAGS and LDFLAGS, which come last in any case.
HARDEN := yes
# A sanitizer checks the very calls that FORTIFY_SOURCE would replace.
HARDEN_CFLAGS := -fstack-protector-strong -fstack-clash-protection -fcf-protection \
	$(if $(findstring -fsanitize,$(CFLAGS)),,-D_FORTIFY_SOURCE=2)
HARDEN_LDFLAGS := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
GIVEN := $(CPPFLAGS) $(CFLAGS) -fPIC
# once NAME,COMMAND: what COMMAND prints.  It runs when NAME is first used, since a clean or an install needs no compiler.
once = $(eval $(1) := $$(shell $(2)))$($(1))
TAKEN_CFLAGS = $(call once,TAKEN_CFLAGS,tools/takes '$(CC)' '$(QUIET) $(if $(HARDEN),$(HARDEN_CFLAGS))' '$(GIVEN)')
TAKEN_LDFLAGS = $(call once,TAKEN_LDFLAGS,tools/takes '$(CC)' '$(if $(HARDEN),$(HARDEN_LDFLAGS))' '$(GIVEN) $(LDFLAGS)')
ALL_CFLAGS = -std=c11 $(WARNINGS) $(TAKEN_CFLAGS) -fPIC -fvisibility=hidden -Iinclude -Isrc $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(TAKEN_LDFLAGS) $(LDFLAGS)
LINK_SHARED = $(CC) -shared $(CFLAGS) $(filter-out -pie -no-pie,$(TAKEN_LDFLAGS) $(LDFLAGS))
# What of HARDEN_CFLAGS and HARDEN_LDFLAGS is in use, for its test; -no-pie comes later than -pie and undoes it.
.PHONY: hardening
hardening:
	@echo $(filter-out $(QUIET) $(if $(filter -no-pie,$(LDFLAGS)),-pie),$(TAKEN_CFLAGS) $(TAKEN_LDFLAGS))
# Sanitizers and gcov make system calls of their own: SANDBOX= builds without a filter of them.
SANDBOX ?= yes
# What only an x86 processor has, and libcpuid, is left out of builds for others.
ARCH := $(shell uname -m)
X86 := $(filter x86_64 i%86,$(ARCH))
PKGS := libpci $(if $(X86),libcpuid) yaml-0.1 liblzma
# Of the command alone: --import-perfmon and diff read JSON, it takes from itself what it does not need any more, and load wants memory
# of a node.
CLI_PKGS := jansson libcap-ng numa $(if $(SANDBOX),libseccomp)
# top needs ncursesw; where it is not installed, top is left out, and says so.
CURSES = $(call once,CURSES,pkg-config --libs ncursesw 2>/dev/null)
# serve needs libmicrohttpd; where it is not installed, serve is left out, and says so.
HTTP = $(call once,HTTP,pkg-config --libs libmicrohttpd 2>/dev/null)
PKG_CFLAGS = $(call once,PKG_CFLAGS,pkg-config --cflags $(PKGS))
# Debian's libfdt-dev has no .pc file.
PKG_LIBS = $(call once,PKG_LIBS,pkg-config --libs $(PKGS) && echo -lfdt)
CLI_CFLAGS = $(call once,CLI_CFLAGS,pkg-config --cflags $(CLI_PKGS))
# Into the command itself where there are archives: each shared library costs a start ten system calls.  That of libpci
# would want further libraries, which mem does not need.  STATIC= links all of them shared, as most distributions want it.
STATIC := yes
archived = $(filter /%,$(shell $(CC) -print-file-name=$(1:-l%=lib%.a)))
static = $(if $(and $(STATIC),$(filter-out -lpci,$(1)),$(archived)),$(1:-l%=-l:lib%.a),$(1))
CLI_SHARED = $(shell pkg-config --libs $(PKGS) $(CLI_PKGS)) -lfdt $(CURSES) $(HTTP)
CLI_LIBS = $(foreach l,$(CLI_SHARED),$(call static,$(l)))

B := build
# make V=1 prints the commands themselves
Q = $(if $(V),,@$(if $(1),echo "  $(1) $@";))
LIB_DIRS := base access map sim catalogue machine pmon rdt doctor check xcheck os/linux
LIB_OTHER := $(if $(X86),src/os/linux/cpuid_none.c,src/os/linux/cpuid_x86.c)
LIB_SRC := $(filter-out $(LIB_OTHER),$(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c)) $(if $(X86),,src/os/identify.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/maps_built_in.o
CLI_OTHER := src/cli/os_none.c src/cli/confine_$(if $(SANDBOX),none,calls).c \
	$(if $(HTTP),src/cli/serve_none.c,$(filter-out %_none.c,$(wildcard src/cli/serve*.c))) \
	$(if $(CURSES),src/cli/top_none.c,$(filter-out %_none.c %_layout.c %_parts.c,$(wildcard src/cli/top*.c)))
CLI_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out $(CLI_OTHER),$(wildcard src/cli/*.c))) \
	$(B)/page_built_in.o $(if $(and $(STATIC),$(HTTP),$(call archived,-lmicrohttpd)),$(B)/libmicrohttpd.a)
MAPS := $(wildcard regs/*.yaml)
HEADERS := include/uncore.h $(wildcard include/uncore/*.h)
SIMTRUTH_OBJ := $(B)/tests/simtruth.o
UNIT_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out $(if $(X86),,%/test_identify.c $(wildcard tests/unit/test_efi_*.c)),$(wildcard tests/unit/*.c))) $(SIMTRUTH_OBJ)

LIB_MAP := src/libuncore.map

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
EXAMPLESDIR ?= $(DATADIR)/doc/libuncore/examples
# Debian's python3 looks there below /usr and /usr/local alike.
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
COMPLETIONDIR ?= $(DATADIR)/bash-completion/completions
UNITDIR ?= $(PREFIX)/lib/systemd/system
# What is to be copied and changed: alerts of Prometheus, a dashboard of Grafana, a Containerfile.
SERVEDIR ?= $(DATADIR)/doc/uncorectl/examples
INSTALL ?= install

.PHONY: all demo check check-san check-valgrind lint cov test install uninstall deb clean
all: $(B)/uncorectl $(B)/libuncore.so $(B)/libuncore_alone.a $(B)/uncorectl.8

demo: deps-build
	@$(MAKE) --no-print-directory all
	$(B)/uncorectl --machine sim:snbep,sockets=2 mem -i 0.5 -n 5

check: deps-check
	@$(MAKE) --no-print-directory test

# Everything that is tested, built; then the tests.  The last line is "N passed, N failed".
test: all $(B)/tests/unit/run $(B)/uncore-simfs $(B)/uncore-simqemu $(B)/tests/simpoke $(B)/tests/maketraffic \
	$(B)/tests/fakeqemu $(B)/tests/bench/growth $(B)/tests/vm/truthat $(B)/tests/faults/run $(B)/tests/safety/run $(B)/tests/defects/run $(B)/tests/sigat.so
	@tests/run $(B)

# The tests that are a sample in `make check`, in full.
.PHONY: check-every check-every-run
check-every: deps-check
	@$(MAKE) --no-print-directory check-every-run
check-every-run: all $(B)/uncore-simfs $(B)/tests/simpoke $(B)/tests/faults/run $(B)/tests/safety/run $(B)/tests/sigat.so
	@EVERY=1 tests/run $(B) 'test_(faults|safety)'

# What is missing is installed by root, and named to others.
deps-%:
	@tools/deps $*

$(B)/uncorectl: $(CLI_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $(CLI_OBJ) $(B)/libuncore.a $(CLI_LIBS)

# The archive wants gnutls for TLS, which `serve` leaves to a reverse proxy: weak symbols may be missing.
$(B)/libmicrohttpd.a:
	$(call Q,OBJCOPY)$(OBJCOPY) -w --weaken-symbol='gnutls_*' $(call archived,-lmicrohttpd) $@

# As a distribution wants it, and STATIC= makes it: every library of another package shared.
$(B)/uncorectl_shared: $(filter %.o,$(CLI_OBJ)) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(CLI_SHARED)

# One file that needs no other, for an initramfs or an empty container.  Names of users and groups are not looked up, which is what
# the linker warns of.
.PHONY: static deps-static
LIBC := glibc
STATIC_AS := -static-pie -Wl,-z,pack-relative-relocs
MUSL := $(B)/archives/musl
ifeq ($(LIBC),musl)
# With libraries that are made for it of Debian's sources, and without top and serve.  musl-gcc makes no static-pie.
static: deps-static
	@tools/static-archives $(MUSL) musl-gcc
	@mkdir -p $(MUSL)/build/static && cp $(MUSL)/lib/libpci.a $(MUSL)/build/static/
	@PKG_CONFIG_LIBDIR=$(abspath $(MUSL)/lib/pkgconfig) $(MAKE) --no-print-directory B=$(MUSL)/build LIBC=glibc STATIC_AS='-static -no-pie' \
		CC='musl-gcc -idirafter $(abspath $(MUSL)/include)' LDFLAGS='$(LDFLAGS) -Wl,--gc-sections' $(MUSL)/build/static/uncorectl
	@mkdir -p $(B)/static && cp $(MUSL)/build/static/uncorectl $(B)/static/uncorectl
else
static: deps-static
	@$(MAKE) --no-print-directory $(B)/static/uncorectl
endif
$(B)/static/libpci.a:
	$(call Q,FETCH)tools/static-libpci $@
$(B)/static/uncorectl: $(CLI_OBJ) $(B)/libuncore.a $(B)/static/libpci.a
	$(call Q,CC)$(LINK) $(STATIC_AS) -s -o $@ $^ $(filter-out -lpci,$(CLI_SHARED)) 2>$@.log || { cat $@.log >&2; exit 1; }
# For POWER, of either byte order, and its unit tests, by Debian's cross compilers; without top and serve, too.
.PHONY: ppc64le ppc64 deps-ppc64
deps-ppc64:
	@tools/deps ppc64
POWER = power$(@:p%=%)-linux-gnu
POWER_PARTS := uncorectl tests/unit/run
ppc64le ppc64: deps-ppc64
	@tools/static-archives $(B)/archives/$@ $(POWER)-gcc
	@PKG_CONFIG_LIBDIR=$(abspath $(B)/archives/$@/lib/pkgconfig) $(MAKE) --no-print-directory ARCH=$@ B=$(B)/$@ CC='$(POWER)-gcc \
		-idirafter $(abspath $(B)/archives/$@/include)' AR=$(POWER)-ar LDFLAGS='-static -no-pie -Wl,--gc-sections,--no-warnings' $(POWER_PARTS:%=$(B)/$@/%)
# It as /init, with FILES beside it; and a stick that boots, with a KERNEL, and with EFI if that is there.
.PHONY: initramfs stick
KERNEL :=
EFI := $(B)/uncorectl.efi
FILES :=
initramfs: static
	$(call Q,CPIO)tools/initramfs $(B)/static/initramfs.cpio.gz $(B)/static/uncorectl $(FILES)
stick: initramfs
	$(call Q,STICK)KERNEL='$(KERNEL)' EFI='$(EFI)' tools/stick $(B)/static/stick.img $(B)/static/uncorectl $(B)/static/initramfs.cpio.gz

# A program that firmware starts: the same sources, with what they need of an operating system from src/os/efi, and musl as the
# C library: those of its files that something calls.
# Commands that need a kernel are src/cli/os_none.c.
EFI_YAML := $(B)/efi/libyaml
EFI_MUSL := $(B)/efi/musl
EFI_JANSSON := $(B)/efi/jansson
EFI_CC := clang --target=x86_64-unknown-windows -U_WIN32
EFI_TARGET := -Oz -ffreestanding -fno-builtin -mno-red-zone -mno-stack-arg-probe -fno-stack-protector \
	-ffunction-sections -fdata-sections -fno-ident
EFI_CFLAGS := -std=c11 $(EFI_TARGET) -fshort-wchar -nostdlibinc -Itools/freestanding/command -Itools/freestanding -Iinclude -Isrc \
	-I$(EFI_YAML)/include -I$(EFI_JANSSON)/src -Itools/freestanding/jansson -DYAML_DECLARE_STATIC -DUNC_EFI -DUNC_VERSION='"$(VERSION)"'
EFI_WARNINGS := -Wall -Wextra -Wno-missing-field-initializers -Wno-sign-compare -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wshorten-64-to-32 -Werror
EFI_CLI := accumulator channels check check_formats check_report check_table counting curves diff doctor emit emit_head emit_output emit_table \
	events fail_if list llc llc_groups llc_sums main maps mem metrics metrics_text number open options os_none peak perfmon plan rates \
	recover reg reg_dump reg_explain reg_set reg_target reg_watch sampler series stat summary
# Without an operating system there is nothing to be done for these.
EFI_NOTHING := child_abandon child_go confine confine_environment endings_of endings_replayed endings_signal_replayed init_take_over \
	recorder_line replaced_close replaced_folder replayed_file series_replay_close signals_cut_short signals_die signals_drain \
	signals_were_cut_short traffic_child_began_ns traffic_child_end traffic_child_start \
	unc_os_file_close unc_os_file_piece unc_os_process_lives
# The first two are first, since what they define is weak in others.
EFI_MUSL_FILES := stdio/stdout stdio/stderr \
	$(addprefix ctype/,tolower) \
	$(addprefix errno/,__errno_location strerror) \
	$(addprefix internal/,floatscan intscan libc shgetc) \
	$(addprefix locale/,__lctrans langinfo) \
	$(addprefix math/,copysign copysignl fabs fabsl fmod fmodl frexp frexpl ldexp scalbn scalbnl) \
	$(addprefix misc/,getopt getopt_long) \
	$(addprefix multibyte/,internal mblen mbtowc wcrtomb wctomb) \
	$(addprefix stdio/,__fdopen __lockfile __overflow __stdio_close __stdio_exit __stdio_read __stdio_seek __stdio_write \
		__stdout_write __toread __towrite __uflow asprintf ext fclose ferror fflush fprintf fputs fread fwrite ofl ofl_add open_memstream printf \
		putc snprintf vasprintf vfprintf vsnprintf) \
	$(addprefix stdlib/,bsearch llabs qsort qsort_nr strtod strtol) \
	$(addprefix string/,memchr memcmp memcpy memmove memrchr memset stpcpy strcasecmp strchr strchrnul strcmp strcspn strdup strlen strncasecmp \
		strncmp strncpy stpncpy strndup strnlen strpbrk strrchr strsep strspn strstr strverscmp) \
	$(addprefix time/,__month_to_secs __secs_to_tm __tm_to_secs __year_to_secs gmtime_r strftime timegm) \
	$(addprefix unistd/,lseek)
EFI_DIRS := base access map machine pmon rdt doctor check os/efi
# Nothing calls these there.
EFI_OTHER := src/access/cpuid_raw.c src/access/fault.c src/pmon/region.c
EFI_OBJ := $(patsubst %.c,$(B)/efi/%.o,$(filter-out $(EFI_OTHER),$(foreach d,$(EFI_DIRS),$(wildcard src/$(d)/*.c))) src/os/identify.c $(EFI_CLI:%=src/cli/%.c) \
	maps_built_in.c page_built_in.c) $(patsubst %,$(B)/efi/yaml_%.o,api reader scanner parser) \
	$(patsubst %,$(B)/efi/json_%.o,dump error hashtable hashtable_seed load memory strbuffer strconv utf value) $(EFI_MUSL_FILES:%=$(EFI_MUSL)/obj/%.o)
.PHONY: efi deps-efi
efi: deps-efi
	@$(MAKE) --no-print-directory $(B)/uncorectl.efi
$(EFI_YAML):
	$(call Q,FETCH)tools/debian-source libyaml $@
$(EFI_JANSSON):
	$(call Q,FETCH)tools/debian-source jansson $@
$(EFI_MUSL):
	$(call Q,FETCH)tools/debian-source musl $@
# musl's types, but long has 32 bits here, and long double 64.
$(EFI_MUSL)/obj/bits/alltypes.h: | $(EFI_MUSL)
	@mkdir -p $(@D)
	@cp $(EFI_MUSL)/arch/arm/bits/float.h $(@D)/
	@sed -e 's/^#define _\(Addr\|Int64\|Reg\) long$$/& long/' -e 's/^\(#define __LONG_MAX\) .*/\1 0x7fffffffL/' \
		$(EFI_MUSL)/arch/x86_64/bits/alltypes.h.in $(EFI_MUSL)/include/alltypes.h.in | sed -f $(EFI_MUSL)/tools/mkalltypes.sed >$@
$(EFI_MUSL)/obj/%.o: tools/freestanding/musl.h $(EFI_MUSL)/obj/bits/alltypes.h
	@mkdir -p $(@D)
	$(call Q,CC)$(EFI_CC) -std=c99 $(EFI_TARGET) -fno-short-wchar -nostdinc -w -D_BSD_SOURCE= -D_XOPEN_SOURCE=700 -include $< \
		-I$(EFI_MUSL)/obj $(patsubst %,-I$(EFI_MUSL)/%,arch/x86_64 arch/generic src/include src/internal include) -c -o $@ $(EFI_MUSL)/src/$*.c
$(B)/efi/json_%.o: tools/freestanding/jansson/jansson_private_config.h $(EFI_MUSL)/obj/bits/alltypes.h | $(EFI_JANSSON)
	$(call Q,CC)$(EFI_CC) -std=c99 $(EFI_TARGET) -fno-short-wchar -nostdinc -w -U_MSC_VER -DNDEBUG -DHAVE_CONFIG_H -D_BSD_SOURCE= -D_XOPEN_SOURCE=700 \
		-I$(EFI_MUSL)/obj $(patsubst %,-I$(EFI_MUSL)/%,arch/x86_64 arch/generic include) -Itools/freestanding/jansson -c -o $@ $(EFI_JANSSON)/src/$*.c
$(B)/efi/yaml_%.o: | $(EFI_YAML)
	$(call Q,CC)$(EFI_CC) $(EFI_CFLAGS) -w -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=0 \
		-DYAML_VERSION_STRING='""' -c -o $@ $(EFI_YAML)/src/$*.c
$(B)/efi/%.o: $(B)/%.c | $(EFI_YAML) $(EFI_JANSSON)
	@mkdir -p $(@D)
	$(call Q,CC)$(EFI_CC) $(EFI_CFLAGS) $(EFI_WARNINGS) -MMD -MP -c -o $@ $<
$(B)/efi/%.o: %.c | $(EFI_YAML) $(EFI_JANSSON)
	@mkdir -p $(@D)
	$(call Q,CC)$(EFI_CC) $(EFI_CFLAGS) $(EFI_WARNINGS) -MMD -MP -c -o $@ $<
$(B)/uncorectl.efi: $(EFI_OBJ)
	$(call Q,LD)lld-link -subsystem:efi_application -entry:efi_main -nodefaultlib -opt:ref,icf -Brepro \
		$(EFI_NOTHING:%=-alternatename:%=os_nothing) -out:$@ $^

$(B)/libuncore.a: $(LIB_OBJ)
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $^

# The archive for other programs: one object, in which names that only the command uses are local.
$(B)/libuncore_alone.a: $(LIB_OBJ)
	$(call Q,AR)$(LD) -r -o $(@:.a=.o) $^ && $(OBJCOPY) --localize-hidden $(@:.a=.o) && rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

$(B)/libuncore.so: $(LIB_OBJ) $(LIB_MAP)
	$(call Q,CC)$(LINK_SHARED) -Wl,-soname,libuncore.so.$(SOVERSION) \
		-Wl,--version-script=$(LIB_MAP) -o $@ $(LIB_OBJ) $(PKG_LIBS)

$(B)/maps_built_in.c: $(MAPS) tools/embed-regs
	@mkdir -p $(@D)
	$(call Q,EMBED)tools/embed-regs $@ $(MAPS)

PAGES := src/cli/page.html src/cli/page_check.html src/cli/page_plot.html
$(B)/page_built_in.c: $(PAGES) tools/embed-regs
	@mkdir -p $(@D)
	$(call Q,EMBED)tools/embed-regs $@ $(PAGES)

# The manual page has the options that the command prints; NATIVE is another one where this one cannot run here.
NATIVE = $(B)/uncorectl
$(B)/uncorectl.8: src/cli/uncorectl.8 tools/page-options $(NATIVE)
	$(call Q,PAGE)tools/page-options $(NATIVE) $< >$@.new && mv $@.new $@

$(B)/%.o: $(B)/%.c
	$(call Q,CC)$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/src/cli/%.o: EXTRA_CFLAGS = -DUNC_VERSION='"$(VERSION)"' $(CLI_CFLAGS)
$(B)/src/base/err.o: EXTRA_CFLAGS = -DUNC_VERSION='"$(VERSION)"'
# What stands in for something that is left out does not use its arguments.
$(B)/src/cli/%_none.o: WARNINGS += -Wno-unused-parameter
$(B)/efi/src/cli/%_none.o: EFI_WARNINGS += -Wno-unused-parameter

# Optimizing what runs once would take longer than it saves.  FORTIFY_SOURCE wants it.
$(B)/tests/unit/%.o: EXTRA_CFLAGS = -O0 -U_FORTIFY_SOURCE
# One CUnit program of all tests/unit/*.c, whose tests register themselves.
# What is pure in the commands is tested there too.
CLI_PURE := $(patsubst %,$(B)/src/cli/%.o,number accumulator rates traffic_loops traffic_make top_layout top_parts)
CLI_PURE += $(B)/src/cli/confine_paths.o $(B)/src/cli/confine_$(if $(SANDBOX),calls,none).o
$(B)/tests/unit/run: $(UNIT_OBJ) $(CLI_PURE) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(CLI_LIBS) $(shell pkg-config --libs cunit)

# A simulated machine as the files of a real one, and in the computer that QEMU emulates.
SIMSERVE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tools/simserve/*.c))
SIMFS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tools/simfs/*.c)) $(SIMSERVE_OBJ)
SIMQEMU_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tools/simqemu/*.c)) $(SIMSERVE_OBJ)
$(B)/tools/%.o: EXTRA_CFLAGS = -Itools/simserve $(FUSE_CFLAGS) -DUNC_VERSION='"$(VERSION)"'
$(B)/tools/simfs/%.o: FUSE_CFLAGS = $(shell pkg-config --cflags fuse3)
$(B)/uncore-simfs: $(SIMFS_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS) $(shell pkg-config --libs fuse3)
$(B)/uncore-simqemu: $(SIMQEMU_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS)
# A hand on its registers, for tests of the whole command.
$(B)/tests/sigat.so: override CFLAGS := -O2 -g # loaded in front of everything, so without sanitizers
$(B)/tests/simpoke $(B)/tests/maketraffic $(B)/tests/vm/truthat: $(B)/tests/%: $(B)/tests/%.o $(SIMTRUTH_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS)
# What uncore-simqemu starts in place of QEMU in its tests.
$(B)/tests/fakeqemu: $(B)/tests/fakeqemu.o
	$(call Q,CC)$(LINK) -o $@ $^
FAULTS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/faults/*.c)) $(SIMTRUTH_OBJ)
$(B)/tests/faults/run: $(FAULTS_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS) -lm
SAFETY_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/safety/*.c))
$(B)/tests/safety/run: $(SAFETY_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS)
$(B)/tests/sigat.so: $(B)/tests/sigat.o
	$(call Q,CC)$(LINK_SHARED) -o $@ $^

# Simulated silicon with defects, and the checks that must find them.
DEFECTS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/defects/*.c))
$(B)/tests/defects/run: $(DEFECTS_OBJ)
	$(call Q,CC)$(LINK) -o $@ $^
.PHONY: check-defects check-defects-run
check-defects: deps-check
	@$(MAKE) --no-print-directory check-defects-run
check-defects-run: $(B)/uncorectl $(B)/uncore-simfs $(B)/tests/defects/run
	@$(B)/tests/defects/run $(B)

# Other people's tools on the simulated machine, mounted: a row a number, what they say and what is true.
PEERS := $(addprefix $(B)/tests/peers/,asif whoami whoami_lib.so mapmem.so maptry)
.PHONY: peers peers-run deps-peers
peers: deps-peers
	@$(MAKE) --no-print-directory peers-run
peers-run: $(B)/uncorectl $(B)/uncore-simfs $(PEERS)
	@tests/peers/run $(B)
deps-peers:
	@tools/deps peers
ASIF_OBJ := $(addprefix $(B)/tests/peers/,asif.o asif_calls.o asif_plant.o asif_sites.o asif_threads.o asif_tree.o)
$(B)/tests/peers/asif: $(ASIF_OBJ)
	$(call Q,CC)$(LINK) -o $@ $^ -lcapstone
$(B)/tests/peers/whoami: $(B)/tests/peers/whoami.o
	$(call Q,CC)$(LINK) -o $@ $^
$(B)/tests/peers/maptry: $(B)/tests/peers/maptry.o
	$(call Q,CC)$(LINK) -o $@ $^
$(B)/tests/peers/whoami_lib.so: $(B)/tests/peers/whoami_lib.o
	$(call Q,CC)$(LINK_SHARED) -o $@ $^
$(B)/tests/peers/mapmem.so: $(B)/tests/peers/mapmem.o
	$(call Q,CC)$(LINK_SHARED) -o $@ $^ -lcapstone

# Monitoring: Debian's Prometheus and its kin, on loopback.
.PHONY: fleet fleet-run deps-fleet
fleet: deps-fleet
	@$(MAKE) --no-print-directory fleet-run
fleet-run: $(B)/uncorectl
	@tests/fleet/run $(B)
deps-fleet:
	@tools/deps fleet

# perf and uncorectl on a kernel that nobody here built, whose uncore driver has simulated functions before it.  The kernel is
# fetched once, into build/vm.
.PHONY: vm vm-run deps-vm
vm: deps-vm
	@$(MAKE) --no-print-directory vm-run
vm-run: $(B)/uncorectl $(B)/uncore-simqemu $(B)/tests/vm/truthat
	@tests/vm/run $(B)
deps-vm:
	@tools/deps vm

# Before an operating system, and as its only program, under QEMU.
.PHONY: bringup bringup-run deps-bringup
bringup: deps-bringup
	@$(MAKE) --no-print-directory bringup-run
bringup-run: $(B)/uncorectl $(B)/static/uncorectl $(B)/uncorectl.efi $(B)/uncore-simqemu $(B)/tests/vm/truthat
	@tests/bringup/run $(B)
deps-bringup:
	@tools/deps bringup

# What it costs and how true it is; no part of check, because times depend on who else is busy.
BENCH := $(addprefix $(B)/tests/bench/,tree preads pacer cost scrapes reader machine maps catalogue journal filter nosleep.so ticking.so mapped.so)
.PHONY: bench bench-run deps-bench
bench: deps-bench
	@$(MAKE) --no-print-directory bench-run
bench-run: $(B)/uncorectl $(B)/uncore-simfs $(B)/uncorectl.efi $(B)/uncore-simqemu $(BENCH)
	@env --default-signal tests/bench/run $(B) # what is started in the background ignores SIGINT
deps-bench:
	@tools/deps bench
.PRECIOUS: $(B)/tests/bench/%.o
$(B)/tests/bench/%: $(B)/tests/bench/%.o
	$(call Q,CC)$(LINK) -o $@ $^
$(addprefix $(B)/tests/bench/,reader machine maps catalogue journal growth): %: %.o $(B)/libuncore.a
	$(call Q,CC)$(LINK) -o $@ $^ $(PKG_LIBS)
$(B)/tests/bench/filter: $(B)/tests/bench/filter.o $(filter %/confine_calls.o %/confine_none.o,$(CLI_OBJ))
	$(call Q,CC)$(LINK) -o $@ $^ $(if $(SANDBOX),$(call static,-lseccomp))
$(B)/tests/bench/nosleep.so $(B)/tests/bench/ticking.so $(B)/tests/bench/mapped.so: %.so: %.o
	$(call Q,CC)$(LINK_SHARED) -o $@ $^

# The command needs no installed library: it holds its own, which knows more than the public API.
UNITS := uncorectl-serve.service uncorectl-serve.socket
SERVED := alerts.yml dashboard.json Containerfile
INSTALLED = $(BINDIR)/uncorectl \
	$(LIBDIR)/libuncore.so $(LIBDIR)/libuncore.so.$(SOVERSION) $(LIBDIR)/libuncore.so.$(VERSION) \
	$(LIBDIR)/libuncore.a $(EXAMPLESDIR)/bandwidth.c $(EXAMPLESDIR)/regions.c $(PYTHONDIR)/uncore.py \
	$(HEADERS:include/%=$(INCLUDEDIR)/%) $(PKGCONFIGDIR)/libuncore.pc \
	$(MAPS:%=$(DATADIR)/uncorectl/%) $(COMPLETIONDIR)/uncorectl \
	$(UNITS:%=$(UNITDIR)/%) $(SERVED:%=$(SERVEDIR)/%) \
	$(MANDIR)/man8/uncorectl.8 $(MANDIR)/man3/libuncore.3 $(MANDIR)/man5/uncorectl-regs.5 \
	$(MANDIR)/man8/uncorectl-efi.8 $(MANDIR)/man5/uncorectl-sim.5 $(MANDIR)/man5/uncorectl-output.5 $(DATADIR)/uncorectl/schema.json

install: all
	$(INSTALL) -d $(addprefix $(DESTDIR),$(sort $(dir $(INSTALLED))))
	$(INSTALL) -m 755 $(B)/uncorectl $(DESTDIR)$(BINDIR)/
	$(INSTALL) -m 644 $(B)/libuncore.so $(DESTDIR)$(LIBDIR)/libuncore.so.$(VERSION)
	ln -sf libuncore.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libuncore.so.$(SOVERSION)
	ln -sf libuncore.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libuncore.so
	$(INSTALL) -m 644 $(B)/libuncore_alone.a $(DESTDIR)$(LIBDIR)/libuncore.a
	$(INSTALL) -m 644 tests/install/bandwidth.c tests/install/regions.c $(DESTDIR)$(EXAMPLESDIR)/
	$(INSTALL) -m 644 tools/python/uncore.py $(DESTDIR)$(PYTHONDIR)/
	$(INSTALL) -m 644 include/uncore.h $(DESTDIR)$(INCLUDEDIR)/
	$(INSTALL) -m 644 $(filter include/uncore/%,$(HEADERS)) $(DESTDIR)$(INCLUDEDIR)/uncore/
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(LIBDIR),' -e 's,@INCLUDEDIR@,$(INCLUDEDIR),' \
		-e 's,@VERSION@,$(VERSION),' src/libuncore.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/libuncore.pc
	$(INSTALL) -m 644 $(MAPS) $(DESTDIR)$(DATADIR)/uncorectl/regs/
	$(INSTALL) -m 644 src/cli/schema.json $(DESTDIR)$(DATADIR)/uncorectl/
	$(INSTALL) -m 644 src/cli/uncorectl.bash $(DESTDIR)$(COMPLETIONDIR)/uncorectl
	for unit in $(UNITS); do \
		sed 's,@BINDIR@,$(BINDIR),' tools/serve/$$unit >$(DESTDIR)$(UNITDIR)/$$unit || exit 1; done
	$(INSTALL) -m 644 $(SERVED:%=tools/serve/%) $(DESTDIR)$(SERVEDIR)/
	for page in $(B)/uncorectl.8 src/libuncore.3 regs/uncorectl-regs.5 src/sim/uncorectl-sim.5 \
		src/cli/uncorectl-output.5 src/os/efi/uncorectl-efi.8; do \
		sed -e 's,/usr/local/share,$(DATADIR),' -e 's,/usr/local/bin/uncorectl,$(BINDIR)/uncorectl,' $$page >$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; done
	@[ -n "$(DESTDIR)" ] || echo "programs find a library in a new place after: ldconfig"

uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	-@rmdir $(DESTDIR)$(DATADIR)/uncorectl/regs $(DESTDIR)$(DATADIR)/uncorectl $(DESTDIR)$(INCLUDEDIR)/uncore 2>/dev/null || true

deb: deps-deb
	@tools/deb/build $(B) $(VERSION)

# ---- more ways to look for mistakes --------------------------------------------------------------------------

SAN_FLAGS := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# Each of 50,000 short runs starts and ends in 80 ms instead of 140 if the sanitizers are in the program, at a fixed address.
SAN_LDFLAGS := -no-pie -static-libasan -static-libubsan
SAN_REPORT = exitcode=99:log_path=$(abspath $(B))/san/report
check-san: deps-check
	@rm -f $(B)/san/report.*
	@ASAN_OPTIONS=$(SAN_REPORT) UBSAN_OPTIONS=print_stacktrace=1:$(SAN_REPORT) \
		LSAN_OPTIONS=suppressions=$(abspath tests/leaks.supp):print_suppressions=0 \
		$(MAKE) --no-print-directory B=$(B)/san CFLAGS='$(SAN_FLAGS)' LDFLAGS='$(SAN_LDFLAGS)' SANDBOX= test

check-valgrind: deps-valgrind
	@$(MAKE) --no-print-directory $(B)/tests/unit/run
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
		--child-silent-after-fork=yes $(B)/tests/unit/run

# Every part of the program that reads what others wrote, under libFuzzer.  One program, since linking takes as long as fuzzing.
FUZZ_CC := clang
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
SECONDS := 600
.PHONY: fuzz fuzz-check deps-fuzz
fuzz fuzz-check: deps-fuzz
	@$(MAKE) --no-print-directory B=$(B)/fuzz CC='$(FUZZ_CC)' CFLAGS='$(FUZZ_FLAGS)' SANDBOX= WARNINGS= \
		$(B)/fuzz/tests/fuzz/run
	@tests/fuzz/fuzz $(B)/fuzz $(if $(filter fuzz-check,$@),check 60,grow $(SECONDS))
deps-fuzz:
	@tools/deps fuzz
FUZZ_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c)) $(SIMTRUTH_OBJ) $(filter-out %/main.o,$(CLI_OBJ))
FUZZ_WRAP := unc_machine_host_open unc_map_load unc_map_free unc_replay_on_difference unc_os_sleep_until fork \
	sigaction alarm raise
$(B)/tests/fuzz/uncorectl.o: src/cli/main.c
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -Dmain=uncorectl_main -DUNC_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<
$(B)/tests/fuzz/run: $(FUZZ_OBJ) $(B)/tests/fuzz/uncorectl.o $(B)/libuncore.a
	$(call Q,CC)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) $(FUZZ_WRAP:%=-Wl,--wrap=%) -o $@ $^ $(CLI_LIBS)

lint: deps-lint
	@$(MAKE) --no-print-directory all $(B)/uncorectl_shared
	@tools/lint $(B)

cov: deps-check
	@tools/cov $(B)/cov

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
