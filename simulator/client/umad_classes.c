// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// umad_classes.c: works around a fault of Debian's libumad2sim.so; it must be loaded before that library (LD_PRELOAD).
//
// libumad2sim.so gives an answer to the agent that has registered its class, and follows a null pointer if none has. A kernel gives it to
// the sender of the request. Programs that rely on this, such as ibdiagnet of ibutils, register the class of LID-routed SMPs (0x01) and
// send directed ones (0x81) too. This library registers the second class with the first, unless the program has registered it itself.
#define _GNU_SOURCE  // RTLD_NEXT
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LID_ROUTED = 0x01, DIRECTED = 0x81 };

// The signature in libibumad.
typedef int (*umad_register_fn)(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[]);

__attribute__((visibility("default"))) int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                                                         long method_mask[]);

int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[]) {
  // For all descriptors, as libumad2sim.so has one table of classes for a program.
  static atomic_int directed_is_held;
  umad_register_fn next = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "umad_register");  // as dlsym(3) has it: no cast from void* to a function in C
  if (next == NULL) return -1;
  const int agent = next(fd, mgmt_class, mgmt_version, rmpp_version, method_mask);
  if (agent < 0) return agent;
  if (mgmt_class == DIRECTED) atomic_store(&directed_is_held, 1);
  // Answers are assigned by their transaction id, so the second agent is not needed again.
  if (mgmt_class == LID_ROUTED && !atomic_load(&directed_is_held)) next(fd, DIRECTED, mgmt_version, rmpp_version, NULL);
  return agent;
}
