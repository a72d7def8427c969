/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * locale_scope.h: numbers in documents are written with a dot, whatever the program's locale. Internal.
 *
 * begin() puts the calling thread in the "C" locale and end() takes it back; other threads do not notice.
 */
#ifndef CCPOLICY_LOCALE_SCOPE_H
#define CCPOLICY_LOCALE_SCOPE_H

#include <locale.h>
#include <stdbool.h>

struct ccp_locale_scope {
	locale_t c;
	locale_t previous;
};

static inline bool ccp_locale_scope_begin(struct ccp_locale_scope *scope)
{
	scope->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!scope->c)
		return false;
	scope->previous = uselocale(scope->c);
	return true;
}

static inline void ccp_locale_scope_end(struct ccp_locale_scope *scope)
{
	uselocale(scope->previous);
	freelocale(scope->c);
}

#endif
