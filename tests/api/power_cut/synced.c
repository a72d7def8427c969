/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A disk that forgets what was not synced: loaded before a program's libraries, it copies a file under $SYNCED_ROOT to $SYNCED_DISK at
 * each fsync and fdatasync of it, and at those of a folder the list of its entries. `disk.py` puts the files together that a power
 * cut would leave. A file is named by its inode and the time of its birth there, as names are entries of folders. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int name_of(int folder, const char* path, char* name, size_t size) {
  struct statx found;

  if (statx(folder, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME | STATX_TYPE, &found) != 0) return -1;
  snprintf(name, size, "%c%llu-%lld-%u", S_ISDIR(found.stx_mode) ? 'd' : 'f', (unsigned long long)found.stx_ino,
           (long long)found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
  return S_ISDIR(found.stx_mode);
}

static void copy(int descriptor, FILE* to) {
  char block[65536];
  ssize_t got;
  off_t at = 0;

  while ((got = pread(descriptor, block, sizeof block, at)) > 0) {
    fwrite(block, 1, (size_t)got, to);
    at += got;
  }
}

static void list(const char* path, FILE* to) {
  struct dirent* entry;
  DIR* folder = opendir(path);

  while (folder && (entry = readdir(folder))) {
    char name[128];

    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
        name_of(dirfd(folder), entry->d_name, name, sizeof name) >= 0)
      fprintf(to, "%s %s\n", name, entry->d_name);
  }
  if (folder) closedir(folder);
}

static void keep(int descriptor) {
  const char *root = getenv("SYNCED_ROOT"), *disk = getenv("SYNCED_DISK");
  char link[64], path[PATH_MAX], name[128], unfinished[PATH_MAX], kept[PATH_MAX];
  ssize_t length;
  int is_folder, readable;
  FILE* to;

  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  length = readlink(link, path, sizeof path - 1);
  if (!root || !disk || length < 0) return;
  path[length] = '\0';
  is_folder = name_of(descriptor, "", name, sizeof name);
  if (is_folder < 0 || strncmp(path, root, strlen(root)) != 0) return;
  snprintf(unfinished, sizeof unfinished, "%s/.%s.%d", disk, name, gettid());
  snprintf(kept, sizeof kept, "%s/%s", disk, name);
  to = fopen(unfinished, "w");
  if (!to) abort();
  if (is_folder) {
    list(path, to);
  } else if ((readable = open(link, O_RDONLY | O_CLOEXEC)) >= 0) {
    copy(readable, to);
    close(readable);
  }
  fclose(to);
  rename(unfinished, kept);
}

int fsync(int descriptor) {
  keep(descriptor);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

int fdatasync(int descriptor) {
  keep(descriptor);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(descriptor);
}
