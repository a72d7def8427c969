// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// support.hpp: JSON in the words of the tests.
#pragma once

#include <gtest/gtest.h>
#include <jansson.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"

namespace ibcc_test {

struct JsonDeleter {
  void operator()(json_t* json) const { json_decref(json); }
};
using Json = std::unique_ptr<json_t, JsonDeleter>;

// JSON from text in which ' stands for ".
inline std::string Quoted(std::string text) {
  for (char& c : text) {
    if (c == '\'') c = '"';
  }
  return text;
}
inline Json Parse(const std::string& text) {
  json_error_t error;
  Json json(json_loadb(text.data(), text.size(), JSON_DECODE_ANY, &error));
  EXPECT_NE(json, nullptr) << error.text << " in " << text.substr(0, 200);
  return json;
}
// Canonical: keys in order, ' for ", so that expectations can be read.
inline std::string Show(const json_t* json) {
  char* text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
  std::string shown = text != nullptr ? text : "(none)";
  std::free(text);
  for (char& c : shown) {
    if (c == '"') c = '\'';
  }
  return shown;
}
inline std::string Show(const std::string& line) { return Show(Parse(line).get()); }

// A sentence without the id before it, which must be there.
inline std::string WithoutId(const std::string& sentence) {
  EXPECT_TRUE(ibcc_has_message_id(sentence.c_str())) << sentence;
  return sentence.substr(std::min<std::size_t>(sentence.size(), 10));
}

// {code, message} of an error's line, as "code: message", without the id.
inline std::string Error(const std::string& line) {
  const Json json = Parse(line);
  const json_t* error = json_object_get(json.get(), "error");
  if (error == nullptr) return "0: no error in " + line.substr(0, 200);
  return std::to_string(json_integer_value(json_object_get(error, "code"))) + ": " +
         WithoutId(json_string_value(json_object_get(error, "message")));
}

inline std::vector<std::string> Lines(const std::string& bytes) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', begin)) {
    lines.push_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  EXPECT_EQ(begin, bytes.size()) << "a line without an end: " << bytes.substr(begin, 200);
  return lines;
}

}  // namespace ibcc_test
