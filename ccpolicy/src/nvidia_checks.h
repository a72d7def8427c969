/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia_checks.h: what the values of one device must agree on, for the reader and for ccp_resolve(). Internal. */
#ifndef CCPOLICY_NVIDIA_CHECKS_H
#define CCPOLICY_NVIDIA_CHECKS_H

#include <stddef.h>

#include "ccpolicy/nvidia.h"

#define CCP_NVIDIA_WHY_BYTES 192

/* Each returns NULL, or what is wrong as the end of a sentence that begins with the section: "has ...", in `out` or elsewhere. */
const char *ccp_check_nvidia_switch(const struct ccp_profile_nvidia_switch *sw, char out[CCP_NVIDIA_WHY_BYTES]);
const char *ccp_check_nvidia_adapter(const struct ccp_profile_nvidia_adapter *adapter, char out[CCP_NVIDIA_WHY_BYTES]);

#endif
