/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* ns.h: times are 64 bits of nanoseconds. */
#ifndef IBCC_NS_H
#define IBCC_NS_H

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL

#endif
