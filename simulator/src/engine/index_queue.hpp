// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// index_queue.hpp: a first-in first-out queue of indices that are linked through `next` of the records they index.
#pragma once

#include <cstdint>

namespace ccsim {

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

struct IndexQueue {
  std::uint32_t head = kNoIndex;
  std::uint32_t tail = kNoIndex;
};

template <typename Records>
void PushBack(IndexQueue& queue, Records& records, std::uint32_t index) {
  records[index].next = kNoIndex;
  if (queue.head == kNoIndex) {
    queue.head = index;
  } else {
    records[queue.tail].next = index;
  }
  queue.tail = index;
}

template <typename Records>
std::uint32_t PopFront(IndexQueue& queue, const Records& records) {
  const std::uint32_t index = queue.head;
  queue.head = records[index].next;
  return index;
}

}  // namespace ccsim
