# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make          build/uncorectl and build/libuncore.so
#   make demo     installs what is missing, builds, shows a simulated machine
#   make check    installs what is missing, builds, runs every test

VERSION := 0.1.0
SOVERSION := 0

CC ?= cc
CFLAGS ?= -O2 -g
# Out-parameters are written on success only, which this warning cannot follow across files.
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-maybe-uninitialized -Werror
ALL_CFLAGS = -std=c11 $(WARNINGS) -fPIC -fvisibility=hidden -Iinclude -Isrc $(CFLAGS)
PKGS := libpci libcpuid yaml-0.1
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS = $(shell pkg-config --libs $(PKGS))

B := build
# make V=1 prints the commands themselves
Q = $(if $(V),,@$(if $(1),echo "  $(1) $@";))
LIB_DIRS := base access map sim machine pmon os/linux
LIB_SRC := $(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(B)/maps_built_in.o
CLI_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard src/cli/*.c))
MAPS := $(wildcard regs/*.yaml)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_OBJ := $(UNIT_SRC:%.c=$(B)/%.o) $(B)/tests/unit/onsim.o

.PHONY: all demo check deps-build deps-check test clean
all: $(B)/uncorectl $(B)/libuncore.so

demo: deps-build
	@$(MAKE) --no-print-directory all
	$(B)/uncorectl --machine sim:snbep,sockets=2 mem -i 0.5 -n 5

check: deps-check
	@$(MAKE) --no-print-directory test

# Everything that is tested, built; then the tests.  The last line is "N passed, N failed".
test: all $(B)/tests/unit/run $(B)/tests/simfuse $(B)/tests/simpoke
	@tests/run $(B)

deps-build:
	@tools/deps build
deps-check:
	@tools/deps check

$(B)/uncorectl: $(CLI_OBJ) $(B)/libuncore.a
	$(call Q,CC)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $(B)/libuncore.a $(PKG_LIBS)

$(B)/libuncore.a: $(LIB_OBJ)
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $^

$(B)/libuncore.so: $(LIB_OBJ)
	$(call Q,CC)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,libuncore.so.$(SOVERSION) -o $@ $^ $(PKG_LIBS)

$(B)/maps_built_in.c: $(MAPS) tools/embed-regs
	@mkdir -p $(@D)
	$(call Q,EMBED)tools/embed-regs $@ $(MAPS)

$(B)/%.o: $(B)/%.c
	$(call Q,CC)$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/src/cli/%.o: EXTRA_CFLAGS = -DUNC_VERSION='"$(VERSION)"'

# One CUnit program of all tests/unit/test_NAME.c, each of which defines test_NAME_suite().
$(B)/tests/unit/suites.h: $(UNIT_SRC)
	@mkdir -p $(@D)
	@for f in $(sort $(notdir $(UNIT_SRC:.c=))); do echo "SUITE($$f)"; done > $@
$(B)/tests/unit/main.o: $(B)/tests/unit/suites.h
$(B)/tests/unit/main.o: EXTRA_CFLAGS = -I$(B)/tests/unit
$(B)/tests/unit/run: $(B)/tests/unit/main.o $(UNIT_OBJ) $(B)/src/cli/mem_figures.o $(B)/libuncore.a
	$(call Q,CC)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(shell pkg-config --libs cunit)

# A simulated machine as a directory tree, and a hand on its registers, for tests of the whole command.
$(B)/tests/simfuse.o: EXTRA_CFLAGS = $(shell pkg-config --cflags fuse3)
$(B)/tests/simfuse: $(B)/tests/simfuse.o $(B)/libuncore.a
	$(call Q,CC)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(shell pkg-config --libs fuse3)
$(B)/tests/simpoke: $(B)/tests/simpoke.o $(B)/libuncore.a
	$(call Q,CC)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
