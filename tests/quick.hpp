// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// quick.hpp: what make test-quick leaves out of the tests in C and C++. It sets IBCC_QUICK.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace ibcc_test {

inline bool Quick() { return std::getenv("IBCC_QUICK") != nullptr; }

// How many of `all` random cases are run: a tenth under make test-quick, at least one.
inline std::uint64_t RandomCases(std::uint64_t all) { return Quick() ? (all + 9) / 10 : all; }

}  // namespace ibcc_test

// At the start of a test that takes more than a second without optimisation.
#define IBCC_LONG_TEST() \
  if (ibcc_test::Quick()) GTEST_SKIP() << "long: make test runs it"
