/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A stand-in for NVIDIA's OpenSM 5.24, in our own words: what opensm_plugin/src/opensm/flavor.c uses of its headers, and no more. */
