/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plugin_report_timer.c: a plugin of OpenSM around ibcc's, which measures the CPU time of each report() on the thread that calls it.
 *
 * OpenSM loads it as `ibcc_timed`; it loads libibcc.so itself, and hands everything on. At the end, one line for each kind of event goes to
 * the file that IBCC_REPORT_TIMES names: the event's number, how often it came, and the mean and longest time in ns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <opensm/osm_config.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

struct times {
  unsigned long count;
  long long sum_ns, longest_ns;
};

static osm_event_plugin_t* inner;
static struct times times[OSM_EVENT_ID_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long long cpu_ns(void) {
  struct timespec now;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void* create(struct osm_opensm* osm) {
  void* library = dlopen("libibcc.so", RTLD_NOW);

  inner = library ? dlsym(library, OSM_EVENT_PLUGIN_IMPL_NAME) : NULL;
  return inner ? inner->create(osm) : NULL;
}

static void report(void* data, osm_epi_event_id_t event, void* event_data) {
  long long before_ns = cpu_ns();

  inner->report(data, event, event_data);
  long long took_ns = cpu_ns() - before_ns;
  if (event >= OSM_EVENT_ID_MAX) return;
  pthread_mutex_lock(&lock);
  times[event].count++;
  times[event].sum_ns += took_ns;
  if (took_ns > times[event].longest_ns) times[event].longest_ns = took_ns;
  pthread_mutex_unlock(&lock);
}

static void delete(void* data) {
  const char* path = getenv("IBCC_REPORT_TIMES");
  FILE* file = path ? fopen(path, "w") : NULL;

  inner->delete(data);
  for (int i = 0; file && i < OSM_EVENT_ID_MAX; i++)
    if (times[i].count)
      fprintf(file, "%d %lu %lld %lld\n", i, times[i].count, times[i].sum_ns / (long long)times[i].count, times[i].longest_ns);
  if (file) fclose(file);
}

osm_event_plugin_t osm_event_plugin = {.osm_version = OSM_VERSION, .create = create, .delete = delete, .report = report};
