// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <time.h>

#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using Status = Methods;

TEST_F(Status, BeforeTheFirstSweep) {
  const Json status = Call("status");
  EXPECT_EQ(ShowAt(status, "role"), "'starting'");
  EXPECT_EQ(ShowAt(status, "job"), "null");
  EXPECT_EQ(ShowAt(status, "experiment"), "null");
  EXPECT_EQ(ShowAt(status, "complaint"), "null");
  EXPECT_EQ(ShowAt(status, "version"), "'1.2.3'");
  EXPECT_EQ(ShowAt(status, "sweeps"), "{'ended':0,'running_s':null}");
  EXPECT_EQ(Show(json_object_get(At(status, "devices"), "present")), "0");
}

TEST_F(Status, OfAFabricThatHoldsItsProfile) {
  BringUp();
  const Json status = Call("status");
  EXPECT_EQ(ShowAt(status, "role"), "'master'");
  EXPECT_EQ(ShowAt(status, "devices"),
            "{'away':0,'cas':4,'dialects':{'a10':7,'both':0,'none':0,'nvidia':0,'unknown':0},'drifts':0,'not_ready':0,'present':"
            "7,'states':{'applied':7,'clamped':0,'drifted':0,'foreign':0,'refused':0,"
            "'timing-out':0,'unknown':0,'unsupported':0,'withheld':0},'switches':3,'timeouts':0}");
  const json_t* base = At(status, "base");
  EXPECT_EQ(Show(json_object_get(base, "name")), "'base'");
  EXPECT_EQ(Show(json_object_get(base, "source")), "'file'");
  const json_t* job = At(status, "job");
  EXPECT_EQ(Show(json_object_get(job, "state")), "'done'");
  EXPECT_EQ(Show(json_object_get(job, "settled")), "7");
  EXPECT_EQ(json_integer_value(json_object_get(job, "sets")), 4 * 3 + 3);
  EXPECT_EQ(Show(json_object_get(At(status, "mads"), "timed_out")), "0");
  SurvivesRefusedMemory("status");
}

TEST_F(Status, ASetPhaseWithoutAnAnswerIsNone) {
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_job(manager_)->first_set_ns != 0; }));
  const Json status = Call("status");
  EXPECT_EQ(Show(json_object_get(At(status, "job"), "state")), "'running'");
  EXPECT_EQ(Show(json_object_get(At(status, "job"), "set_phase_s")), "0.0");
}

TEST_F(Status, TellsOfSweeps) {
  BringUp();
  fabric_.Sweep(manager_);
  EXPECT_EQ(ShowAt(Call("status"), "sweeps"), "{'ended':2,'running_s':null}");
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  fabric_.now_ns += 7'000'000'000;
  EXPECT_EQ(ShowAt(Call("status"), "sweeps"), "{'ended':2,'running_s':7.0}");
  SurvivesRefusedMemory("status");
}

TEST_F(Status, TellsTheExperimentAndWhatIsWrongWithTheFile) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2, "trial"), ", 'ttl_s': 100"));
  const Json status = Call("status");
  EXPECT_EQ(Show(json_object_get(At(status, "experiment"), "name")), "'trial'");
  const double left = json_real_value(json_object_get(At(status, "experiment"), "remaining_s"));
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 100);
  EXPECT_EQ(Refusal("status", "{'x': 1}"), "-32602: status: there is no parameter 'x'; it takes none");
}

}  // namespace
}  // namespace ibcc_test
