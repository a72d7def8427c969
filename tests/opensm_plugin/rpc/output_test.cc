// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

namespace {

TEST(RpcOutput, WhatComesInGoesOutInOrder) {
  ibcc_output output{};
  std::mt19937 random(1);
  std::string in, out;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece(random() % 700, static_cast<char>('a' + i % 26));
    ASSERT_EQ(ibcc_output_add(&output, piece.data(), piece.size()), 0);
    in += piece;
    ASSERT_EQ(ibcc_output_waiting(&output), in.size() - out.size());
    const std::size_t sent = std::min<std::size_t>(random() % 800, ibcc_output_waiting(&output));
    if (sent == 0) continue;
    out.append(output.bytes + output.begin, sent);
    ibcc_output_sent(&output, sent);
  }
  out.append(output.bytes + output.begin, ibcc_output_waiting(&output));
  EXPECT_EQ(out, in);
  ibcc_output_clear(&output);
}

TEST(RpcOutput, MemoryIsGivenBackWithTheLastByte) {
  ibcc_output output{};
  const std::string much(1 << 20, 'x');
  ASSERT_EQ(ibcc_output_add(&output, much.data(), much.size()), 0);
  ibcc_output_sent(&output, much.size() - 1);
  EXPECT_NE(output.bytes, nullptr);
  ibcc_output_sent(&output, 1);
  EXPECT_EQ(output.bytes, nullptr);
  EXPECT_EQ(ibcc_output_waiting(&output), 0u);
}

}  // namespace
