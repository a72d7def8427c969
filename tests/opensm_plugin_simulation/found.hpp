// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Scenarios that once found a mistake, made small: `make simulate-plugin` prints the line. The mistake is not made again; what happens in such a
// run changes with the plugin, so that a line is worth most when it is new.
#pragma once

#include <vector>

namespace ibcc_test::simulation {

struct Found {
  const char* scenario;
  const char* mistake;
};

inline const std::vector<Found> kFound = {
    {"seed=1909 without=silence,copy", "a repair was said to be of a revision that does not fit the fabric"},
    {"seed=515 without=lids,copy", "a fabric that changed in a failed sweep was not resolved after a good one"},
    {"seed=1117 without=experiment,copy", "a device was said to hold what another had answered, which was given its LID"},
    {"seed=4567 without=copy", "a pass that the last sweep before the end held up left a device out, and was said to be done"},
    {"seed=34 without=apply", "a device with both kinds, which refused all of them once, was not asked for annex A10's again"},
    {"seed=7", "a device that could not be read after a reset, as it was to be asked for NVIDIA's, was forgotten by the audit"},
    {"seed=42",
     "devices whose firmware a pass waited for when OpenSM stopped were passed over, and the pass was said to be done"},
    {"seed=16", "a device passed for tested with firmware that it was never tested with, as that of before was not known"},
    {"seed=170", "a device that was lost while OpenSM set the devices itself was said to be repaired, and had not drifted"},
    {"seed=69 managers=2", "a Set of a trial run that had ended was sent again, as its first tries had no answer"},
    {"seed=75 managers=2 rare=1", "a device with a Set of a trial run in flight counted as one that holds nothing of it"},
    {"seed=213 managers=2 rare=1", "a profile was said to be on the fabric, and devices waited for the base file"},
    {"seed=82 rare=1", "a trial run of this node went on as if it was a base, as the other node's file had none"},
    {"seed=10 managers=2",
     "what waited for a full disk was said to be on the fabric, and was passed over when there was room again"},
    {"seed=50500162 managers=2", "what another OpenSM had read of a switch passed for what this one had read a moment ago"},
    {"seed=60200050", "an algorithm passed for enabled by a reading, and another one was enabled in its place after that"},
};

}  // namespace ibcc_test::simulation
