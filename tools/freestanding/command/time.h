/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_TIME_H
#define UNC_COMMAND_TIME_H
#include <stddef.h>
typedef long long time_t;
struct tm {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
	long tm_gmtoff;
	const char *tm_zone;
};
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
enum { CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID };
int clock_gettime(int clock, struct timespec *ret_time);
time_t time(time_t *ret_time);
time_t timegm(struct tm *tm);
struct tm *gmtime_r(const time_t *seconds, struct tm *ret_tm);
#define localtime_r gmtime_r
size_t strftime(char *text, size_t size, const char *format, const struct tm *tm);
#define tzset() ((void)0)
#endif
