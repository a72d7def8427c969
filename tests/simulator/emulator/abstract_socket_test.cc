// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/abstract_socket.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "test_client.hpp"

namespace ccsim::emulator {
namespace abstract_socket_test {

using testing::UniqueName;

// A name's last byte is zero and counts, in ibsim and its clients: without it they would not meet.
TEST(AbstractSocket, NamesAreThoseOfIbsim) {
  const AbstractAddress address = MakeAbstractAddress("sim:ctl");
  EXPECT_EQ(address.length, sizeof(sa_family_t) + 1 + 7 + 1);
  EXPECT_EQ(std::string(address.address.sun_path, 9), std::string("\0sim:ctl\0", 9));
}

TEST(AbstractSocket, ANameIsTakenOnceAndFreeWithItsOwner) {
  const std::string name = UniqueName();
  {
    const FileDescriptor first = BindDatagramSocket(name);
    try {
      BindDatagramSocket(name);
      FAIL() << "bound twice";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code().value(), EADDRINUSE);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
  EXPECT_TRUE(BindDatagramSocket(name));
}

TEST(AbstractSocket, TellsWhetherThePeerIsStillThere) {
  const std::string name = UniqueName();
  const FileDescriptor socket = BindDatagramSocket(name + ":a");
  const AbstractAddress peer = MakeAbstractAddress(name + ":b");
  EXPECT_EQ(ConnectTo(socket, peer), ECONNREFUSED);
  {
    const FileDescriptor other = BindDatagramSocket(name + ":b");
    EXPECT_EQ(ConnectTo(socket, peer), 0);
    // Asking again loses nothing that has come.
    ASSERT_EQ(ConnectTo(other, MakeAbstractAddress(name + ":a")), 0);
    ASSERT_EQ(send(other.get(), "x", 1, 0), 1);
    EXPECT_EQ(ConnectTo(socket, peer), 0);
    char byte = 0;
    EXPECT_EQ(recv(socket.get(), &byte, 1, MSG_DONTWAIT), 1);
  }
  EXPECT_EQ(ConnectTo(socket, peer), ECONNREFUSED);
}

}  // namespace abstract_socket_test
}  // namespace ccsim::emulator
