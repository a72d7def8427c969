// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A folder of a test's own, which whoever asked for it removes.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ibcc_test {

inline std::string MakeTemporaryFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
  // mkdtemp writes a name that nobody else has over the six letters.
  std::string path = (parent / "ibcc-test-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder: " + path);
  return path;
}

}  // namespace ibcc_test
