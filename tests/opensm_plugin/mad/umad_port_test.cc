// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// umad_port_test.cc: the port on a kernel's descriptor, which can be polled, ends at once and may break. No machine that tests run on
// has such a kernel, so libibumad's functions are here, over a pair of sockets; test_umad_port.py has the real library, emulated.
#include "mad/umad_port.h"

#include <endian.h>
#include <gtest/gtest.h>
#include <infiniband/umad.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mad/cc_mad.h"
#include "refused_memory.hpp"

namespace {

struct Kernel {
  std::string opened;  // "CA:port"
  int ends[2] = {-1, -1};
  int open_error = 0, register_error = 0, vendor_error = 0, send_error = 0;
  std::atomic<int> receive_error = 0, receives = 0;
  std::vector<int> registered;  // class, class version, RMPP version, methods
  int unregistered = 0, closed = 0;

  struct Sent {
    int agent, length, timeout_ms, retries;
    std::array<std::uint8_t, sizeof(ib_user_mad) + IBCC_MAD_BYTES> umad;
    const ib_user_mad* header() const { return reinterpret_cast<const ib_user_mad*>(umad.data()); }
  };
  std::deque<Sent> sent;

  // Hands the plugin a MAD, `bytes` of it.
  void Deliver(const std::uint8_t* mad, std::size_t bytes, std::uint16_t lid, std::uint32_t status) const {
    std::vector<std::uint8_t> buffer(sizeof(ib_user_mad) + bytes);
    ib_user_mad header{};
    header.status = status;
    header.addr.lid = htobe16(lid);
    std::memcpy(buffer.data(), &header, sizeof(header));
    std::memcpy(buffer.data() + sizeof(header), mad, bytes);
    ASSERT_EQ(::send(ends[1], buffer.data(), buffer.size(), 0), static_cast<ssize_t>(buffer.size()));
  }
};
Kernel* kernel = nullptr;

constexpr std::uint64_t kGuid = 0x0002C90300ABCDEF;
constexpr int kAgent = 5, kVendorAgent = 6;

// Two adapters; the port that is asked for is the second one of the second.
std::vector<std::uint16_t> pkeys = {0x8001, 0x7FFF, 0xFFFF, 0x8002};
umad_port_t kernel_ports[3];

}  // namespace

extern "C" {
int umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int) {
  std::strcpy(names[0], "mlx5_0");
  std::strcpy(names[1], "gone");
  std::strcpy(names[2], "mlx5_1");
  return 3;
}
int umad_get_ca(const char* name, umad_ca_t* ca) {
  if (std::string(name) == "gone") return -ENODEV;
  *ca = {};
  const bool second = std::string(name) == "mlx5_1";
  for (int i = 0; i < 3; ++i) {
    kernel_ports[i] = {};
    std::strcpy(kernel_ports[i].ca_name, name);
    kernel_ports[i].portnum = i;
    kernel_ports[i].port_guid = htobe64(second && i == 2 ? kGuid : 0x1000u + i);
    kernel_ports[i].pkeys = pkeys.data();
    kernel_ports[i].pkeys_size = static_cast<unsigned>(pkeys.size());
  }
  ca->numports = 2;
  ca->ports[1] = &kernel_ports[1];  // an adapter has no port 0
  ca->ports[2] = &kernel_ports[2];
  return 0;
}
int umad_release_ca(umad_ca_t*) { return 0; }
int umad_open_port(const char* name, int number) {
  kernel->opened = std::string(name) + ":" + std::to_string(number);
  return kernel->open_error ? -kernel->open_error : kernel->ends[0];
}
int umad_close_port(int fd) {
  EXPECT_EQ(fd, kernel->ends[0]);
  ++kernel->closed;
  return 0;
}
int umad_register(int, int mgmt_class, int version, uint8_t rmpp_version, long* methods) {
  const bool is_vendors = mgmt_class == 0x0A;
  const int error = is_vendors ? kernel->vendor_error : kernel->register_error;
  for (const int one : {mgmt_class, version, int{rmpp_version}, int{methods != nullptr}}) kernel->registered.push_back(one);
  return error ? -error : is_vendors ? kVendorAgent : kAgent;
}
int umad_unregister(int, int agent) {
  EXPECT_TRUE(agent == kAgent || agent == kVendorAgent);
  ++kernel->unregistered;
  return 0;
}
size_t umad_size(void) { return sizeof(ib_user_mad); }
void* umad_get_mad(void* umad) { return static_cast<std::uint8_t*>(umad) + sizeof(ib_user_mad); }
ib_mad_addr_t* umad_get_mad_addr(void* umad) { return &static_cast<ib_user_mad*>(umad)->addr; }
int umad_status(void* umad) { return static_cast<int>(static_cast<ib_user_mad*>(umad)->status); }
int umad_set_pkey(void* umad, int index) {
  static_cast<ib_user_mad*>(umad)->addr.pkey_index = static_cast<uint16_t>(index);
  return 0;
}
int umad_set_addr(void* umad, int lid, int qp, int sl, int qkey) {
  ib_mad_addr_t& addr = static_cast<ib_user_mad*>(umad)->addr;
  addr.lid = htobe16(static_cast<uint16_t>(lid));
  addr.qpn = htobe32(static_cast<uint32_t>(qp));
  addr.sl = static_cast<uint8_t>(sl);
  addr.qkey = htobe32(static_cast<uint32_t>(qkey));
  return 0;
}
int umad_get_port(const char* name, int number, umad_port_t* port) {
  if (std::string(name) != "mlx5_1" || number != 2 || kernel->open_error) return -EIO;
  *port = umad_port_t{};
  port->pkeys = pkeys.data();
  port->pkeys_size = static_cast<unsigned>(pkeys.size());
  return 0;
}
int umad_release_port(umad_port_t*) { return 0; }
int umad_send(int fd, int agent, void* umad, int length, int timeout_ms, int retries) {
  EXPECT_EQ(fd, kernel->ends[0]);
  if (kernel->send_error) {
    errno = kernel->send_error;
    return -EIO;
  }
  Kernel::Sent sent{agent, length, timeout_ms, retries, {}};
  std::memcpy(sent.umad.data(), umad, sent.umad.size());
  kernel->sent.push_back(sent);
  return 0;
}
int umad_recv(int fd, void* umad, int* length, int timeout_ms) {
  EXPECT_EQ(timeout_ms, 0) << "would not wake for the end";
  ++kernel->receives;
  if (kernel->receive_error) return -kernel->receive_error;
  const ssize_t got = ::recv(fd, umad, sizeof(ib_user_mad) + *length, MSG_DONTWAIT);
  if (got < 0) return -errno;
  *length = static_cast<int>(got - static_cast<ssize_t>(sizeof(ib_user_mad)));
  return kAgent;
}
}  // extern "C"

namespace {

class UmadPort : public ::testing::Test {
 protected:
  struct Log : ibcc_log {
    UmadPort* test;
  };
  void SetUp() override {
    kernel = &kernel_;
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, kernel_.ends), 0);
    log_.test = this;
    log_.write = [](struct ibcc_log* log, ibcc_log_level level, const char* line) {
      UmadPort& test = *static_cast<Log*>(log)->test;
      const std::lock_guard lock(test.mutex_);
      // Errors have an id, and these tests compare what follows it.
      if (level == IBCC_LOG_ERROR) EXPECT_TRUE(ibcc_has_message_id(line)) << line;
      test.lines_.push_back(std::to_string(level) + " " + (ibcc_has_message_id(line) ? line + 10 : line));
      test.changed_.notify_all();
    };
  }
  void TearDown() override {
    Close();
    for (const int end : kernel_.ends) {
      if (end >= 0) close(end);
    }
  }
  bool Open(std::uint64_t guid = kGuid) {
    port_ = ibcc_umad_port_open(
        guid,
        [](void* owner, const ibcc_answer* answer) {
          UmadPort& test = *static_cast<UmadPort*>(owner);
          const std::lock_guard lock(test.mutex_);
          test.answers_.push_back(*answer);
          test.changed_.notify_all();
        },
        this, &log_);
    return port_ != nullptr;
  }
  void Close() {
    if (port_) port_->close(port_);
    port_ = nullptr;
  }
  template <typename Condition>
  bool Await(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }
  int Send(std::uint32_t tid, std::uint16_t lid = 7) {
    ibcc_cc_mad_request(mad_, &ibcc_cc_class, IBCC_GET, tid, 0x11, 0, 0);
    return port_->send(port_, lid, 3, mad_, 250);
  }

  Kernel kernel_;
  Log log_{};
  ibcc_mad_port* port_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ibcc_answer> answers_;
  std::vector<std::string> lines_;
  std::uint8_t mad_[IBCC_MAD_BYTES];
};

TEST_F(UmadPort, OpensThePortWithTheGuidForItsClasses) {
  ASSERT_TRUE(Open());
  EXPECT_EQ(kernel_.opened, "mlx5_1:2");
  EXPECT_EQ(kernel_.registered, (std::vector<int>{0x21, 2, 0, 0, 0x0A, 1, 0, 0}));
  Close();
  EXPECT_EQ(kernel_.unregistered, 2);
  EXPECT_EQ(kernel_.closed, 1);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(UmadPort, EachClassHasAnAgent) {
  ASSERT_TRUE(Open());
  EXPECT_EQ(Send(1), 0);
  EXPECT_EQ(kernel_.sent.back().agent, kAgent);
  ibcc_cc_mad_request(mad_, &ibcc_vendor_class, IBCC_GET, 2, 0x17, 0, 0);
  EXPECT_EQ(port_->send(port_, 7, 3, mad_, 250), 0);
  EXPECT_EQ(kernel_.sent.back().agent, kVendorAgent);
}

TEST_F(UmadPort, WithoutTheVendorsClassAllElseWorks) {
  kernel_.vendor_error = EPERM;
  ASSERT_TRUE(Open());
  EXPECT_EQ(Send(1), 0);
  ibcc_cc_mad_request(mad_, &ibcc_vendor_class, IBCC_GET, 2, 0x17, 0, 0);
  EXPECT_EQ(port_->send(port_, 7, 3, mad_, 250), -ENOTSUP);
  EXPECT_EQ(kernel_.sent.size(), 1u);
  Close();
  EXPECT_EQ(kernel_.unregistered, 1);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("cannot register with umad for class 0x0a, so no firmware is read"), std::string::npos) << lines_[0];
}

TEST_F(UmadPort, SendsAsIsAskedAndLeavesRetriesToOthers) {
  ASSERT_TRUE(Open());
  ASSERT_EQ(Send(0x1234, 0xC001), 0);
  const Kernel::Sent& sent = kernel_.sent.at(0);
  EXPECT_EQ(sent.agent, kAgent);
  EXPECT_EQ(sent.length, 256);
  EXPECT_EQ(sent.timeout_ms, 250);
  EXPECT_EQ(sent.retries, 0);
  EXPECT_EQ(be16toh(sent.header()->addr.lid), 0xC001);
  EXPECT_EQ(be32toh(sent.header()->addr.qpn), 1u);
  EXPECT_EQ(be32toh(sent.header()->addr.qkey), 0x80010000u);
  EXPECT_EQ(sent.header()->addr.sl, 3);
  EXPECT_EQ(sent.header()->addr.grh_present, 0);
  EXPECT_EQ(std::memcmp(sent.header()->data, mad_, sizeof(mad_)), 0);
  ASSERT_EQ(port_->send(port_, 7, 3, mad_, UINT32_MAX), 0);
  EXPECT_GT(kernel_.sent.at(1).timeout_ms, 0);
}

TEST_F(UmadPort, GoesWithTheDefaultPKeyFullMembershipFirst) {
  const std::vector<std::uint16_t> before = pkeys;
  const struct {
    std::vector<std::uint16_t> table;
    int index;
    std::size_t lines;
  } cases[] = {
      {{0xFFFF, 0x8001}, 0, 0}, {before, 2, 0}, {{0x8001, 0x7FFF}, 1, 0}, {{0x8001, 0x8002}, 0, 1}, {{}, 0, 1},
  };
  for (const auto& one : cases) {
    pkeys = one.table;
    lines_.clear();
    kernel_.sent.clear();
    ASSERT_TRUE(Open());
    ASSERT_EQ(Send(1), 0);
    EXPECT_EQ(kernel_.sent.at(0).header()->addr.pkey_index, one.index);
    EXPECT_EQ(lines_.size(), one.lines);
    Close();
  }
  EXPECT_EQ(lines_.at(0), "1 mlx5_1 port 2 is not in the default partition: MADs use its first P_Key");
  pkeys = before;
}

TEST_F(UmadPort, WhatCannotBeSentSaysWhy) {
  ASSERT_TRUE(Open());
  kernel_.send_error = ENOMEM;
  EXPECT_EQ(Send(1), -ENOMEM);
  kernel_.send_error = 0;
  EXPECT_EQ(Send(2), 0);
}

TEST_F(UmadPort, FollowsTheDefaultPKeyWhereTheTableIsRewritten) {
  const std::vector<std::uint16_t> before = pkeys;
  ASSERT_TRUE(Open());
  pkeys = {0x8001, 0xFFFF};
  port_->refresh(port_);
  ASSERT_EQ(Send(1), 0);
  EXPECT_EQ(kernel_.sent.at(0).header()->addr.pkey_index, 1);
  kernel_.open_error = EIO;
  pkeys = before;
  port_->refresh(port_);
  ASSERT_EQ(Send(2), 0);
  EXPECT_EQ(kernel_.sent.at(1).header()->addr.pkey_index, 1) << "what was last known stays";
  kernel_.open_error = 0;
}

// As when an adapter is reset, or its driver is loaded anew.
TEST_F(UmadPort, HasEndedAfterEioAndCanBeOpenedAgain) {
  for (const int error : {EIO, ENODEV}) {
    ASSERT_TRUE(Open());
    kernel_.send_error = ENOMEM;
    EXPECT_EQ(Send(1), -ENOMEM);
    EXPECT_FALSE(port_->has_ended(port_));
    kernel_.send_error = error;
    EXPECT_EQ(Send(2), -error);
    EXPECT_TRUE(port_->has_ended(port_));
    kernel_.send_error = 0;
    Close();
  }
  ASSERT_TRUE(Open());
  EXPECT_FALSE(port_->has_ended(port_));
  EXPECT_EQ(Send(3), 0);
  EXPECT_EQ(kernel_.closed, 2);
}

TEST_F(UmadPort, HandsOnAnswersAndTimeOuts) {
  ASSERT_TRUE(Open());
  ASSERT_EQ(Send(77), 0);
  mad_[3] = IBCC_GET_RESP;
  mad_[255] = 0xAB;
  kernel_.Deliver(mad_, sizeof(mad_), 7, 0);
  mad_[3] = IBCC_GET;
  kernel_.Deliver(mad_, 24, 9, ETIMEDOUT);  // the kernel gives back no more than the header
  kernel_.Deliver(mad_, 24, 9, EIO);
  kernel_.Deliver(mad_, 24, 9, EIO);
  ASSERT_TRUE(Await([&] { return answers_.size() == 4; }));
  EXPECT_FALSE(answers_[0].timed_out);
  EXPECT_EQ(answers_[0].lid, 7);
  EXPECT_EQ(ibcc_cc_mad_tid(answers_[0].mad), 77u);
  EXPECT_EQ(answers_[0].mad[255], 0xAB);
  for (int i = 1; i < 4; ++i) {
    EXPECT_TRUE(answers_[i].timed_out);
    EXPECT_EQ(ibcc_cc_mad_tid(answers_[i].mad), 77u);
    EXPECT_EQ(answers_[i].mad[255], 0);
  }
  ASSERT_EQ(lines_.size(), 1u);  // of two errors; a time-out is none
  EXPECT_EQ(lines_[0], "0 umad: a request could not be sent: Input/output error (error 5; 0 more since the last line)");
}

TEST_F(UmadPort, ClosesAtOnceWhateverIsOutstanding) {
  ASSERT_TRUE(Open());
  for (std::uint32_t tid = 0; tid < 100; ++tid) ASSERT_EQ(Send(tid), 0);
  const auto began = std::chrono::steady_clock::now();
  Close();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(900));
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(kernel_.closed, 1);
}

// As when an adapter is pulled: poll says that there is something, and there never is.
TEST_F(UmadPort, ABrokenDescriptorIsToldOnceAndDoesNotKeepTheThreadBusy) {
  ASSERT_TRUE(Open());
  kernel_.receive_error = ENODEV;
  close(kernel_.ends[1]);
  kernel_.ends[1] = -1;
  ASSERT_TRUE(Await([&] { return !lines_.empty(); }));
  EXPECT_EQ(lines_[0], "0 umad: cannot receive: No such device (error 19; 0 more since the last line)");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // time in which a busy thread would show
  EXPECT_LE(kernel_.receives, 3);
  EXPECT_TRUE(port_->has_ended(port_));
  const auto began = std::chrono::steady_clock::now();
  Close();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(900));
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(UmadPort, APortThatIsNotThere) {
  EXPECT_FALSE(Open(0x1234));
  EXPECT_EQ(lines_, std::vector<std::string>{"0 no port of this host has GUID 0x0000000000001234"});
  EXPECT_EQ(kernel_.closed, 0);
}

TEST_F(UmadPort, APortThatCannotBeOpened) {
  kernel_.open_error = EACCES;
  EXPECT_FALSE(Open());
  EXPECT_EQ(lines_, std::vector<std::string>{"0 cannot open umad of mlx5_1 port 2: Permission denied (error 13)"});
}

TEST_F(UmadPort, AClassThatCannotBeRegistered) {
  kernel_.register_error = EPERM;
  EXPECT_FALSE(Open());
  EXPECT_EQ(kernel_.closed, 1);
  EXPECT_EQ(lines_, std::vector<std::string>{"0 cannot register with umad for class 0x21: Operation not permitted (error 1)"});
}

TEST_F(UmadPort, RefusedMemory) {
  const RefusedMemory refusal(1);
  EXPECT_FALSE(Open());
  EXPECT_TRUE(refusal.Happened());
  EXPECT_EQ(lines_, std::vector<std::string>{"0 cannot open umad: out of memory"});
}

}  // namespace
