// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// refused_memory.hpp: an allocation that fails, to see what the caller makes of it.
//
// The test program is linked with --wrap=malloc, calloc, realloc and strdup, so what it and the libraries linked into it (not shared
// ones, and not operator new) ask for comes by here. jansson, which is shared, is told to ask here too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// While this exists, the nth allocation of its thread from now on is refused (1: the very next), and no other.
class RefusedMemory {
 public:
  explicit RefusedMemory(unsigned nth);
  ~RefusedMemory();
  RefusedMemory(const RefusedMemory&) = delete;
  RefusedMemory& operator=(const RefusedMemory&) = delete;

  bool Happened() const;  // false: there were fewer
};

// What its thread asks of calloc while this exists, for a look at what lies there. None of it may have been freed.
class AllocatedMemory {
 public:
  AllocatedMemory();
  ~AllocatedMemory();
  AllocatedMemory(const AllocatedMemory&) = delete;
  AllocatedMemory& operator=(const AllocatedMemory&) = delete;

  void Add(const void* block, std::size_t bytes) { blocks_.emplace_back(block, bytes); }
  bool Holds(std::uint64_t number) const;  // in either order of bytes, anywhere

 private:
  std::vector<std::pair<const void*, std::size_t>> blocks_;
};
