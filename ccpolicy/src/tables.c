/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/tables.h"

#include <stdlib.h>

void ccp_tables_destroy(struct ccp_tables *tables)
{
	if (!tables)
		return;
	for (uint32_t i = 0; i < tables->num_switches; i++)
		free(tables->switches[i].ports);
	for (uint32_t i = 0; i < tables->num_switches; i++)
		free(tables->switches[i].nvidia);
	for (uint32_t i = 0; i < tables->num_cas; i++)
		free(tables->cas[i].nvidia);
	for (uint32_t i = 0; i < tables->num_nvidia_pool; i++)
		free(tables->nvidia_pool[i]);
	for (uint32_t i = 0; i < tables->num_warnings; i++)
		free(tables->warnings[i]);
	for (uint32_t i = 0; i < tables->num_cct_pool; i++)
		free(tables->cct_pool[i]);
	free(tables->switches);
	free(tables->cas);
	free(tables->warnings);
	free(tables->cct_pool);
	free(tables->nvidia_pool);
	free(tables);
}
