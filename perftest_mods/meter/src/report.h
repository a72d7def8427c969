/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lines at their deadlines, the end at its time, and the last words on exit and on signals: all from one thread of the meter's
 * own, which starts with the first queue pair. A program that makes none says nothing and is left as it is.
 */
#ifndef IBCC_METER_REPORT_H
#define IBCC_METER_REPORT_H

#include "settings.h"

/* The constructor's: settings of this process, and where lines go. They stay where they are. */
void meter_report_configure(const struct meter_settings *settings, int fd);

/* A queue pair on `device` is about to be made. Only the first call does something. */
void meter_report_begin(const char *device);

/* The destructor's: the last interval and the final line, unless they are written already. */
void meter_report_exit(void);

/* Sets `error` of the final line, if it is not set yet. The text must be a literal, or stay valid. */
void meter_report_error(const char *error);
void meter_report_failed(const char *status, uint32_t qp);

#endif
