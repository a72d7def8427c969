// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/throttle_reports.h"

#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class ThrottlesSet : public Methods {
 protected:
  ThrottlesSet() { Open(); }
  ~ThrottlesSet() override { ibcc_throttle_reports_close(store_); }
  void Open() {
    ccp_error error{};
    ibcc_throttle_reports_close(store_);
    store_ = ibcc_throttle_reports_open(ibcc_profiles_folder(profiles_), nullptr, &error);
    ASSERT_NE(store_, nullptr) << error.message;
    settings_.throttle_reports = store_;
  }
  std::string Shown(const std::string& guid) {
    const Json rows = Call("devices", "{'guid': '" + guid + "'}");
    return Show(json_object_get(json_array_get(At(rows, "devices"), 0), "throttles"));
  }
  ibcc_throttle_reports* store_ = nullptr;
};

TEST_F(ThrottlesSet, IsShownAndKept) {
  BringUp();
  EXPECT_EQ(Shown("0x1000"), "'unknown'");
  EXPECT_EQ(Show(Call("throttles.set", "{'guid': '0x1000', 'port': 1, 'throttles': 'no', 'by': 'check'}").get()),
            "{'guid':'0x0000000000001000','port':1,'throttles':'no'}");
  Call("throttles.set", "{'guid': '0x1001', 'throttles': 'yes', 'by': 'check'}");
  Open();  // as after a restart
  EXPECT_EQ(Shown("0x1000"), "'no'");
  EXPECT_EQ(Shown("0x1001"), "'yes'");
  EXPECT_EQ(Shown("0x1002"), "'unknown'");
  SurvivesRefusedMemory("throttles.set", "{'guid': '0x1000', 'port': 1, 'throttles': 'no', 'by': 'check'}");
}

TEST_F(ThrottlesSet, RefusesWhatMakesNoSense) {
  BringUp();
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1000', 'by': 'x'}"), "-32602: throttles is missing");
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1000', 'throttles': 'no'}"), "-32602: by is missing");
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1000', 'throttles': 'maybe', 'by': 'x'}"),
            "-32602: throttles is 'maybe', but must be one of unknown, yes, no");
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1000', 'throttles': 'no', 'by': ''}"),
            "-32602: by has 0 bytes, but must have 1 to 63");
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x9000', 'throttles': 'no', 'by': 'x'}"),
            "-32602: guid is a switch's, but must be a channel adapter's: switches do not throttle");
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x7', 'throttles': 'no', 'by': 'x'}"),
            "-32006: there is no device 0x0000000000000007");
  settings_.throttle_reports = nullptr;
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1000', 'throttles': 'no', 'by': 'x'}"),
            "-32005: reports cannot be kept: see OpenSM's log");
}

}  // namespace
}  // namespace ibcc_test
