// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// wire_bindings.cpp: packs and unpacks attributes of the congestion-control class for Python, by the rows of ccpolicy/wire.h.
#include "ccpolicy/wire.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "policy_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

const ccp_wire_attribute& Find(unsigned id) {
  const ccp_wire_attribute* attribute = ccp_find_attribute(id);
  if (attribute == nullptr) throw std::invalid_argument("attribute " + std::to_string(id) + " is not one that ccpolicy packs");
  return *attribute;
}

// Memory for the struct of an attribute, aligned for any of its members.
std::vector<std::uint64_t> HostOf(const ccp_wire_attribute& attribute) {
  std::size_t bytes = 0;
  for (unsigned f = 0; f < attribute.num_fields; ++f) {
    const ccp_wire_field& field = attribute.fields[f];
    bytes = std::max(bytes, field.host_offset + (field.count - std::size_t{1}) * field.host_stride + field.host_bytes);
  }
  return std::vector<std::uint64_t>(bytes / 8 + 1);
}

const unsigned char* MemberOf(const void* host, const ccp_wire_field& field, unsigned element) {
  return static_cast<const unsigned char*>(host) + field.host_offset + std::size_t{element} * field.host_stride;
}

unsigned char* MemberOf(std::vector<std::uint64_t>& host, const ccp_wire_field& field, unsigned element) {
  return reinterpret_cast<unsigned char*>(host.data()) + field.host_offset + std::size_t{element} * field.host_stride;
}

void PutNumber(unsigned char* member, const ccp_wire_field& field, std::uint64_t value) {
  const unsigned bits = std::min(64u, field.host_bytes * 8u);
  if (bits < 64 && value >> bits != 0) {
    throw std::invalid_argument(std::string(field.name) + " is " + std::to_string(value) + ", and has " +
                                std::to_string(field.width) + " bits");
  }
  const auto u8 = static_cast<std::uint8_t>(value);
  const auto u16 = static_cast<std::uint16_t>(value);
  const auto u32 = static_cast<std::uint32_t>(value);
  const void* from = field.host_bytes == 1   ? static_cast<const void*>(&u8)
                     : field.host_bytes == 2 ? static_cast<const void*>(&u16)
                     : field.host_bytes == 4 ? static_cast<const void*>(&u32)
                                             : static_cast<const void*>(&value);
  std::memcpy(member, from, field.host_bytes);
}

std::uint64_t GetNumber(const unsigned char* member, const ccp_wire_field& field) {
  std::uint16_t u16 = 0;
  std::uint32_t u32 = 0;
  std::uint64_t u64 = 0;
  switch (field.host_bytes) {
    case 1: return *member;
    case 2: std::memcpy(&u16, member, 2); return u16;
    case 4: std::memcpy(&u32, member, 4); return u32;
    default: std::memcpy(&u64, member, 8); return u64;
  }
}

void PutElement(unsigned char* member, const ccp_wire_field& field, const py::handle& value) {
  if (field.width <= 64) return PutNumber(member, field, value.cast<std::uint64_t>());
  const auto bytes = value.cast<std::string>();
  if (bytes.size() != field.host_bytes) {
    throw std::invalid_argument(std::string(field.name) + " has " + std::to_string(bytes.size()) + " bytes, and must have " +
                                std::to_string(field.host_bytes));
  }
  std::copy(bytes.begin(), bytes.end(), member);
}

py::object GetElement(const unsigned char* member, const ccp_wire_field& field) {
  if (field.width <= 64) return py::int_(GetNumber(member, field));
  return py::bytes(reinterpret_cast<const char*>(member), field.host_bytes);
}

py::bytes PackAttribute(unsigned id, const py::dict& values, bool for_set) {
  const ccp_wire_attribute& attribute = Find(id);
  std::vector<std::uint64_t> host = HostOf(attribute);
  std::size_t known = 0;
  for (unsigned f = 0; f < attribute.num_fields; ++f) {
    const ccp_wire_field& field = attribute.fields[f];
    if (!values.contains(field.name)) continue;
    ++known;
    const py::object value = values[field.name];
    if (field.count == 1) {
      PutElement(MemberOf(host, field, 0), field, value);
      continue;
    }
    const auto elements = value.cast<py::sequence>();
    if (elements.size() > field.count) {
      throw std::invalid_argument(std::string(field.name) + " has " + std::to_string(elements.size()) + " elements, and " +
                                  attribute.name + " holds at most " + std::to_string(field.count));
    }
    for (unsigned i = 0; i < elements.size(); ++i) PutElement(MemberOf(host, field, i), field, elements[i]);
  }
  if (known != values.size()) {
    std::string names;
    for (unsigned f = 0; f < attribute.num_fields; ++f) names += (f == 0 ? "" : ", ") + std::string(attribute.fields[f].name);
    throw std::invalid_argument("the values have a name that is no field of " + std::string(attribute.name) +
                                ", whose fields are " + names);
  }
  std::string payload(attribute.bytes, '\0');
  ccp_error error{};
  const auto pack = for_set ? ccp_pack_set : ccp_pack;
  if (pack(attribute.id, host.data(), reinterpret_cast<std::uint8_t*>(payload.data()), &error) != 0)
    throw std::invalid_argument(error.message);
  return py::bytes(payload);
}

py::dict ValuesOf(const ccp_wire_attribute& attribute, const void* host, bool read_only_too) {
  py::dict values;
  for (unsigned f = 0; f < attribute.num_fields; ++f) {
    const ccp_wire_field& field = attribute.fields[f];
    if (field.read_only && !read_only_too) continue;
    if (field.count == 1) {
      values[field.name] = GetElement(MemberOf(host, field, 0), field);
      continue;
    }
    py::list elements;
    for (unsigned i = 0; i < field.count; ++i) elements.append(GetElement(MemberOf(host, field, i), field));
    values[field.name] = elements;
  }
  return values;
}

py::dict UnpackAttribute(unsigned id, const std::string& payload) {
  const ccp_wire_attribute& attribute = Find(id);
  if (payload.size() != attribute.bytes) {
    throw std::invalid_argument("the payload has " + std::to_string(payload.size()) + " bytes, and one of " + attribute.name +
                                " has " + std::to_string(attribute.bytes));
  }
  std::vector<std::uint64_t> host = HostOf(attribute);
  ccp_unpack(attribute.id, reinterpret_cast<const std::uint8_t*>(payload.data()), host.data());
  return ValuesOf(attribute, host.data(), true);
}

py::list Attributes() {
  py::list all;
  for (unsigned i = 0; ccp_wire_attribute_at(i) != nullptr; ++i) {
    const ccp_wire_attribute& attribute = *ccp_wire_attribute_at(i);
    py::list fields;
    for (unsigned f = 0; f < attribute.num_fields; ++f) {
      const ccp_wire_field& field = attribute.fields[f];
      py::dict row;
      row["name"] = field.name;
      row["offset"] = field.offset;
      row["width"] = field.width;
      row["count"] = field.count;
      row["stride"] = field.stride;
      row["read_only"] = field.read_only;
      fields.append(row);
    }
    py::dict row;
    row["id"] = static_cast<unsigned>(attribute.id);
    row["name"] = attribute.name;
    row["mad_offset"] = attribute.mad_offset;
    row["bytes"] = attribute.bytes;
    row["fields"] = fields;
    all.append(row);
  }
  return all;
}

}  // namespace

py::dict SettableValues(unsigned attribute, const void* host) { return ValuesOf(Find(attribute), host, false); }

void BindWire(py::module_& m) {
  m.def("wire_attributes", &Attributes);
  m.def("pack_attribute", &PackAttribute, py::arg("id"), py::arg("values"), py::arg("for_set") = false);
  m.def("unpack_attribute", &UnpackAttribute, py::arg("id"), py::arg("payload"));
}

}  // namespace ccsim
