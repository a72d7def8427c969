/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "guard.h"
#include "port_counters.h"
#include "real.h"
#include "registry.h"
#include "report.h"

static struct meter_settings settings;
static char error[METER_ERROR_MAX];

struct meter_counts shim_counts(void) {
  const char* transport;
  const struct meter_tally sum = meter_registry_sum(&transport);
  struct meter_counts counts;

  _Static_assert(sizeof sum == sizeof counts, "the same members");
  memcpy(&counts, &sum, sizeof counts);
  return counts;
}

const char* shim_transport(void) {
  const char* transport;

  meter_registry_sum(&transport);
  return transport;
}

void shim_forget(void) {
  meter_registry_clear();
  meter_guard_prepare();
}

void shim_set_reals(const struct shim_reals* reals) {
  meter_real_set(METER_OPEN_DEVICE, (meter_function*)reals->open_device);
  meter_real_set(METER_CLOSE_DEVICE, (meter_function*)reals->close_device);
  meter_real_set(METER_CREATE_QP, (meter_function*)reals->create_qp);
  meter_real_set(METER_MODIFY_QP, (meter_function*)reals->modify_qp);
  meter_real_set(METER_DESTROY_QP, (meter_function*)reals->destroy_qp);
  meter_real_set(METER_DESTROY_CQ, (meter_function*)reals->destroy_cq);
  meter_real_set(METER_QP_TO_QP_EX, (meter_function*)reals->qp_to_qp_ex);
  meter_real_set(METER_WC_STATUS_STR, (meter_function*)reals->wc_status_str);
}

static const char* lookup(const char* name) { return getenv(name); }

const char* shim_configure(int fd) {
  if (!meter_settings_read(&settings, lookup, error)) return error;
  meter_report_configure(&settings, fd);
  return NULL;
}

void shim_exit(void) { meter_report_exit(); }

struct meter_guard* shim_guard(void) {
  struct meter_guard* guard = calloc(1, sizeof *guard);

  meter_guard_prepare();
  if (guard) meter_guard_init(guard);
  return guard;
}

bool shim_enter(struct meter_guard* guard) { return meter_guard_enter(guard); }

void shim_leave(struct meter_guard* guard, bool owned) { meter_guard_leave(guard, owned); }

void shim_free(struct meter_guard* guard) { free(guard); }
