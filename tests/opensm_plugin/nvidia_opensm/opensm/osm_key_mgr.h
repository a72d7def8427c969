/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* By this header NVIDIA's OpenSM is told from linux-rdma's. */
