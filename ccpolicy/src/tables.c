/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/tables.h"

#include <stdlib.h>

void ccp_tables_destroy(struct ccp_tables *tables)
{
	if (!tables)
		return;
	for (uint32_t i = 0; i < tables->num_switches; i++)
		free(tables->switches[i].ports);
	for (uint32_t i = 0; i < tables->num_cas; i++)
		free(tables->cas[i].cct.entries);
	free(tables->switches);
	free(tables->cas);
	free(tables);
}
