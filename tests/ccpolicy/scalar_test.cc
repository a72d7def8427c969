// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
extern "C" {
#include "scalar.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace {

ccp_scalar Resolve(const std::string& text) { return ccp_scalar_resolve(text.c_str(), text.size()); }

TEST(Scalar, Strings) {
  for (const char* text : {"off",  "on",   "yes",  "no",    "y",     "3:16", "0b1", "1_000",   "0X1F", "0O17", "-0x1",
                           "+0o7", "0x",   "0o",   "0o8",   "1e",    "e1",   ".",   "-",       "+",    "-.",   "1.2.3",
                           "nUll", "tRue", ".iNf", "+.nan", "-.nan", "inf",  "nan", "0x1.8p1", "1 ",   "１"}) {
    EXPECT_EQ(Resolve(text).kind, CCP_SCALAR_STRING) << text;
  }
  EXPECT_EQ(Resolve(std::string("1\0", 2)).kind, CCP_SCALAR_STRING);
}

TEST(Scalar, Words) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) EXPECT_EQ(Resolve(text).kind, CCP_SCALAR_NULL) << text;
  for (const char* text : {"true", "True", "TRUE"}) {
    EXPECT_EQ(Resolve(text).kind, CCP_SCALAR_BOOL) << text;
    EXPECT_TRUE(Resolve(text).truth) << text;
  }
  for (const char* text : {"false", "False", "FALSE"}) {
    EXPECT_EQ(Resolve(text).kind, CCP_SCALAR_BOOL) << text;
    EXPECT_FALSE(Resolve(text).truth) << text;
  }
}

TEST(Scalar, Integers) {
  const struct {
    const char* text;
    std::uint64_t magnitude;
    bool negative;
  } cases[] = {
      {"0", 0, false},
      {"-0", 0, true},
      {"0150", 150, false},
      {"0o17", 15, false},
      {"0x1f", 31, false},
      {"0xFF", 255, false},
      {"+12", 12, false},
      {"-12", 12, true},
      {"08", 8, false},
      {"18446744073709551615", UINT64_MAX, false},
      {"0xffffffffffffffff", UINT64_MAX, false},
      {"0o1777777777777777777777", UINT64_MAX, false},
  };
  for (const auto& c : cases) {
    const ccp_scalar scalar = Resolve(c.text);
    EXPECT_EQ(scalar.kind, CCP_SCALAR_INT) << c.text;
    EXPECT_EQ(scalar.magnitude, c.magnitude) << c.text;
    EXPECT_EQ(scalar.negative, c.negative) << c.text;
    EXPECT_EQ(std::fabs(scalar.real), static_cast<double>(c.magnitude)) << c.text;
  }
}

TEST(Scalar, IntegersBeyond64BitsAreReals) {
  for (const char* text : {"18446744073709551616", "0x10000000000000000", "0o2000000000000000000000"}) {
    EXPECT_EQ(Resolve(text).kind, CCP_SCALAR_REAL) << text;
    EXPECT_EQ(Resolve(text).real, 0x1p64) << text;
  }
  EXPECT_EQ(Resolve("-18446744073709551616").real, -0x1p64);
}

TEST(Scalar, Reals) {
  const struct {
    const char* text;
    double real;
  } cases[] = {{"1.5", 1.5}, {"1.", 1.0},        {".5", 0.5},          {"-.5", -0.5},       {"+1e3", 1000},      {"1.5E-1", 0.15},
               {"0.1", 0.1}, {".inf", INFINITY}, {"-.Inf", -INFINITY}, {"+.INF", INFINITY}, {"1e999", INFINITY}, {"00.5", 0.5}};
  for (const auto& c : cases) {
    EXPECT_EQ(Resolve(c.text).kind, CCP_SCALAR_REAL) << c.text;
    EXPECT_EQ(Resolve(c.text).real, c.real) << c.text;
  }
  EXPECT_TRUE(std::isnan(Resolve(".nan").real));
}

}  // namespace
