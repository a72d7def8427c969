// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plugin's sources, all but its threads, descriptors and OpenSM's headers, in a World: one thread, one seed, virtual time. A step is one event
// that is delivered to them; after each, what must hold is looked at (invariants.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "changes/base_file.h"
#include "coverage.hpp"
#include "disk.hpp"
#include "keys/keys.h"
#include "live.hpp"
#include "manager/manager.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "scenario.hpp"
#include "worker/loop.h"
#include "world.hpp"

namespace ibcc_test::simulation {

struct Perturbation;

class Simulation {
 public:
  // The folder is the machine's disk: a profile file, a key file and the plugin's state.
  Simulation(const Scenario& scenario, const std::string& folder);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Takes `steps` steps, those of the other manager beside them, or fewer where something does not hold. False: it does not, and Finding() says what.
  bool Run(std::uint64_t steps);
  const std::string& Finding() const { return finding_; }
  std::string Trace() const;  // the last events
  std::uint64_t Steps() const { return steps_; }
  const std::map<std::string, unsigned>& Edges() const { return world_->edges; }
  const Live& live() const { return live_; }
  const std::map<std::string, unsigned>& Perturbed() const { return perturbed_; }
  const Coverage& Covered() const { return covered_; }          // by both managers, where there are two
  void SearchBeyond(const Coverage* known) { known_ = known; }  // what other walks have reached need not be reached by this one
  void KillInStatesNotIn(std::map<std::string, unsigned>* killed) { killed_ = killed; }  // kill -9 where nobody was killed yet
  std::size_t MostHeapBytes() const { return most_heap_bytes_; }  // above what the plugin had when it was opened, at rest

  // For perturbations.
  World& world() { return *world_; }
  const ibcc_profiles* Profiles() const { return profiles_; }
  void Apply(unsigned number, const std::string& more);  // a profile of profile_texts.hpp; more params
  void Call(const std::string& method, const std::string& params);
  void Say(const std::string& bytes);  // by another client
  void HangUp();
  void ChangeFile();
  void ChangeKeys();
  void Crash(const char* how);
  void Stop();
  void LoseNode();  // the host of this OpenSM dies, and the other node of the fabric takes over
  bool HasBaseFile() const { return options_.base_file != nullptr; }
  // Of two managers (two_managers.cpp).
  void Part();              // each sees a part of the fabric, and is master there
  void Heal();              // each sees all of it; who is master stays so for now
  void BecomeBothMaster();  // though each could see the other
  void Yield();             // the other one has the higher priority
  const std::map<std::string, unsigned>& Together() const { return together_; }  // steps, by how many are master of what
  void BeBusy(std::int64_t ns);                                                  // the plugin's thread does not get its turn
  void Note(const std::string& what);

 private:
  Simulation(const Scenario& scenario, const std::string& folder, Simulation* other);
  void Open();
  void Close();
  std::string StateFolder() const { return folder_ + (node_ == 0 ? "/state" : "/state-of-the-other"); }
  std::string TextInBaseFile() const;                  // empty: there is no such file, or it has no base
  bool IsFoundInBaseFile(const Device& device) const;  // by NVIDIA's attributes
  void CheckTakenOver();
  void MakeOther();
  void Lead(std::int64_t until_ns);  // what the other one does till then comes first
  void CatchUp(std::int64_t until_ns);
  void PerturbOne();  // of the two
  void CalmOne();
  void StandAside();  // while the other one is calm
  void CheckTogether();
  void TakeStep(bool is_timer);
  void Loop();     // what the worker's does after an event
  void LastAct();  // and at the end
  void CountStep(bool is_timer);
  void Perturb();  // one of perturbations.hpp
  void Do(const Perturbation& kind, Device& device);
  void Cover(const std::string& event);
  bool IsRarelyMet() const;
  bool IsShort() const;
  bool IsNews(const std::string& event) const;  // it has not happened in the present state
  bool IsToHalt() const;
  void Darken();
  const Perturbation* DrawRare();  // NULL: none, this time
  void Calm();                     // all is well for a while: what must be so at rest
  void TryExperiment();
  void TryWavering();
  void RunFor(std::int64_t ns);
  void ApplyAgain();
  std::string StateToKill() const;
  bool KillInNewState();  // false: this state has had its kill
  std::set<unsigned> SetByNvidia() const;
  void CheckHealed(const std::string& when, const std::set<unsigned>& own);
  void RunUntilSwept(std::uint64_t sweeps, std::int64_t at_most_ns);  // until more than `sweeps` have ended with SUBNET_UP
  void Mend();
  bool Fits(const ibcc_revision* revision) const;  // to the fabric that the plugin knows
  void WriteFile(unsigned profile);
  void WriteKeys();
  template <typename Done>
  bool RunUntil(std::int64_t until_ns, Done done);
  void AfterStep();
  std::int64_t TimerNs() const;  // when the plugin is to come again

  void CheckSend(std::uint16_t lid, const std::uint8_t* mad);
  void CheckAsksNvidia(std::uint16_t attribute, const Device& device);
  bool MayMeet();
  void CheckIsOfAJob(const Device& device, const std::uint8_t* mad);
  void CheckAsksForFirmware(const Device& device, const std::uint8_t* mad);
  void CheckFirmware(bool at_rest);
  void CheckAlgorithms(const Device& device, const std::string& name);
  void CheckFirstSet(const Device& device, const std::uint8_t* mad);
  void CheckFirstNvidiaSet(const Device& device, const std::uint8_t* mad);
  void CheckFoundAgain();
  void CheckFoundTakenOver();
  void CheckAsFound(const std::string& when);
  void CheckAnswer(const std::string& method, const std::string& heard, std::uint64_t before);
  void CheckStep();
  void CheckDevices();
  void CheckLive();
  void CheckToldDrifts();
  void CheckRate();
  void CheckWait();
  void RememberSet(const Device& device, const std::uint8_t* data);
  void RememberWanted();
  void CheckOnFabric();
  void CheckSuspects();
  void CheckPort();
  void CheckUnloaded();
  void CheckRevisions();
  void CheckStart();
  void CheckSwept();
  void CheckRest(const char* when);
  void CheckChangeLog(std::uint64_t base);
  void Fail(const std::string& what);

  // What counted before a turn of the loop.
  struct Before {
    explicit Before(const ibcc_profiles* profiles);
    std::uint64_t base, experiment;
    std::int64_t deadline_ns;
  };
  void CheckLoop(const Before& before);

  struct Log : ::ibcc_log {
    Log() {
      write = [](ibcc_log* log, ibcc_log_level level, const char* line) { static_cast<Log*>(log)->owner->Take(level, line); };
    }
    Simulation* owner = nullptr;
  };
  void Take(ibcc_log_level level, const std::string& line);

  Scenario scenario_;
  Live live_;                                       // a subscriber
  std::map<std::string, std::string> found_nodes_;  // by the last sweep of which the plugin has a copy
  std::set<std::string> found_links_;
  std::uint64_t steps_ = 0;
  std::string folder_, finding_;
  Disk disk_;
  Log log_;
  ibcc_options options_{};
  ibcc_inbox* inbox_ = nullptr;
  std::unique_ptr<World> world_;
  ibcc_profiles* profiles_ = nullptr;
  ibcc_keys* keys_ = nullptr;
  ibcc_manager* manager_ = nullptr;
  ibcc_loop loop_{};
  ibcc_server_settings settings_{};
  ibcc_service service_{};
  ibcc_client client_{}, other_client_{};
  std::vector<std::pair<const Perturbation*, unsigned>> kinds_;  // with the sum of weights up to it
  std::deque<std::pair<std::int64_t, std::string>> trace_;
  std::map<std::string, unsigned> perturbed_;
  Coverage covered_;
  const Coverage* known_ = nullptr;                    // NULL: only of this walk is known what it has reached
  std::map<std::string, unsigned>* killed_ = nullptr;  // by state; NULL: nobody is killed but by a perturbation
  bool is_calm_ = false, has_keys_ = false;
  Device* sick_ = nullptr;  // that is not well in the calm; NULL: all are
  Device* mute_ = nullptr;  // that answers nothing in the calm; NULL: all do
  std::string file_text_;   // what the profile file says
  std::string last_words_;  // of the log, on what was unloaded
  bool is_blind_ = false;   // the last snapshot could not be taken
  bool has_port_ = false;
  std::int64_t busy_ns_ = 0;  // until then the plugin's thread does not get its turn
  std::int64_t last_ns_ = 0;
  unsigned unmoved_ = 0;
  unsigned key_ = 1, next_key_ = 0;  // numbers of keys; 0: there is no next
  std::size_t heap_bytes_ = 0, most_heap_bytes_ = 0;

  // What this process of OpenSM has done.
  struct Sent {
    int number = -1;             // of the profile that its last Set was of
    int epoch = -1;              // of what the plugin knew of it then
    std::uint64_t timeouts = 0;  // that it had had then
    std::set<int> numbers;
  };
  struct Own {
    std::map<unsigned, Sent> sent;  // by device
    std::set<int> experiments, bases;
    std::uint64_t epoch = 0;         // of the base file when it began
    std::uint64_t job = 0;           // the last one that was done
    std::uint64_t restored = 0;      // the revision that was brought back to all devices
    std::int64_t timeouts = -1;      // while there is no port
    std::deque<std::int64_t> times;  // of the last MADs
  } own_;

  bool wanted_nvidia_ = false;  // some profile had the section
  // No profile was wanted, and none that fits the fabric is yet. CheckFoundAgain sees to what is set meanwhile.
  bool brings_found_back_ = false;
  bool may_look_ = false;  // others may have switched devices on, the memory is lost, or a profile has switched all off
  bool may_meet_ = true;   // by nvidia.json the first profile may still meet devices that others have switched on

  // What each device had held by its first Set of annex A10's attributes: by device and attribute.
  std::map<unsigned, std::map<Key, std::set<Payload>>> found_;

  // The same of NVIDIA's attributes, of devices whose row the plugin keeps.
  struct FoundNvidia {
    std::map<Key, std::set<Payload>> held;
    std::array<std::uint16_t, 2> order;  // of its algorithms then
  };
  std::map<unsigned, FoundNvidia> found_nvidia_;

  // What a start after a crash has to find.
  std::uint64_t last_revision_ = 0;             // of the last change that was acknowledged
  std::set<std::uint64_t> bases_;               // the revisions one of which is the base on disk; none: it cannot be said
  std::map<std::uint64_t, std::string> texts_;  // of the last revisions that were told

  // The fabric has two nodes with an OpenSM each, of which one is alive; between them goes the base file.
  struct Elsewhere {
    std::uint64_t last_revision = 0;
    std::set<std::uint64_t> bases;
    std::map<std::uint64_t, std::string> texts;
    std::map<unsigned, FoundNvidia> found_nvidia;
  } elsewhere_;  // of the other node
  unsigned node_ = 0;

  // Two OpenSMs that are alive at once, each with a machine of its own. The first one makes the other.
  std::unique_ptr<Simulation> made_;
  Simulation* other_ = nullptr;  // NULL: there is one
  bool is_led_ = false;          // it goes only as far as the other one has come
  std::map<std::string, unsigned> together_;
  ibcc_base_stamp seen_stamp_{};
  std::set<std::string> own_bases_;  // texts that were its base
  std::set<int> ever_experiments_;   // of all its processes

  std::string left_text_;  // the base that the dead master has left to the other; empty: none, or it has been taken over
};

}  // namespace ibcc_test::simulation
