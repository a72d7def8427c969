// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The linker's --wrap brings the calls here: CMakeLists.txt.
#include "disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "opensm_plugin/temporary_folder.hpp"

using ibcc_test::simulation::Disk;
using ibcc_test::simulation::TheDisk;

extern "C" {
int __real_openat(int folder, const char* path, int flags, ...);
ssize_t __real_write(int fd, const void* bytes, size_t length);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_renameat(int from, const char* old_path, int to, const char* new_path);
int __real_unlinkat(int folder, const char* path, int flags);
int __real_inotify_init1(int flags);

int __wrap_openat(int folder, const char* path, int flags, ...) {
  Disk& disk = TheDisk();
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  const bool writes = disk.is_watched && (flags & O_CREAT) != 0;
  if (writes && !disk.Acts()) return __real_openat(AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC, 0);
  if (writes && disk.is_full && (flags & O_EXCL) != 0) {
    errno = ENOSPC;
    return -1;
  }
  const int fd = __real_openat(folder, path, flags, mode);
  if (writes && fd >= 0 && (flags & O_EXCL) != 0) disk.unsynced[fd] = path;
  if (writes && fd >= 0 && (flags & O_APPEND) != 0) disk.appended.insert(fd);
  return fd;
}

ssize_t __wrap_write(int fd, const void* bytes, size_t length) {
  Disk& disk = TheDisk();
  const auto file = disk.unsynced.find(fd);
  if (!disk.is_watched) return __real_write(fd, bytes, length);
  if (disk.has_stopped) return static_cast<ssize_t>(length);
  if (!disk.Acts()) {  // half of it is what a crash leaves
    (void)__real_write(fd, bytes, length / 2);
    return static_cast<ssize_t>(length);
  }
  if (disk.is_full) {
    if (length > 1) return __real_write(fd, bytes, length / 2);
    errno = ENOSPC;
    return -1;
  }
  if (file != disk.unsynced.end()) disk.name_is_unsynced[file->second] = true;
  return __real_write(fd, bytes, length);
}

int __wrap_fsync(int fd) {
  Disk& disk = TheDisk();
  if (!disk.is_watched) return __real_fsync(fd);
  if (!disk.Acts()) return 0;
  const auto file = disk.unsynced.find(fd);
  if (disk.is_broken && (file != disk.unsynced.end() || disk.appended.count(fd) != 0)) {
    errno = EIO;
    return -1;
  }
  if (disk.appended.count(fd) != 0) return 0;
  if (file == disk.unsynced.end()) {
    disk.folder_is_due = false;
    return 0;
  }
  disk.name_is_unsynced[file->second] = false;
  return 0;  // the machine that runs the test need not wait for its own disk
}

int __wrap_close(int fd) {
  TheDisk().unsynced.erase(fd);
  TheDisk().appended.erase(fd);
  return __real_close(fd);
}

int __wrap_renameat(int from, const char* old_path, int to, const char* new_path) {
  Disk& disk = TheDisk();
  if (!disk.is_watched) return __real_renameat(from, old_path, to, new_path);
  if (!disk.Acts()) return 0;
  const auto name = disk.name_is_unsynced.find(old_path);
  if (name != disk.name_is_unsynced.end() && name->second)
    disk.fault = std::string(old_path) + " takes the place of " + new_path + " before its bytes are on the disk";
  disk.folder_is_due = true;
  return __real_renameat(from, old_path, to, new_path);
}

// The kernel takes tens of milliseconds to close one of these, and a simulated process lives no longer. So there is one, which is handed out
// again and again: what happened before its owner's time is read away.
int __wrap_inotify_init1(int flags) {
  static const int shared = __real_inotify_init1(flags);
  char events[4096];
  while (read(shared, events, sizeof(events)) > 0) {
  }
  return fcntl(shared, F_DUPFD_CLOEXEC, 0);
}

int __wrap_unlinkat(int folder, const char* path, int flags) {
  Disk& disk = TheDisk();
  if (disk.is_watched && !disk.Acts()) return 0;
  return __real_unlinkat(folder, path, flags);
}
}

namespace ibcc_test::simulation {

namespace {
Disk* now = nullptr;
}

Disk& TheDisk() {
  static Disk of_no_machine;
  return now == nullptr ? of_no_machine : *now;
}

Disk* ExchangeDisk(Disk* next) { return std::exchange(now, next); }

std::string MakeDiskFolder() {
  const char* const memory = "/dev/shm";
  return access(memory, W_OK | X_OK) == 0 ? MakeTemporaryFolder(memory) : MakeTemporaryFolder();
}

void Disk::Restart() {
  has_stopped = folder_is_due = false;
  until_stop = -1;
  name_is_unsynced.clear();
}

bool Disk::Acts() {
  ++calls;
  if (until_stop > 0 && --until_stop == 0) has_stopped = true;
  return !has_stopped;
}

}  // namespace ibcc_test::simulation
