/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* description.h: NodeDescriptions, which devices may fill with any bytes. */
#ifndef IBCC_DESCRIPTION_H
#define IBCC_DESCRIPTION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_DESCRIPTION_BYTES 65u /* a NodeDescription has 64; and the 0 at the end */

/*
 * Copies up to `length` bytes, ending before the first 0. What is not printable UTF-8 becomes a blank, as ibnetdiscover shows it.
 */
void ibcc_description_copy(char out[IBCC_DESCRIPTION_BYTES], const char *description, size_t length);

#ifdef __cplusplus
}
#endif
#endif
