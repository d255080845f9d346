#include <algorithm>
#include <cstring>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/string/csv.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// The bytes as elements of `out`; numbers of `part` bytes each are reversed where they are
/// swapped.
void copy_raw(const std::string& bytes, size_t part, bool swap, char* out) {
  if (bytes.empty()) return;
  std::memcpy(out, bytes.data(), bytes.size());
  if (!swap || part == 1) return;
  for (auto* at = out; at < out + bytes.size(); at += part) std::reverse(at, at + part);
}

/// A bool is true where its byte is not 0.
void copy_flags(const std::string& bytes, bool* out) {
  std::ranges::transform(bytes, out, [](char byte) { return byte != 0; });
}

/// The shape of the result: that of the strings, and how many elements each of them is.
Result<Shape> decoded_shape(const Tensor& in, DType dtype) {
  auto strings = in.values<std::string>();
  auto size = strings.empty() ? 0 : strings[0].size();
  for (const auto& bytes : strings)
    if (bytes.size() != size)
      return invalid_argument(
          "all strings must have one length, but there are " + std::to_string(size) + " and " +
          std::to_string(bytes.size()) + " bytes");
  if (size % size_of(dtype) != 0)
    return invalid_argument(
        std::to_string(size) + " bytes are no whole number of elements of " + to_string(dtype) +
        ", which have " + std::to_string(size_of(dtype)));
  std::vector<int64_t> sizes(in.shape().sizes().begin(), in.shape().sizes().end());
  sizes.push_back(static_cast<int64_t>(size / size_of(dtype)));
  return Shape::make(sizes);
}

Status decode_raw(Launch& launch, DType dtype, bool swap) {
  const auto& in = launch.input(0);
  auto shape = decoded_shape(in, dtype);
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype, *shape);
  if (!out) return out.status();
  auto is_complex = std::ranges::count(complex(), dtype) > 0;
  auto part = is_complex ? size_of(dtype) / 2 : size_of(dtype);
  auto* to = static_cast<char*>(out->mutable_raw());
  const auto* from = in.data<std::string>();
  auto size = in.elements() == 0 ? 0 : static_cast<int64_t>(from[0].size());
  parallel_ranges(in.elements(), std::max<int64_t>(1, size), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      if (dtype == DType::boolean) copy_flags(from[i], reinterpret_cast<bool*>(to + i * size));
      else copy_raw(from[i], part, swap, to + i * size);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_decode_raw(const Node& node) {
  auto dtype = node.attr<DType>("out_type");
  constexpr bool is_little = std::endian::native == std::endian::little;
  auto swap = node.attr<bool>("little_endian") != is_little;
  return Kernel{.compute = [=](Launch& launch) { return decode_raw(launch, dtype, swap); }};
}

}  // namespace

void add_parsing_kernels(KernelCatalog& catalog) {
  catalog.add("DecodeRaw", make_decode_raw);
  add_csv_kernels(catalog);
}

}  // namespace troupe::cpu
