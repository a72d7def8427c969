// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// state_support.hpp: folders, files and limits for tests of what is kept on disk.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "base/log.h"
#include "temporary_folder.hpp"

namespace plugin_test {

namespace fs = std::filesystem;

// A folder of the test's own, gone with it.
class TempFolder {
 public:
  TempFolder() : path_(ibcc_test::MakeTemporaryFolder()) {}
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& Path() const { return path_; }

 private:
  fs::path path_;
};

inline std::string Contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void Write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  EXPECT_EQ(fs::file_size(path), text.size());
}

// As editors and configuration management do it.
inline void Replace(const fs::path& path, const std::string& text) {
  const fs::path other = path.string() + ".other";
  Write(other, text);
  fs::rename(other, path);
}

inline std::vector<std::string> Names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline mode_t Mode(const fs::path& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

// The lines that were logged.
struct HeardLog : ::ibcc_log {
  HeardLog() { write = Write; }
  static void Write(ibcc_log* log, ibcc_log_level level, const char* line) {
    auto* self = static_cast<HeardLog*>(log);
    self->lines.emplace_back(line);
    if (level == IBCC_LOG_ERROR) self->errors.emplace_back(line);
  }

  std::vector<std::string> lines;
  std::vector<std::string> errors;
};

// While this exists, no file can be written beyond `bytes` bytes: a full disk, as far as a writer sees it.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes = 0) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit full{.rlim_cur = bytes, .rlim_max = limit_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit limit_{};
  void (*handler_)(int) = nullptr;
};

// Runs `work` in a process of its own, which is killed when `after` has passed since it began, wherever it is then.
template <typename Work>
void KillDuring(std::chrono::microseconds after, Work work) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(ready[0]);
    work([&ready] {
      if (write(ready[1], "r", 1) != 1) _exit(1);
    });
    _exit(0);
  }
  close(ready[1]);
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);  // it has begun
  close(ready[0]);
  usleep(static_cast<useconds_t>(after.count()));
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the work ended before it was killed";
}

}  // namespace plugin_test
