// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// mad_recorder.c: writes down when a process sends which MAD: `seconds.microseconds class method attribute SL`, one a line, into the file
// that IBCC_MAD_RECORD names. Loaded before libibumad (LD_PRELOAD). In the clock of OpenSM's log, and as libibumad is given them.
#define _GNU_SOURCE  // RTLD_NEXT
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <infiniband/umad.h>

typedef int (*umad_send_fn)(int fd, int agent, void* umad, int length, int timeout_ms, int retries);

static FILE* record;

__attribute__((constructor)) static void open_record(void) {
  const char* path = getenv("IBCC_MAD_RECORD");
  if (path != NULL) record = fopen(path, "ae");
  if (record != NULL) setvbuf(record, NULL, _IOLBF, 0);
}

int umad_send(int fd, int agent, void* umad, int length, int timeout_ms, int retries) {
  static _Atomic(umad_send_fn) known;
  umad_send_fn next = atomic_load(&known);
  if (next == NULL) {
    *(void**)&next = dlsym(RTLD_NEXT, "umad_send");  // as dlsym(3) has it: no cast from void* to a function in C
    atomic_store(&known, next);
  }
  const unsigned char* mad = umad_get_mad(umad);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (record != NULL) {
    fprintf(record, "%lld.%06ld 0x%02x 0x%02x 0x%04x %u\n", (long long)now.tv_sec, now.tv_nsec / 1000, (unsigned)mad[1],
            (unsigned)mad[3], (unsigned)mad[16] << 8 | mad[17], (unsigned)umad_get_mad_addr(umad)->sl);
  }
  return next(fd, agent, umad, length, timeout_ms, retries);
}
