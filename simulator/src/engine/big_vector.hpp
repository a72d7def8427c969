// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// big_vector.hpp: a vector that asks for huge pages once it is large. What a run touches next lies anywhere in its arrays: on a large
// fabric, pages of 4 KiB would cost a walk through the page tables each time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ccsim {

template <typename T>
struct BigAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  BigAllocator() = default;
  template <typename U>
  BigAllocator(const BigAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators must be

  T* allocate(std::size_t n) {
    if (!IsBig(n)) return std::allocator<T>().allocate(n);
    const std::size_t bytes = (n * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    void* const memory = std::aligned_alloc(kHugePage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: without it, all is as it was but slower
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (IsBig(n)) {
      std::free(memory);
    } else {
      std::allocator<T>().deallocate(memory, n);
    }
  }
  friend bool operator==(const BigAllocator&, const BigAllocator&) { return true; }

 private:
  static bool IsBig(std::size_t n) { return n > kHugePage / 2 / sizeof(T); }
};

template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

}  // namespace ccsim
