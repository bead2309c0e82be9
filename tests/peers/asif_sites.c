// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the CPUID, RDTSC and RDTSCP instructions of an ELF file are.
 *
 * The bytes 0f a2, 0f 31 and 0f 01 f9 also occur inside other instructions.  So where they occur, code is disassembled from
 * the start of the function they are in (the unwind table knows it, also of a stripped file, and the symbols), and only
 * what then is such an instruction counts.
 */
#define _GNU_SOURCE
#include <capstone/capstone.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asif.h"

struct image {
	const unsigned char *bytes;
	size_t size;
	const Elf64_Ehdr *header;
	uint64_t *starts; /* of functions, offsets in the file, sorted; owned */
	size_t n_starts, room;
};

static const struct {
	enum kind kind;
	const char *name;
	unsigned id; /* capstone's */
	unsigned char length, bytes[3];
} kinds[] = {
	{CPUID, "cpuid", X86_INS_CPUID, 2, {0x0f, 0xa2}},
	{RDTSC, "rdtsc", X86_INS_RDTSC, 2, {0x0f, 0x31}},
	{RDTSCP, "rdtscp", X86_INS_RDTSCP, 3, {0x0f, 0x01, 0xf9}},
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const char *kind_name(enum kind kind)
{
	return kinds[kind].name;
}

/* LEN bytes at OFFSET of the file, NULL if it has not so many. */
static const void *at(const struct image *image, uint64_t offset, uint64_t len)
{
	return offset <= image->size && len <= image->size - offset ? image->bytes + offset : NULL;
}

static void *more(void *old, size_t n, size_t size)
{
	void *grown = realloc(old, n * size);

	if (!grown)
		die("out of memory");
	return grown;
}

static const Elf64_Phdr *segment(const struct image *image, size_t i)
{
	return i < image->header->e_phnum
		       ? at(image, image->header->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr))
		       : NULL;
}

static const Elf64_Shdr *section(const struct image *image, size_t i)
{
	return i < image->header->e_shnum
		       ? at(image, image->header->e_shoff + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr))
		       : NULL;
}

/* An address is told as an offset in the file; addresses that no code is loaded to are no starts. */
static void add_start(struct image *image, uint64_t address)
{
	const Elf64_Phdr *load;

	for (size_t i = 0; (load = segment(image, i)); i++) {
		if (load->p_type != PT_LOAD || !(load->p_flags & PF_X) || address < load->p_vaddr ||
		    address - load->p_vaddr >= load->p_filesz)
			continue;
		if (image->n_starts == image->room) {
			image->room = image->room ? 2 * image->room : 1024;
			image->starts = more(image->starts, image->room, sizeof(*image->starts));
		}
		image->starts[image->n_starts++] = address - load->p_vaddr + load->p_offset;
		return;
	}
}

/* The binary search table of .eh_frame_hdr, in the form that every linker writes: 32-bit offsets from the table itself. */
static void add_unwind_starts(struct image *image, const Elf64_Phdr *table)
{
	const unsigned char *p = at(image, table->p_offset, table->p_filesz);
	uint32_t count;

	if (!p || table->p_filesz < 12 || p[0] != 1 || p[1] != 0x1b || p[2] != 0x03 || p[3] != 0x3b)
		return;
	memcpy(&count, p + 8, sizeof(count));
	for (uint64_t i = 0; i < count && 12 + 8 * (i + 1) <= table->p_filesz; i++) {
		int32_t relative;

		memcpy(&relative, p + 12 + 8 * i, sizeof(relative));
		add_start(image, table->p_vaddr + (uint64_t)(int64_t)relative);
	}
}

static void add_symbol_starts(struct image *image, const Elf64_Shdr *symbols)
{
	for (uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = at(image, symbols->sh_offset + i * sizeof(*symbol), sizeof(*symbol));

		if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF)
			add_start(image, symbol->st_value);
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void find_starts(struct image *image)
{
	const Elf64_Phdr *phdr;
	const Elf64_Shdr *shdr;

	for (size_t i = 0; (phdr = segment(image, i)); i++)
		if (phdr->p_type == PT_GNU_EH_FRAME)
			add_unwind_starts(image, phdr);
	for (size_t i = 0; (shdr = section(image, i)); i++) {
		if (shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_DYNSYM)
			add_symbol_starts(image, shdr);
		if (shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR)
			add_start(image, shdr->sh_addr);
	}
	if (image->n_starts)
		qsort(image->starts, image->n_starts, sizeof(*image->starts), by_value);
}

/* The last start at or before OFFSET that is not before FROM. */
static uint64_t start_of(const struct image *image, uint64_t offset, uint64_t from)
{
	size_t low = 0, high = image->n_starts;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (image->starts[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && image->starts[low - 1] > from ? image->starts[low - 1] : from;
}

static bool looks_like_one(const struct image *image, uint64_t offset, uint64_t end)
{
	for (size_t k = 0; k < N_KINDS; k++)
		if (end - offset >= kinds[k].length &&
		    memcmp(image->bytes + offset, kinds[k].bytes, kinds[k].length) == 0)
			return true;
	return false;
}

static void add_site(struct object *object, uint64_t offset, unsigned id)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (kinds[k].id != id)
			continue;
		object->sites = more(object->sites, object->n_sites + 1, sizeof(*object->sites));
		object->sites[object->n_sites++] =
			(struct site){.offset = offset, .kind = kinds[k].kind, .length = kinds[k].length};
	}
}

/* The code in bytes [FROM, END) of the file. */
static void sweep(const struct image *image, uint64_t from, uint64_t end, csh capstone, cs_insn *insn,
		  struct object *object)
{
	uint64_t decoded = from; /* instructions before this are known */

	if (end > image->size)
		end = image->size;
	for (uint64_t candidate = from; candidate < end; candidate++) {
		if (!looks_like_one(image, candidate, end))
			continue;
		decoded = start_of(image, candidate, decoded);
		while (decoded <= candidate) {
			const uint8_t *code = image->bytes + decoded;
			size_t left = end - decoded;
			uint64_t address = decoded;

			if (!cs_disasm_iter(capstone, &code, &left, &address, insn)) {
				decoded++; /* unknown to the disassembler: it is in step again after a few bytes */
				continue;
			}
			if (decoded == candidate)
				add_site(object, decoded, insn->id);
			decoded = address;
		}
	}
}

static void find_sites(struct image *image, struct object *object)
{
	const Elf64_Shdr *shdr;
	const Elf64_Phdr *phdr;
	cs_insn *insn;
	csh capstone;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
		die("no disassembler: capstone knows no x86");
	insn = cs_malloc(capstone);
	find_starts(image);
	for (size_t i = 0; (shdr = section(image, i)); i++)
		if (shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR)
			sweep(image, shdr->sh_offset, shdr->sh_offset + shdr->sh_size, capstone, insn, object);
	if (image->header->e_shnum == 0)
		for (size_t i = 0; (phdr = segment(image, i)); i++)
			if (phdr->p_type == PT_LOAD && phdr->p_flags & PF_X)
				sweep(image, phdr->p_offset, phdr->p_offset + phdr->p_filesz, capstone, insn, object);
	cs_free(insn, 1);
	cs_close(&capstone);
	free(image->starts);
}

/* Libraries that use these instructions to choose their own code for the processor they really run on. */
static bool is_left_alone(const char *name)
{
	static const char *const left_alone[] = {"ld-linux", "ld.so",  "libc.so",     "libc-2",
						 "libm.so",  "libm-2", "libstdc++.so"};
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	for (size_t i = 0; i < sizeof(left_alone) / sizeof(left_alone[0]); i++)
		if (strncmp(base, left_alone[i], strlen(left_alone[i])) == 0)
			return true;
	return false;
}

static void read_elf(int fd, const struct stat *st, struct object *object)
{
	struct image image = {.size = (size_t)st->st_size};
	void *bytes;

	if (!S_ISREG(st->st_mode) || image.size < sizeof(Elf64_Ehdr))
		return;
	bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	image.bytes = bytes;
	image.header = bytes;
	if (memcmp(image.header->e_ident, ELFMAG, SELFMAG) == 0 && image.header->e_ident[EI_CLASS] == ELFCLASS64 &&
	    image.header->e_machine == EM_X86_64)
		find_sites(&image, object);
	munmap(bytes, image.size);
}

const struct object *object_of(const char *path, const char *name)
{
	static struct object *objects; /* one tracer, one list */
	struct object *object;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	for (object = objects; object; object = object->next)
		if (object->device == st.st_dev && object->inode == st.st_ino)
			break;
	if (!object) {
		object = more(NULL, 1, sizeof(*object));
		*object = (struct object){.device = st.st_dev, .inode = st.st_ino, .next = objects};
		objects = object;
		if (!is_left_alone(name))
			read_elf(fd, &st, object);
	}
	close(fd);
	return object;
}
