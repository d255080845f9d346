#include "troupe/graph/types/dtype.hpp"

#include <array>
#include <utility>

#include "troupe/graph/types/resource.hpp"

namespace troupe {
namespace {

constexpr std::array<std::pair<DType, const char*>, 18> names = {{
    {DType::float32, "float32"},
    {DType::float64, "float64"},
    {DType::int32, "int32"},
    {DType::uint8, "uint8"},
    {DType::int16, "int16"},
    {DType::int8, "int8"},
    {DType::string, "string"},
    {DType::complex64, "complex64"},
    {DType::int64, "int64"},
    {DType::boolean, "bool"},
    {DType::bfloat16, "bfloat16"},
    {DType::uint16, "uint16"},
    {DType::complex128, "complex128"},
    {DType::float16, "float16"},
    {DType::resource, "resource"},
    {DType::variant, "variant"},
    {DType::uint32, "uint32"},
    {DType::uint64, "uint64"},
}};

DTypes join(std::initializer_list<DTypes> groups) {
  DTypes all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

const char* to_string(DType dtype) {
  for (auto [value, name] : names)
    if (value == dtype) return name;
  return "invalid";
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (auto [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

bool is_valid(DType dtype) {
  for (auto [value, name] : names)
    if (value == dtype) return true;
  return false;
}

size_t size_of(DType dtype) {
  if (dtype == DType::string) return sizeof(std::string);
  if (dtype == DType::resource) return sizeof(ResourceHandle);
  if (dtype == DType::variant) return sizeof(Variant);
  return visit(dtype, [](auto zero) { return sizeof(zero); });
}

bool is_plain(DType dtype) { return dtype != DType::string && !is_opaque(dtype); }

bool is_opaque(DType dtype) { return dtype == DType::resource || dtype == DType::variant; }

const DTypes& floating() {
  static const DTypes group = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
  return group;
}
const DTypes& integral() {
  static const DTypes group = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                               DType::uint8, DType::uint16, DType::uint32, DType::uint64};
  return group;
}
const DTypes& complex() {
  static const DTypes group = {DType::complex64, DType::complex128};
  return group;
}
const DTypes& indexing() {
  static const DTypes group = {DType::int32, DType::int64};
  return group;
}
const DTypes& numeric() {
  static const DTypes group = join({floating(), integral(), complex()});
  return group;
}
const DTypes& differentiable() {
  static const DTypes group = join({floating(), complex()});
  return group;
}
const DTypes& real() {
  static const DTypes group = join({floating(), integral()});
  return group;
}
const DTypes& all_plain() {
  static const DTypes group = join({numeric(), {DType::boolean}});
  return group;
}
const DTypes& all_dtypes() {
  static const DTypes group = join({all_plain(), {DType::string}});
  return group;
}

}  // namespace troupe
