/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cc_mad.h: MADs of the classes that the plugin speaks: the common header, CC_Key, and the place of an attribute's data.
 */
#ifndef IBCC_CC_MAD_H
#define IBCC_CC_MAD_H

#include <stdbool.h>
#include <stdint.h>

#include "mad/mad_port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_method {
	IBCC_GET = 0x01,
	IBCC_SET = 0x02,
	IBCC_GET_RESP = 0x81,
};

/* Status bits of the common MAD header (IBA 13.4.7). */
#define IBCC_STATUS_BUSY 0x0001u
#define IBCC_STATUS_REDIRECT 0x0002u
#define IBCC_STATUS_CODE 0x001Cu /* bits 2..4: a number */
#define IBCC_STATUS_BAD_VERSION 0x0004u
#define IBCC_STATUS_BAD_METHOD 0x0008u
#define IBCC_STATUS_BAD_ATTRIBUTE 0x000Cu /* the method and attribute are not supported together */
#define IBCC_STATUS_BAD_FIELD 0x001Cu     /* an attribute's field or modifier has a value that is not taken */

/* A management class. Requests of two classes never have the same transaction ID. */
struct ibcc_mad_class {
	uint8_t number, version;
	uint32_t tid_mark; /* a bit of the low half of the transaction ID; 0: that bit is clear */
};
extern const struct ibcc_mad_class ibcc_cc_class;     /* 0x21, congestion control */
extern const struct ibcc_mad_class ibcc_vendor_class; /* 0x0A, as Mellanox uses it */
#define IBCC_TID_MARK 0x80000000u

#define IBCC_LOG_DATA_OFFSET 32u /* of CongestionLog */
#define IBCC_DATA_OFFSET 64u     /* of all others */

/* Fills the header of a request, and zeros behind it. `cc_key`: 0 in classes without one. */
void ibcc_cc_mad_request(uint8_t mad[IBCC_MAD_BYTES], const struct ibcc_mad_class *of, enum ibcc_method method, uint32_t tid,
			 uint16_t attribute, uint32_t modifier, uint64_t cc_key);

uint32_t ibcc_cc_mad_tid(const uint8_t mad[IBCC_MAD_BYTES]); /* low half */
uint8_t ibcc_cc_mad_method(const uint8_t mad[IBCC_MAD_BYTES]);
uint16_t ibcc_cc_mad_status(const uint8_t mad[IBCC_MAD_BYTES]);
uint16_t ibcc_cc_mad_attribute(const uint8_t mad[IBCC_MAD_BYTES]);
uint32_t ibcc_cc_mad_modifier(const uint8_t mad[IBCC_MAD_BYTES]);

/* True if class and versions are these. An answer "bad version" may have any class version. */
bool ibcc_cc_mad_is_of(const uint8_t mad[IBCC_MAD_BYTES], const struct ibcc_mad_class *of);

/* Returns the attribute's data: from byte 32 for CongestionLog and the vendor's class, else from byte 64. */
const uint8_t *ibcc_cc_mad_data(const uint8_t mad[IBCC_MAD_BYTES]);

/* Writes a status in words, "unsupported attribute (0x000c)", into `buffer` of at least 64 bytes, and returns that. */
const char *ibcc_status_text(uint16_t status, char *buffer, uint32_t size);

/* True if the device lacks the class, the method or the attribute. A refused value is another matter. */
bool ibcc_status_is_unsupported(uint16_t status);

#ifdef __cplusplus
}
#endif
#endif
