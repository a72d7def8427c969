// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "state/state_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "refused_memory.hpp"
#include "state_support.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::FullDisk;
using plugin_test::KillDuring;
using plugin_test::Mode;
using plugin_test::Names;
using plugin_test::TempFolder;
using plugin_test::Write;

struct FolderCloser {
  void operator()(ibcc_state_folder* folder) const { ibcc_state_folder_close(folder); }
};
using Folder = std::unique_ptr<ibcc_state_folder, FolderCloser>;

Folder Open(const std::string& path) {
  ccp_error error{};
  Folder folder(ibcc_state_folder_open(path.c_str(), &error));
  EXPECT_NE(folder, nullptr) << error.message;
  return folder;
}

std::string OpenRefusal(const std::string& path) {
  ccp_error error{};
  const Folder folder(ibcc_state_folder_open(path.c_str(), &error));
  return folder ? "(opened)" : error.message;
}

// The file's content; "(none)" if there is no file; the sentence if it cannot be read.
std::string ReadBack(const Folder& folder, std::size_t max_bytes = 1 << 20) {
  ccp_error error{};
  char* text = nullptr;
  std::size_t length = 0;
  const int got = ibcc_state_file_read(folder.get(), "state.json", max_bytes, &text, &length, &error);
  if (got <= 0) return got ? error.message : "(none)";
  EXPECT_EQ(text[length], '\0');
  std::string content(text, length);
  std::free(text);
  return content;
}

std::string WriteOver(const Folder& folder, const std::string& text) {
  ccp_error error{};
  const int result = ibcc_state_file_write(folder.get(), "state.json", text.data(), text.size(), &error);
  return result ? error.message : "";
}

TEST(StateFile, IsReplacedAsAWhole) {
  const TempFolder temp;
  const Folder folder = Open(temp / "a/b/c/");
  EXPECT_EQ(Mode(temp / "a/b/c"), 0700U);
  EXPECT_EQ(Mode(temp / "a/b") & 0700U, 0700U);
  EXPECT_EQ(ReadBack(folder), "(none)");
  EXPECT_EQ(WriteOver(folder, "one"), "");
  EXPECT_EQ(ReadBack(folder), "one");
  EXPECT_EQ(WriteOver(folder, std::string("t\0o", 3)), "");
  EXPECT_EQ(ReadBack(folder), std::string("t\0o", 3));
  EXPECT_EQ(WriteOver(folder, ""), "");
  EXPECT_EQ(ReadBack(folder), "");
  EXPECT_EQ(Mode(temp / "a/b/c/state.json"), 0600U);
  EXPECT_EQ(Names(temp / "a/b/c"), (std::vector<std::string>{"lock", "state.json"}));
  EXPECT_STREQ(ibcc_state_folder_path(folder.get()), (temp / "a/b/c/").c_str());
}

TEST(StateFile, ThatIsTooLargeOrNoFileIsNotRead) {
  const TempFolder temp;
  const Folder folder = Open(temp.Path());
  EXPECT_EQ(WriteOver(folder, "12345"), "");
  EXPECT_EQ(ReadBack(folder, 5), "12345");
  EXPECT_NE(ReadBack(folder, 4).find("must be a regular file of at most 4 bytes"), std::string::npos);
  plugin_test::fs::remove(temp / "state.json");
  plugin_test::fs::create_directory(temp / "state.json");
  EXPECT_NE(ReadBack(folder).find("must be a regular file"), std::string::npos);
  EXPECT_NE(WriteOver(folder, "x").find("cannot be replaced: Is a directory"), std::string::npos);
  plugin_test::fs::remove(temp / "state.json");
  Write(temp / "elsewhere", "secret");
  plugin_test::fs::create_symlink("elsewhere", temp / "state.json");
  EXPECT_NE(ReadBack(folder).find("cannot be opened"), std::string::npos);
  EXPECT_EQ(WriteOver(folder, "mine"), "");  // the link is replaced, not what it leads to
  EXPECT_EQ(ReadBack(folder), "mine");
  EXPECT_EQ(Contents(temp / "elsewhere"), "secret");
}

TEST(StateFile, FolderBelongsToOneProcess) {
  const TempFolder temp;
  Folder folder = Open(temp.Path());
  EXPECT_EQ(OpenRefusal(temp.Path()), "the state folder '" + temp.Path().string() + "' is in use by another OpenSM (process " +
                                          std::to_string(getpid()) + "); each needs its own --state-dir");
  folder.reset();
  EXPECT_EQ(OpenRefusal(temp.Path()), "(opened)");
  // Not after the end of a process that did not close it either.
  KillDuring(std::chrono::microseconds(0), [&temp](auto ready) {
    ccp_error error{};
    if (!ibcc_state_folder_open(temp.Path().c_str(), &error)) _exit(2);
    ready();
    pause();
  });
  EXPECT_EQ(OpenRefusal(temp.Path()), "(opened)");
}

TEST(StateFile, FolderThatCannotBeHadIsNamed) {
  const TempFolder temp;
  Write(temp / "file", "");
  EXPECT_EQ(OpenRefusal(temp / "file"), "the state folder '" + (temp / "file").string() + "' cannot be opened: Not a directory");
  EXPECT_NE(OpenRefusal(temp / "file/below").find("cannot be made: Not a directory"), std::string::npos);
  EXPECT_NE(OpenRefusal("/" + std::string(5000, 'x')).find("has 5001 bytes"), std::string::npos);
  plugin_test::fs::create_directory(temp / "open");
  ASSERT_EQ(chmod((temp / "open").c_str(), 01777), 0);
  EXPECT_NE(OpenRefusal(temp / "open").find("may be written by others (mode 1777)"), std::string::npos);
}

TEST(StateFile, StaysTheOldOneOnAFullDisk) {
  const TempFolder temp;
  const Folder folder = Open(temp.Path());
  EXPECT_EQ(WriteOver(folder, "old"), "");
  for (const rlim_t room : {0, 1, 4095}) {
    const FullDisk full(room);
    EXPECT_NE(WriteOver(folder, std::string(4096, 'n')).find("cannot be written: File too large"), std::string::npos);
  }
  EXPECT_EQ(ReadBack(folder), "old");
  EXPECT_EQ(Names(temp.Path()), (std::vector<std::string>{"lock", "state.json"}));
  EXPECT_EQ(WriteOver(folder, std::string(4096, 'n')), "");
}

TEST(StateFile, IsOldOrNewWhereverItsWriterIsKilled) {
  const TempFolder temp;
  const std::string texts[] = {std::string(300'000, 'a'), std::string(200'000, 'b')};
  std::mt19937 random(5);
  WriteOver(Open(temp.Path()), texts[0]);
  unsigned seen[2] = {0, 0};
  for (int i = 0; i < 60; ++i) {
    KillDuring(std::chrono::microseconds(random() % 8000), [&](auto ready) {
      ccp_error error{};
      ibcc_state_folder* folder = ibcc_state_folder_open(temp.Path().c_str(), &error);
      if (!folder) _exit(2);
      for (unsigned n = static_cast<unsigned>(i);; ++n) {
        const std::string& text = texts[n % 2];
        if (ibcc_state_file_write(folder, "state.json", text.data(), text.size(), &error)) _exit(3);
        if (n == static_cast<unsigned>(i)) ready();
      }
    });
    const std::string text = ReadBack(Open(temp.Path()));
    ASSERT_TRUE(text == texts[0] || text == texts[1]) << text.size();
    ++seen[text == texts[1]];
  }
  EXPECT_GT(seen[0], 0U);
  EXPECT_GT(seen[1], 0U);
}

TEST(StateFile, ThatIsBrokenIsSetAside) {
  const TempFolder temp;
  const Folder folder = Open(temp.Path());
  ccp_error error{};
  unsigned number = 0;
  EXPECT_EQ(ibcc_state_file_set_aside(folder.get(), "state.json", &number, &error), -1);
  EXPECT_NE(std::string(error.message).find("cannot be set aside: No such file"), std::string::npos);
  for (unsigned i = 1; i <= IBCC_MAX_SET_ASIDE + 2; ++i) {
    EXPECT_EQ(WriteOver(folder, std::to_string(i)), "");
    ASSERT_EQ(ibcc_state_file_set_aside(folder.get(), "state.json", &number, &error), 0);
    EXPECT_EQ(number, std::min(i, IBCC_MAX_SET_ASIDE));
    EXPECT_EQ(Contents(temp / ("state.json.broken-" + std::to_string(number))), std::to_string(i));
  }
  EXPECT_EQ(ReadBack(folder), "(none)");
  EXPECT_EQ(Names(temp.Path()).size(), 1 + IBCC_MAX_SET_ASIDE);
}

TEST(StateFile, SaysThatMemoryIsRefused) {
  const TempFolder temp;
  ccp_error error{};
  for (const unsigned nth : {1, 2}) {
    const RefusedMemory refusal(nth);
    EXPECT_EQ(ibcc_state_folder_open(temp.Path().c_str(), &error), nullptr);
    EXPECT_STREQ(error.message, "out of memory");
  }
  const Folder folder = Open(temp.Path());
  EXPECT_EQ(WriteOver(folder, "x"), "");
  char* text = nullptr;
  std::size_t length = 0;
  const RefusedMemory refusal(1);
  EXPECT_EQ(ibcc_state_file_read(folder.get(), "state.json", 100, &text, &length, &error), -1);
  EXPECT_STREQ(error.message, "out of memory");
}

std::string Append(const Folder& folder, const std::string& text, std::uint64_t* bytes = nullptr) {
  ccp_error error{};
  std::uint64_t length = 0;
  const int result = ibcc_state_file_append(folder.get(), "some.log", text.data(), text.size(), &length, &error);
  if (bytes != nullptr) *bytes = length;
  return result ? error.message : "";
}

TEST(StateFile, LinesAreAddedAtTheEnd) {
  const TempFolder temp;
  const Folder folder = Open(temp / "state");
  std::uint64_t bytes = 0;
  EXPECT_EQ(Append(folder, "one\n"), "");
  EXPECT_EQ(Append(folder, "two\n", &bytes), "");
  EXPECT_EQ(Contents(temp / "state/some.log"), "one\ntwo\n");
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(Mode(temp / "state/some.log"), 0600u);
  Write(temp / "state/some.log", "one\nhal");
  EXPECT_EQ(Append(folder, "three\n", &bytes), "");
  EXPECT_EQ(Contents(temp / "state/some.log"), "one\nhal\nthree\n");
  EXPECT_EQ(bytes, 14u);
}

TEST(StateFile, NothingIsAddedToAFileOfOthers) {
  const TempFolder temp;
  const Folder folder = Open(temp / "state");
  Write(temp / "elsewhere", "");
  std::filesystem::create_symlink(temp / "elsewhere", temp / "state/some.log");
  EXPECT_NE(Append(folder, "one\n").find("some.log in the state folder '"), std::string::npos);
  EXPECT_EQ(Contents(temp / "elsewhere"), "");
  std::filesystem::remove(temp / "state/some.log");
  std::filesystem::create_directory(temp / "state/some.log");
  EXPECT_NE(Append(folder, "one\n"), "");
  std::filesystem::remove(temp / "state/some.log");
  Write(temp / "state/some.log", "");
  std::filesystem::permissions(temp / "state/some.log", std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  EXPECT_NE(Append(folder, "one\n").find("may be written by others"), std::string::npos);
}

TEST(StateFile, FilesAreShifted) {
  const TempFolder temp;
  const Folder folder = Open(temp / "state");
  ccp_error error{};
  for (const char* text : {"one\n", "two\n", "three\n", "four\n"}) {
    EXPECT_EQ(ibcc_state_file_shift(folder.get(), "some.log", 3, &error), 0) << error.message;
    EXPECT_EQ(Append(folder, text), "");
  }
  EXPECT_EQ(Names(temp / "state"), (std::vector<std::string>{"lock", "some.log", "some.log.1", "some.log.2"}));
  EXPECT_EQ(Contents(temp / "state/some.log.2"), "two\n");
  EXPECT_EQ(Contents(temp / "state/some.log"), "four\n");
}

}  // namespace
