// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// libibmad.hpp: the fields of attributes as libibmad has them, which ibccconfig, perfquery and other tools encode with: an independent
// witness of layouts. Tests that want it skip where it is not installed (Debian: libibmad5).
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ibcc::testing {

class LibIbmad {
 public:
  LibIbmad() : library_(dlopen("libibmad.so.5", RTLD_NOW)) {
    if (!library_) return;
    Load(name_, "mad_field_name");
    Load(get_, "mad_get_field");
    Load(get64_, "mad_get_field64");
    Load(set_, "mad_set_field");
    Load(set64_, "mad_set_field64");
    Load(set_array_, "mad_set_array");
    Load(get_array_, "mad_get_array");
  }
  ~LibIbmad() {
    if (library_) dlclose(library_);
  }
  LibIbmad(const LibIbmad&) = delete;
  LibIbmad& operator=(const LibIbmad&) = delete;

  bool installed() const { return library_ != nullptr; }

  // Number of the field `name`, the first at or behind `from`: names are not unique, attributes lie one behind the other.
  int Field(const std::string& name, int from = 1) const {
    for (int i = from; i < 2000; ++i) {
      const char* found = name_(i);
      if (found && found == name) return i;
    }
    ADD_FAILURE() << "libibmad has no field " << name << " from " << from;
    return 0;
  }

  // `base_bytes`: of an element, whose fields count from it.
  std::uint32_t Get(const std::uint8_t* data, int field, int base_bytes = 0) const { return get_(data, base_bytes, field); }
  std::uint64_t Get64(const std::uint8_t* data, int field) const { return get64_(data, 0, field); }
  void Set(std::uint8_t* data, int field, std::uint32_t value, int base_bytes = 0) const { set_(data, base_bytes, field, value); }
  void Set64(std::uint8_t* data, int field, std::uint64_t value) const { set64_(data, 0, field, value); }
  void SetArray(std::uint8_t* data, int field, const void* bytes) const { set_array_(data, 0, field, bytes); }
  void GetArray(const std::uint8_t* data, int field, void* bytes) const { get_array_(data, 0, field, bytes); }

 private:
  template <typename Function>
  void Load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
  }

  void* library_;
  const char* (*name_)(int) = nullptr;
  std::uint32_t (*get_)(const void*, int, int) = nullptr;
  std::uint64_t (*get64_)(const void*, int, int) = nullptr;
  void (*set_)(void*, int, int, std::uint32_t) = nullptr;
  void (*set64_)(void*, int, int, std::uint64_t) = nullptr;
  void (*set_array_)(void*, int, int, const void*) = nullptr;
  void (*get_array_)(const void*, int, int, void*) = nullptr;
};

}  // namespace ibcc::testing
