/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a record (access/record.h).  One table has the kinds of lines and the types of their fields; the writer, the
 * reader and the check of a record all work from it.
 */
#ifndef UNC_ACCESS_RECORD_TEXT_H
#define UNC_ACCESS_RECORD_TEXT_H

#include "access/record.h"

#define UNC_RECORD_FORMAT "uncorectl-record/2"
#define UNC_RECORD_INPUT  "INPUT" /* a file that a command reads */
#define UNC_RECORD_MAPS   "REGS"  /* the folder of --regs */

enum {
	UNC_RECORD_CLOCKS = UNC_CLOCK_REAL + 1,
	UNC_RECORD_BLOCK = 4096,   /* bytes of an access at most */
	UNC_RECORD_TEXT = 1 << 20, /* bytes of a file at most */
	UNC_RECORD_LINE = 2 * UNC_RECORD_BLOCK + 4 * UNC_MSG_MAX,
	UNC_RECORD_FIELDS = 5,
	UNC_RECORD_TIMES = 32, /* in a line at most */
};
/* A deadline of a sleep without end. */
#define UNC_RECORD_FOREVER ((uint64_t)1 << 63)

enum unc_line_kind {
	UNC_LINE_TIME,
	UNC_LINE_SLEEP,
	UNC_LINE_CPUID,
	UNC_LINE_TOPOLOGY,
	UNC_LINE_CPUS,
	UNC_LINE_BUS,
	UNC_LINE_LIST,
	UNC_LINE_OPEN,
	UNC_LINE_R32,
	UNC_LINE_R64,
	UNC_LINE_RBLK,
	UNC_LINE_W32,
	UNC_LINE_W64,
	UNC_LINE_WBLK,
	UNC_LINE_CLAIM, /* and one for each enum unc_claim */
	UNC_LINE_MAPS = UNC_LINE_CLAIM + UNC_CLAIM_LEAVE + 1,
	UNC_LINE_FILE,
	UNC_LINE_TEXT,
	UNC_LINE_NAMES,
	UNC_LINE_LINK,
	UNC_LINE_TRAFFIC, /* and one for each enum unc_traffic_op */
	UNC_LINE_PERF_OPEN = UNC_LINE_TRAFFIC + UNC_TRAFFIC_STOP + 1,
	UNC_LINE_PERF, /* and one for each enum unc_perf_op */
	UNC_LINE_NOTE = UNC_LINE_PERF + UNC_PERF_CLOSE + 1,
	UNC_LINE_END, /* and one for each enum unc_record_end */
	UNC_LINE_KINDS = UNC_LINE_END + UNC_RECORD_ENDS,
};

/* What the answers of a line depend on. */
enum unc_line_group {
	UNC_GROUP_NONE,     /* the line has no question: times, notes */
	UNC_GROUP_QUESTION, /* on nothing: the same question has the same answer as long as the machine does not change */
	UNC_GROUP_ONCE,     /* likewise, but each answer is for one question */
	UNC_GROUP_SPACE,    /* on the writes to the space before */
	UNC_GROUP_EVENT,    /* on what was done with that event of perf before */
	UNC_GROUP_TRAFFIC, /* on traffic that was started before */
	UNC_GROUP_END,     /* on what comes from outside */
};

/* What follows the fields of an answer. */
enum unc_line_items {
	UNC_ITEMS_NONE,
	UNC_ITEMS_PACKAGES, /* struct unc_package, in the same line up to its end */
	UNC_ITEMS_ADDRS,    /* struct unc_addr; their number is the last field, and lines with + follow */
	UNC_ITEMS_CPUS,     /* struct unc_host_cpu, likewise */
	UNC_ITEMS_NUMBERS,  /* unsigned, likewise, where the number is in the question */
	UNC_ITEMS_NAMES,    /* const char *, each in a line of its own; as unc_os_dir_list() returns them */
	UNC_ITEMS_BYTES,    /* char; their number is the last field, and lines with | or : follow */
	UNC_ITEMS_REST,     /* char; = and the rest of the line */
};

struct unc_line_type {
	const char *word;
	const char *question, *answer; /* types of fields, see record_line.c */
	enum unc_line_items items;
	enum unc_line_group group;
	bool deed;        /* it changes what is answered from then on in its group */
	const char *what; /* what it is called in sentences */
};
extern const struct unc_line_type unc_line_types[UNC_LINE_KINDS];

/* A question, or what a line has of it. */
struct unc_question {
	enum unc_line_kind kind;
	uint64_t n[UNC_RECORD_FIELDS]; /* its fields that are numbers, and words by their index */
	const char *text;              /* its field that is a text: the name of a space, or a path; not owned */
	const void *bytes;             /* the data of a write; not owned */
	size_t len;                    /* of an access */
};

/* ---- writing ---- */

struct unc_line {
	void (*end)(void *arg, const char *text); /* NULL: there is one line */
	void *arg;
	size_t len;
	char text[UNC_RECORD_LINE];
};

void unc_line_put(struct unc_line *line, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_line_put_text(struct unc_line *line, const char *text);
void unc_line_put_question(struct unc_line *line, const struct unc_question *q);
/* Numbers in the order of the fields; an access has its bytes instead.  Items may begin further lines. */
void unc_line_put_answer(struct unc_line *line, const struct unc_question *q, const uint64_t *numbers,
			 const void *items, size_t n);
void unc_line_put_failure(struct unc_line *line, const struct unc_question *q, int rc, const char *os_name,
			  const char *sentence);
void unc_line_end(struct unc_line *line);

/* The words that a field may have; NULL: it is no word. */
const char *const *unc_line_words(char type);
/* Whether a field is the bytes of an access. */
bool unc_line_is_data(char type);

/* The kind of a line of an access: "r32", "w64", "rblk". */
enum unc_line_kind unc_line_access(bool write, enum unc_kind kind, uint64_t off, size_t len);
/* The question that is an access; bytes: of a write; name: where the name of the space is put. */
struct unc_question unc_line_access_of(const struct unc_addr *addr, bool write, uint64_t off, const void *bytes,
				       size_t len, char name[UNC_ADDR_TEXT]);
/* And the one that starts traffic, without its CPUs. */
struct unc_question unc_line_start_of(const struct unc_traffic *traffic);

/* "io" for UNC_EIO; NULL: no such error. */
const char *unc_record_class(int err);
/* The other way round; 0: no such class. */
int unc_record_err(const char *name);

/* The letter of each clock. */
extern const char unc_record_clocks[UNC_RECORD_CLOCKS + 1];

/* ---- reading ---- */

struct unc_record_place { /* between two entries */
	uint64_t off;
	unsigned line; /* that ends there */
};

struct unc_record_text { /* reads a record; only a piece of the file is in memory */
	struct unc_ctx *ctx;
	const char *path; /* for sentences; not owned */
	int file;
	char *bytes;          /* the piece; owned */
	uint64_t off;         /* where it is in the file */
	const char *at, *end; /* the part of the piece that is still to be read */
	unsigned line;
	int rc; /* of reading the file */
};

/* One entry of a record: a line with those that continue it. */
struct unc_entry {
	enum unc_line_kind kind;
	unsigned line;
	uint64_t off; /* where it is in the file */
	const char *at, *question_end,
		*end;    /* "cpuid 0 0x1 0x0", then the answer and its further lines; until the next call */
	const char *key; /* what its group is told apart by, within the question */
	size_t key_len;
	enum unc_kind bus;   /* of the space in the question */
	int err;             /* how it ended: 0, or an enum unc_err */
	const char *os_name; /* static */
	void *items;         /* owned; NULL: none */
	size_t n_items;
	size_t len; /* of an access; of times how many there are */
	/* What the kind of line has. */
	uint64_t n[UNC_RECORD_FIELDS];         /* numbers of the question */
	uint64_t a[UNC_RECORD_FIELDS];         /* numbers of the answer */
	uint64_t steps[UNC_RECORD_TIMES];      /* of times, modulo 2^64, each of a clock in bytes */
	char sentence[UNC_MSG_MAX];            /* of a failure or a note */
	unsigned char bytes[UNC_RECORD_BLOCK]; /* of an access */
};

/*
 * Opens a record and reads its head.  UNC_EARG: "FILE:LINE: ...", or there is no such file; UNC_ENOMEM; others as unc_os_file_open().
 * Clear head and close text also after a failure.
 */
struct unc_replay_head;
int unc_record_open(struct unc_ctx *ctx, const char *path, struct unc_record_text *ret_text,
		    struct unc_replay_head *ret_head);
void unc_record_close(struct unc_record_text *text);
/*
 * Entries are zeroed before they are used first; each call frees the items that are left.
 *
 * The next entry.  False: there is none, since a last line without an end says nothing; or *ret_rc is UNC_EARG, UNC_ENOMEM or UNC_EIO.
 */
bool unc_record_next(struct unc_record_text *text, struct unc_entry *entry, int *ret_rc);
/* Where the next entry begins; and goes on at such a place. */
struct unc_record_place unc_record_place(const struct unc_record_text *text);
void unc_record_go(struct unc_record_text *text, struct unc_record_place place);
void unc_entry_clear(struct unc_entry *entry); /* frees the items; at is NULL then */

#endif
