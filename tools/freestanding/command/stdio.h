/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_STDIO_H
#define UNC_COMMAND_STDIO_H
#include_next <stdio.h>
#include <sys/types.h>
#define EOF (-1)
extern FILE *const stdout, *const stderr;
FILE *fdopen(int fd, const char *mode);
FILE *open_memstream(char **text, size_t *size);
int fclose(FILE *file);
int fflush(FILE *file);
int fputs(const char *text, FILE *file);
int putc(int c, FILE *file);
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file);
size_t fread(void *bytes, size_t size, size_t n, FILE *file);
int ferror(FILE *file);
int fprintf(FILE *file, const char *format, ...);
int printf(const char *format, ...);
int asprintf(char **ret_text, const char *format, ...);
int vasprintf(char **ret_text, const char *format, va_list args);
#define putchar(c) putc(c, stdout)
#endif
