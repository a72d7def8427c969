// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

std::string Hash(const std::string& text, std::size_t part) {
  ibcc_sha256 hash;
  std::uint8_t digest[IBCC_SHA256_BYTES];
  char shown[IBCC_SHA256_TEXT_BYTES];
  ibcc_sha256_begin(&hash);
  for (std::size_t at = 0; at < text.size(); at += part)
    ibcc_sha256_add(&hash, text.data() + at, std::min(part, text.size() - at));
  ibcc_sha256_end(&hash, digest);
  return ibcc_sha256_text(shown, digest);
}

// FIPS 180-4's examples, and lengths around the end of a block.
TEST(Sha256, IsThatOfTheStandardHoweverTheBytesCome) {
  const struct {
    std::string text;
    const char* digest;
  } known[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& one : known) {
    for (const std::size_t part : {std::size_t{1}, std::size_t{55}, std::size_t{64}, std::size_t{1'000'000}})
      EXPECT_EQ(Hash(one.text, part), one.digest) << one.text.size() << " bytes, " << part << " at once";
  }
}

// RFC 4231, test cases 1 and 2.
TEST(Sha256, HmacIsThatOfTheStandard) {
  std::uint8_t digest[IBCC_SHA256_BYTES];
  char shown[IBCC_SHA256_TEXT_BYTES];
  const std::string key(20, '\x0b'), text = "Hi There", question = "what do ya want for nothing?";
  ibcc_hmac_sha256(key.data(), key.size(), text.data(), text.size(), digest);
  EXPECT_STREQ(ibcc_sha256_text(shown, digest), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  ibcc_hmac_sha256("Jefe", 4, question.data(), question.size(), digest);
  EXPECT_STREQ(ibcc_sha256_text(shown, digest), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
