/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* model_text.h: a device and its model in sentences for people. */
#ifndef IBCC_MODEL_TEXT_H
#define IBCC_MODEL_TEXT_H

#include "devices/device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_SENTENCE_BYTES 512u
#define IBCC_MODEL_TEXT_BYTES 128u
#define IBCC_NAME_TEXT_BYTES 96u

/* Fills and returns "NodeDescription (0xGUID)". */
const char *ibcc_name_text(char text[IBCC_NAME_TEXT_BYTES], const struct ibcc_device *device);

/* Fills and returns "vendor 0x0002c9, device 0x101b, firmware 20.39.1002, board NAME"; without a board where none is known. */
const char *ibcc_model_text(char text[IBCC_MODEL_TEXT_BYTES], const struct ibcc_node_identity *identity,
			    const struct ibcc_firmware *firmware);

#ifdef __cplusplus
}
#endif
#endif
