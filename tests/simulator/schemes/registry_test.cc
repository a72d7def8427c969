// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "model.hpp"

namespace ccsim {
namespace schemes_registry_test {

template <typename Act>
std::string SentenceOf(const Act& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

Scheme Toy() {
  return {.name = "toy",
          .summary = "A toy.",
          .source = "this test",
          .parameters = {{.name = "queues", .least = 1, .most = 8, .preset = 2, .whole = true, .unit = "queues"},
                         {.name = "share", .least = 0, .most = 0.5, .preset = 0.25}}};
}

TEST(SchemeRegistry, HoldsTheSchemesThatRegisteredThemselves) {
  const std::vector<std::string> names = SchemeNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"voqsw", "ith"}) EXPECT_EQ(FindScheme(name).name, name);
  for (const std::string& name : names) {
    const Scheme& scheme = FindScheme(name);
    EXPECT_EQ(scheme.name, name);
    EXPECT_FALSE(scheme.summary.empty()) << name;
    EXPECT_FALSE(scheme.source.empty()) << name;
    EXPECT_NO_THROW(CheckValues(scheme, WithPresets(scheme, {}))) << name;
  }
}

TEST(SchemeRegistry, ChecksValuesThatMustFitEachOtherWithTheModel) {
  for (const char* name : {"ccfit", "ecocc", "fbicm", "hfdi"}) {
    Model model;
    model.scheme = {.name = name, .values = {{"stop_packets", 20}, {"go_packets", 19}}};
    EXPECT_NO_THROW(model.Validate(2048)) << name;
    model.scheme.values["go_packets"] = 20;
    EXPECT_EQ(SentenceOf([&] { model.Validate(2048); }),
              "model.scheme.go_packets is 20; it must be less than stop_packets, which is 20");
  }
}

TEST(SchemeRegistry, KnowsEachSchemeThatAnotherIsComparedWith) {
  for (const std::string& name : SchemeNames()) {
    const std::string without = FindScheme(name).without;
    if (without.empty()) continue;
    EXPECT_NO_THROW(FindScheme(without)) << name;
    EXPECT_NE(without, name);
  }
  EXPECT_EQ(FindScheme("ith").without, "voqsw");
}

TEST(SchemeRegistry, NamesTheKnownSchemesForAnUnknownOne) {
  std::string known;
  for (const std::string& name : SchemeNames()) known += (known.empty() ? "" : ", ") + name;
  EXPECT_EQ(SentenceOf([] { FindScheme("voqsv"); }), "model.scheme.name is 'voqsv'; it must be one of " + known);
}

TEST(SchemeRegistry, RefusesWhatNoSchemeMayRegister) {
  EXPECT_EQ(SentenceOf([] { SchemeRegistration({.name = "voqsw"}); }), "scheme 'voqsw' is registered twice");
  EXPECT_EQ(SentenceOf([] { SchemeRegistration({.name = "toy", .parameters = {{.name = "name"}}}); }),
            "scheme 'toy' has a parameter called 'name', which is the scheme's own");
  EXPECT_EQ(SentenceOf([] { SchemeRegistration({.name = "toy", .parameters = {{.name = "queues", .least = 1, .preset = 0}}}); }),
            "scheme 'toy' presets 'queues' to 0, outside its range");
  EXPECT_EQ(std::ranges::count(SchemeNames(), "toy"), 0);
}

TEST(SchemeRegistry, HoldsValuesWithinTheRangesOfTheScheme) {
  const Scheme toy = Toy();
  EXPECT_NO_THROW(CheckValues(toy, {}));
  EXPECT_NO_THROW(CheckValues(toy, {{"queues", 1}, {"share", 0.5}}));
  EXPECT_NO_THROW(CheckValues(toy, {{"queues", 8}, {"share", 0}}));
  EXPECT_EQ(SentenceOf([&] { CheckValues(toy, {{"queues", 9}}); }),
            "model.scheme.queues is 9; it must be a whole number, 1 to 8 queues");
  EXPECT_EQ(SentenceOf([&] { CheckValues(toy, {{"queues", 1.5}}); }),
            "model.scheme.queues is 1.5; it must be a whole number, 1 to 8 queues");
  EXPECT_EQ(SentenceOf([&] { CheckValues(toy, {{"share", -0.1}}); }), "model.scheme.share is -0.1; it must be 0 to 0.5");
  EXPECT_NE(SentenceOf([&] { CheckValues(toy, {{"share", std::nan("")}}); }), "");
  EXPECT_EQ(SentenceOf([&] { CheckValues(toy, {{"shar", 0}}); }),
            "model.scheme.shar is not a parameter of scheme 'toy'; it has queues, share");
  EXPECT_EQ(SentenceOf([&] { CheckValues(FindScheme("voqsw"), {{"queues", 1}}); }),
            "model.scheme.queues is not a parameter of scheme 'voqsw'; it has crossbar_gbps");
  EXPECT_EQ(SentenceOf([&] { CheckValues({.name = "bare"}, {{"queues", 1}}); }),
            "model.scheme.queues is not a parameter of scheme 'bare', which has none");
}

TEST(SchemeRegistry, PresetsWhatIsNotGiven) {
  const std::map<std::string, double> expected{{"queues", 4}, {"share", 0.25}};
  EXPECT_EQ(WithPresets(Toy(), {{"queues", 4}}), expected);
}

TEST(SchemeRegistry, RefusesARunWithoutCongestionControlWhereTheSchemeNeedsIt) {
  for (const char* name : {"voqsw", "ith"}) EXPECT_NO_THROW(CheckCongestionControl(FindScheme(name), true));
  EXPECT_NO_THROW(CheckCongestionControl(FindScheme("voqsw"), false));
  EXPECT_EQ(SentenceOf([] { CheckCongestionControl(FindScheme("ith"), false); }),
            "model.scheme.name is 'ith', and no profile of this run enables congestion control; choose a profile that does, or "
            "another scheme");
}

TEST(Model, ValidatesItsScheme) {
  Model model;
  EXPECT_NO_THROW(model.Validate(2048));
  model.scheme.name = "ith";
  EXPECT_NO_THROW(model.Validate(2048));
  model.scheme.values["cfqs"] = 2;
  EXPECT_EQ(SentenceOf([&] { model.Validate(2048); }),
            "model.scheme.cfqs is not a parameter of scheme 'ith'; it has crossbar_gbps");
  model.scheme = {.name = "pigeons"};
  EXPECT_EQ(SentenceOf([&] { model.Validate(2048); }).find("model.scheme.name is 'pigeons'; it must be one of "), 0u);
}

}  // namespace schemes_registry_test
}  // namespace ccsim
