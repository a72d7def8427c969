// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "changes/journal.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "journal_listener.hpp"
#include "state_support.hpp"

namespace {

using plugin_test::JournalListener;
using plugin_test::TempFolder;

class Journal : public testing::Test {
 protected:
  Journal() : fd_(ibcc_journal_open()), entry_(std::make_unique<ibcc_journal_entry>()) { EXPECT_GE(fd_, 0); }
  ~Journal() override { close(fd_); }
  int Send(const std::string& path) const { return ibcc_journal_send(fd_, path.c_str(), entry_.get()); }

  int fd_;
  std::unique_ptr<ibcc_journal_entry> entry_;
  TempFolder temp_;
};

TEST_F(Journal, AnEntryIsADatagramOfFields) {
  JournalListener listener(temp_ / "socket");
  ibcc_journal_add(entry_.get(), "MESSAGE", "one line = one value");
  ibcc_journal_add(entry_.get(), "IBCC_UID", "0");
  EXPECT_EQ(Send(listener.Path()), 0);
  EXPECT_EQ(listener.Heard(), "MESSAGE=one line = one value\nIBCC_UID=0\n");
}

// JOURNAL_NATIVE_PROTOCOL: the name alone, the length in 64 bits, little-endian, and the bytes.
TEST_F(Journal, AValueWithALineBreakIsWrittenWithItsLength) {
  JournalListener listener(temp_ / "socket");
  ibcc_journal_add(entry_.get(), "MESSAGE", "two\nlines");
  EXPECT_EQ(Send(listener.Path()), 0);
  EXPECT_EQ(listener.Heard(), std::string("MESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\n", 26));
}

TEST_F(Journal, NobodyListens) {
  ibcc_journal_add(entry_.get(), "MESSAGE", "x");
  EXPECT_EQ(Send(temp_ / "socket"), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(Send("/" + std::string(200, 'p')), -1);
  EXPECT_EQ(errno, ENAMETOOLONG);
}

TEST_F(Journal, AJournalThatIsBusyKeepsNobodyWaiting) {
  JournalListener listener(temp_ / "socket");
  ibcc_journal_add(entry_.get(), "MESSAGE", std::string(1000, 'x').c_str());
  int sent = 0;
  while (sent < 100000 && Send(listener.Path()) == 0) ++sent;
  EXPECT_LT(sent, 100000);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Journal, AnEntryWithoutRoomIsNotSentInPart) {
  JournalListener listener(temp_ / "socket");
  ibcc_journal_add(entry_.get(), "MESSAGE", std::string(IBCC_JOURNAL_BYTES, 'x').c_str());
  ibcc_journal_add(entry_.get(), "PRIORITY", "5");
  EXPECT_EQ(Send(listener.Path()), -1);
  EXPECT_EQ(errno, EMSGSIZE);
}

}  // namespace
