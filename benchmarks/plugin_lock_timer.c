/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plugin_lock_timer.c: how long the plugin's thread holds OpenSM's lock, which is a pthread_rwlock_t.
 *
 * Preloaded into OpenSM. The thread named "ibcc" takes no other lock of that kind. What it has done goes to the file that IBCC_LOCK_TIMES names,
 * as three numbers of 64 bits: how often, and the sum of the times in ns by the clock and of the thread's own CPU. Whoever reads it writes
 * zeros to begin anew.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct times {
  uint64_t count, clock_ns, cpu_ns;
};

static struct times nowhere, *times = &nowhere;
static int (*lock_for_reading)(pthread_rwlock_t*);
static int (*unlock)(pthread_rwlock_t*);
static __thread int is_plugins = -1; /* not known yet */
static __thread uint64_t since_clock_ns, since_cpu_ns;

static uint64_t now_ns(clockid_t clock) {
  struct timespec now;

  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("IBCC_LOCK_TIMES");
  int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

  lock_for_reading = (int (*)(pthread_rwlock_t*))dlsym(RTLD_NEXT, "pthread_rwlock_rdlock");
  unlock = (int (*)(pthread_rwlock_t*))dlsym(RTLD_NEXT, "pthread_rwlock_unlock");
  if (fd < 0 || ftruncate(fd, sizeof(*times))) return;
  void* mapped = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) times = mapped;
  close(fd);
}

static int is_of_plugin(void) {
  char name[16];

  if (is_plugins < 0) is_plugins = !pthread_getname_np(pthread_self(), name, sizeof(name)) && !strcmp(name, "ibcc");
  return is_plugins;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  int result = lock_for_reading(lock);

  if (is_of_plugin()) {
    since_clock_ns = now_ns(CLOCK_MONOTONIC);
    since_cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
  }
  return result;
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (is_of_plugin() && since_clock_ns) {
    times->count++;
    times->cpu_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - since_cpu_ns;
    times->clock_ns += now_ns(CLOCK_MONOTONIC) - since_clock_ns;
    since_clock_ns = 0;
  }
  return unlock(lock);
}
