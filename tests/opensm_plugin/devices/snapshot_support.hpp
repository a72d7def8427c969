// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A snapshot that destroys itself.
#pragma once

#include <memory>

#include "devices/snapshot.h"

struct SnapshotDeleter {
  void operator()(ibcc_snapshot* s) const { ibcc_snapshot_destroy(s); }
};
using Snapshot = std::unique_ptr<ibcc_snapshot, SnapshotDeleter>;
