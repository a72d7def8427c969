/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* subnet_port.h: a port as OpenSM's subnet database has it, of a node of the snapshot or of one that is copied for a call. */
#ifndef IBCC_SUBNET_PORT_H
#define IBCC_SUBNET_PORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_PORTS 254u

enum ibcc_subnet_kind {
	IBCC_SUBNET_SWITCH,
	IBCC_SUBNET_CA,
	IBCC_SUBNET_ROUTER,
	IBCC_NUM_SUBNET_KINDS,
};

/* Bits of link speeds, the slowest first: PortInfo has them in three fields. */
enum ibcc_speed {
	IBCC_SPEED_SDR = 1u << 0,
	IBCC_SPEED_DDR = 1u << 1,
	IBCC_SPEED_QDR = 1u << 2,
	IBCC_SPEED_FDR10 = 1u << 3,
	IBCC_SPEED_FDR = 1u << 4,
	IBCC_SPEED_EDR = 1u << 5,
	IBCC_SPEED_HDR = 1u << 6,
	IBCC_SPEED_NDR = 1u << 7,
};

struct ibcc_subnet_port {
	uint64_t guid;      /* of a port of an adapter; 0: of a switch, whose ports have none */
	uint64_t peer_guid; /* 0: nothing is connected that OpenSM knows */
	uint16_t lid;       /* of a port of an adapter; 0: none */
	uint8_t number;     /* 1..254 */
	uint8_t peer_port;
	uint8_t lmc;
	uint8_t state;    /* PortState: 1 down, 2 init, 3 armed, 4 active */
	uint8_t physical; /* PortPhysicalState, 1..7 */
	uint8_t mtu;      /* NeighborMTU, encoded: 1 is 256 bytes, 5 is 4096 */
	uint8_t vls;      /* OperationalVLs, encoded: 1 is VL 0, 5 is VLs 0 to 14 */
	/* PortInfo's masks of widths: 1x, 4x, 8x, 12x, 2x from bit 0. */
	uint8_t width, width_supported, width_enabled;
	uint8_t speed, speed_supported, speed_enabled; /* of enum ibcc_speed */
};

#ifdef __cplusplus
}
#endif
#endif
