/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* wire_rows.h: how the rows of wire.c and nvidia_wire.c are written. Internal. */
#ifndef CCPOLICY_WIRE_ROWS_H
#define CCPOLICY_WIRE_ROWS_H

#include "ccpolicy/wire.h"

#define SIZE(type, member) sizeof(((type *)0)->member)

/* A field by itself, and a field of each element of the array `array`. */
#define ONE(type, member, name, offset, width) {name, offset, width, 1, 0, offsetof(type, member), SIZE(type, member), 0, false}
#define EACH(type, array, member, name, offset, width, stride)                                                                   \
	{name,                                                                                                                   \
	 offset,                                                                                                                 \
	 width,                                                                                                                  \
	 SIZE(type, array) / SIZE(type, array[0]),                                                                               \
	 stride,                                                                                                                 \
	 offsetof(type, array[0].member),                                                                                        \
	 SIZE(type, array[0].member),                                                                                            \
	 SIZE(type, array[0]),                                                                                                   \
	 false}

/* Each element of `array` itself; and a field that a Set leaves as it is. */
#define ELEMENTS(type, array, name, offset, width, stride)                                                                       \
	{name,                                                                                                                   \
	 offset,                                                                                                                 \
	 width,                                                                                                                  \
	 SIZE(type, array) / SIZE(type, array[0]),                                                                               \
	 stride,                                                                                                                 \
	 offsetof(type, array),                                                                                                  \
	 SIZE(type, array[0]),                                                                                                   \
	 SIZE(type, array[0]),                                                                                                   \
	 false}
#define READ_ONLY(type, member, name, offset, width)                                                                             \
	{name, offset, width, 1, 0, offsetof(type, member), SIZE(type, member), 0, true}

#define ATTRIBUTE(id, name, fields) {id, name, 64, CCP_ATTRIBUTE_BYTES, sizeof(fields) / sizeof(fields[0]), fields}
#define LOG(id, name, fields) {id, name, 32, CCP_CONGESTION_LOG_BYTES, sizeof(fields) / sizeof(fields[0]), fields}

extern const struct ccp_wire_attribute ccp_nvidia_attributes[];
extern const unsigned ccp_num_nvidia_attributes;

#endif
