// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// seeds.hpp: the seeds of a random walk. By default it takes the same few in every run, so that no run fails by luck or by how fast the
// machine is; NAME_S, seconds of CPU, has it take new ones for that long, and NAME_SEED, as a failure prints it, that one alone.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <utility>

#include "quick.hpp"

namespace ibcc_test {

inline double CpuS() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Seeds {
 public:
  // `few`: how many by default, of which make test-quick takes a tenth. `share`: how much of NAME_S is this walk's.
  Seeds(std::string name, std::uint64_t few, double share = 1) : name_(std::move(name)), left_(RandomCases(few)) {
    if (const char* const only = std::getenv((name_ + "_SEED").c_str())) {
      seed_ = std::stoull(only);
      left_ = 1;
    } else if (const char* const seconds = std::getenv((name_ + "_S").c_str())) {
      seed_ = std::random_device()();
      end_s_ = CpuS() + share * std::stod(seconds);
    }
  }

  // Whether there is another; it is `seed()` then.
  bool Next() {
    if (taken_ > 0) ++seed_;
    const bool more = taken_ == 0 || (end_s_ > 0 ? CpuS() < end_s_ : taken_ < left_);
    taken_ += more ? 1 : 0;
    return more;
  }

  std::uint64_t seed() const { return seed_; }
  std::uint64_t taken() const { return taken_; }
  // What repeats this one alone.
  std::string Line() const { return name_ + "_SEED=" + std::to_string(seed_); }

 private:
  std::string name_;
  std::uint64_t seed_ = 1, taken_ = 0, left_;
  double end_s_ = 0;
};

}  // namespace ibcc_test
