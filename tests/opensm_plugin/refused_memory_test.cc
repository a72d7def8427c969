// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "refused_memory.hpp"

#include <gtest/gtest.h>
#include <jansson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

// Volatile, as an optimizing compiler knows malloc(), and takes for granted that it changes no variable of the program.
thread_local volatile unsigned countdown = 0;  // allocations up to the refused one; 0: none is to come
thread_local volatile bool happened = false;
thread_local AllocatedMemory* watched = nullptr;

bool Refused() {
  const unsigned left = countdown;
  if (left == 0) return false;
  countdown = left - 1;
  happened = happened || left == 1;
  return left == 1;
}

}  // namespace

// The names that the linker's --wrap gives: what the program calls, and what it called before.
extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* old, std::size_t bytes);
char* __real_strdup(const char* text);

void* __wrap_malloc(std::size_t bytes) { return Refused() ? nullptr : __real_malloc(bytes); }
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  void* block = Refused() ? nullptr : __real_calloc(count, bytes);
  if (block != nullptr && watched != nullptr) watched->Add(block, count * bytes);
  return block;
}
void* __wrap_realloc(void* old, std::size_t bytes) { return Refused() ? nullptr : __real_realloc(old, bytes); }
char* __wrap_strdup(const char* text) { return Refused() ? nullptr : __real_strdup(text); }
}

RefusedMemory::RefusedMemory(unsigned nth) {
  json_set_alloc_funcs(__wrap_malloc, std::free);
  countdown = nth;
  happened = false;
}

RefusedMemory::~RefusedMemory() {
  countdown = 0;
  json_set_alloc_funcs(__real_malloc, std::free);
}

bool RefusedMemory::Happened() const { return happened; }

AllocatedMemory::AllocatedMemory() { watched = this; }

AllocatedMemory::~AllocatedMemory() { watched = nullptr; }

bool AllocatedMemory::Holds(std::uint64_t number) const {
  std::array<std::uint8_t, sizeof(number)> wanted;
  std::memcpy(wanted.data(), &number, sizeof(number));
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& block) {
    const auto* begin = static_cast<const std::uint8_t*>(block.first);
    const auto* end = begin + block.second;
    return std::search(begin, end, wanted.begin(), wanted.end()) != end ||
           std::search(begin, end, wanted.rbegin(), wanted.rend()) != end;
  });
}

namespace {

TEST(RefusedMemory, IsTheNthAndNoOther) {
  void* volatile first = nullptr;  // a compiler may leave out an allocation that nobody looks at
  void* volatile second = nullptr;
  void* volatile third = nullptr;
  {
    const RefusedMemory refusal(2);
    first = std::malloc(1);
    EXPECT_FALSE(refusal.Happened());
    second = std::calloc(1, 1);
    EXPECT_TRUE(refusal.Happened());
    third = std::realloc(nullptr, 1);
  }
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(second, nullptr);
  EXPECT_NE(third, nullptr);
  std::free(first);
  std::free(third);
}

TEST(RefusedMemory, ReachesJansson) {
  const RefusedMemory refusal(1);
  EXPECT_EQ(json_object(), nullptr);
  EXPECT_TRUE(refusal.Happened());
}

}  // namespace
