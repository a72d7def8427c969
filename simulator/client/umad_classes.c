// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// umad_classes.c: makes good for one fault of Debian's libumad2sim.so, where it is loaded before that library (LD_PRELOAD).
//
// libumad2sim.so hands an answer to whoever has registered its class, and follows a null pointer if nobody has. A kernel hands it to
// whoever has sent the request. Programs that count on that, such as ibdiagnet of ibutils, register the class of LID-routed SMPs (0x01)
// and send directed ones (0x81) too. Here whoever registers the one gets the other with it, unless the program has asked for that itself.
#define _GNU_SOURCE  // RTLD_NEXT
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LID_ROUTED = 0x01, DIRECTED = 0x81 };

// libibumad's own signature.
typedef int (*umad_register_fn)(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[]);

__attribute__((visibility("default"))) int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                                                         long method_mask[]);

int umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[]) {
  // Of all descriptors: libumad2sim.so has one table of classes for a program.
  static atomic_int directed_is_held;
  umad_register_fn next = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "umad_register");  // as dlsym(3) has it: no cast from void* to a function in C
  if (next == NULL) return -1;
  const int agent = next(fd, mgmt_class, mgmt_version, rmpp_version, method_mask);
  if (agent < 0) return agent;
  if (mgmt_class == DIRECTED) atomic_store(&directed_is_held, 1);
  // An answer says by its transaction whose it is, so the second agent is never heard of again.
  if (mgmt_class == LID_ROUTED && !atomic_load(&directed_is_held)) next(fd, DIRECTED, mgmt_version, rmpp_version, NULL);
  return agent;
}
