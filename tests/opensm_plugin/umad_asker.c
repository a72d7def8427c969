/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * umad_asker GUID TIMEOUT_MS TIMES LID...: opens the local port with this GUID and asks each LID TIMES times for its
 * CongestionInfo, all at once. With TIMES 0 it asks once, closes the port without waiting, opens it again, and asks once more. A
 * line for each LID says how many answers and time-outs came at last; others what the log was told, and how long the port took to
 * close the first time.
 */
#define _GNU_SOURCE /* names of threads */

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ccpolicy/wire.h"
#include "mad/cc_mad.h"
#include "mad/umad_port.h"

#define MAX_LIDS 1024u

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned num_lids;
  uint16_t lids[MAX_LIDS];
  unsigned answered[MAX_LIDS], timed_out[MAX_LIDS], wrong[MAX_LIDS];
  unsigned total, strays;
  char thread[16];
  int blocks_signals;
} asked = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void on_answer(void* owner, const struct ibcc_answer* answer) {
  /* The low half is the index that it was sent with. */
  const uint32_t index = ibcc_cc_mad_tid(answer->mad) % MAX_LIDS;
  sigset_t blocked;

  (void)pthread_mutex_lock(&asked.mutex);
  if (owner != &asked || index >= asked.num_lids) {
    asked.strays++;
  } else if (answer->timed_out) {
    asked.timed_out[index]++;
    asked.wrong[index] += ibcc_cc_mad_method(answer->mad) != IBCC_GET;
  } else {
    asked.answered[index]++;
    asked.wrong[index] += answer->lid != asked.lids[index] || !ibcc_cc_mad_is_of(answer->mad, &ibcc_cc_class) ||
                          ibcc_cc_mad_method(answer->mad) != IBCC_GET_RESP || ibcc_cc_mad_status(answer->mad) != 0 ||
                          ibcc_cc_mad_attribute(answer->mad) != CCP_CONGESTION_INFO;
  }
  asked.total++;
  (void)pthread_getname_np(pthread_self(), asked.thread, sizeof(asked.thread));
  (void)pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  asked.blocks_signals = sigismember(&blocked, SIGHUP) && sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGINT);
  (void)pthread_cond_signal(&asked.changed);
  (void)pthread_mutex_unlock(&asked.mutex);
}

static void write_line(struct ibcc_log* log, enum ibcc_log_level level, const char* line) {
  (void)log;
  printf("log %d: %s\n", (int)level, line);
}

static double now_s(void) {
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static unsigned ask(struct ibcc_mad_port* port, uint32_t first_tid, uint32_t timeout_ms) {
  unsigned sent = 0;

  for (unsigned i = 0; i < asked.num_lids; i++) {
    uint8_t mad[IBCC_MAD_BYTES];

    ibcc_cc_mad_request(mad, &ibcc_cc_class, IBCC_GET, first_tid + i, CCP_CONGESTION_INFO, 0, 0);
    if (port->send(port, asked.lids[i], 0, mad, timeout_ms) == 0) sent++;
  }
  return sent;
}

/* Closes the port, and forgets what has come. */
static void close_at_once(struct ibcc_mad_port* port) {
  const double began_s = now_s();

  port->close(port);
  printf("closed in %.3f s\n", now_s() - began_s);
  memset(asked.answered, 0, sizeof(asked.answered));
  memset(asked.timed_out, 0, sizeof(asked.timed_out));
  asked.total = 0;
}

int main(int argc, char** argv) {
  struct ibcc_log log = {.write = write_line};
  struct ibcc_mad_port* port;
  unsigned times, sent = 0;
  uint32_t timeout_ms;
  uint64_t guid;

  if (argc < 4 || (unsigned)argc - 4 > MAX_LIDS) return 2;
  guid = strtoull(argv[1], NULL, 0);
  timeout_ms = (uint32_t)strtoul(argv[2], NULL, 0);
  times = (unsigned)strtoul(argv[3], NULL, 0);
  asked.num_lids = (unsigned)argc - 4;
  for (unsigned i = 0; i < asked.num_lids; i++) asked.lids[i] = (uint16_t)strtoul(argv[4 + i], NULL, 0);

  port = ibcc_umad_port_open(guid, on_answer, &asked, &log);
  if (port && times == 0) {
    (void)ask(port, 0, timeout_ms);
    close_at_once(port);
    port = ibcc_umad_port_open(guid, on_answer, &asked, &log);
    times = 1;
  }
  if (!port) return 3;
  for (unsigned round = 1; round <= times; round++) sent += ask(port, round * MAX_LIDS, timeout_ms);
  (void)pthread_mutex_lock(&asked.mutex);
  while (asked.total < sent) (void)pthread_cond_wait(&asked.changed, &asked.mutex);
  (void)pthread_mutex_unlock(&asked.mutex);
  port->close(port);
  for (unsigned i = 0; i < asked.num_lids; i++)
    printf("lid %u: %u answered, %u timed out, %u wrong\n", asked.lids[i], asked.answered[i], asked.timed_out[i], asked.wrong[i]);
  printf("%u sent, %u strays, thread %s, signals %s\n", sent, asked.strays, asked.thread,
         asked.blocks_signals ? "blocked" : "let in");
  return 0;
}
