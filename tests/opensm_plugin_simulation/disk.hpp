// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Between the plugin and the kernel where it writes files: the disk can be full or broken, and the machine can stop in the middle of any write.
// What was asked for in an order that a loss of power would not survive is a fault as well.
#pragma once

#include <map>
#include <set>
#include <string>

namespace ibcc_test::simulation {

struct Disk {
  bool is_watched = false;   // the plugin runs; else calls are those of the test
  bool is_full = false;      // nothing can be written
  bool is_broken = false;    // what was written cannot be made to last
  int until_stop = -1;       // the machine stops at this call, where the next one is 1; -1: it does not
  bool has_stopped = false;  // calls succeed, and do nothing

  std::string fault;           // "": none
  bool folder_is_due = false;  // a file has taken its name, and the folder has not been synchronised since
  unsigned calls = 0;

  void Restart();
  bool Acts();  // whether the call is carried out

  std::set<int> appended;                        // descriptors of files that are added to
  std::map<int, std::string> unsynced;           // by descriptor: files with bytes that a loss of power would take
  std::map<std::string, bool> name_is_unsynced;  // of those that were closed so
};

Disk& TheDisk();                 // of the machine whose turn it is
Disk* ExchangeDisk(Disk* next);  // another machine has its turn: the one of before; NULL: none has

// The plugin's sources are under way: what they write goes by the Disk.
struct Watched {
  Watched() { TheDisk().is_watched = true; }
  ~Watched() { TheDisk().is_watched = false; }
};

// A folder for the simulated machine's files: in memory where it can be, as nothing here needs a real disk, which takes most of the time.
std::string MakeDiskFolder();

}  // namespace ibcc_test::simulation
