#include <farmhash.h>
#include <cstring>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Result<Kernel> make_empty(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  return copying_kernel(dtype, [dtype](Launch& launch) -> Status {
    auto shape = shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    set_zeros(*out);
    launch.set(0, *std::move(out));
    return {};
  });
}

Status compute_inplace(Launch& launch, UpdateSlices update) {
  const auto &x = launch.input(0), &rows = launch.input(1), &v = launch.input(2);
  auto status = check_inplace_shapes(x.shape(), rows.shape(), v.shape());
  if (!status.ok()) return status;
  auto out = launch.reuse_or_allocate({0}, x.dtype(), x.shape());
  if (!out) return out.status();
  copy_all(*out, x);
  if (out->elements() > 0) {
    auto count = x.shape()[0], size = out->elements() / count;
    std::vector<int64_t> positions;
    for (auto row : rows.values<int32_t>()) positions.push_back((row % count + count) % count);
    update(out->mutable_raw(), v.raw(), positions, size, 0, size);
  }
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make make_inplace(Update update) {
  return [update](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto found = find_update(update, dtype);
    if (!found) return no_kernel(dtype);
    return Kernel{.compute = [found](Launch& launch) { return compute_inplace(launch, found); }};
  };
}

Status compute_parallel_concat(Launch& launch, const Shape& shape) {
  if (auto status = check_rows_of(launch, shape); !status.ok()) return status;
  auto out = launch.allocate(launch.input(0).dtype(), shape);
  if (!out) return out.status();
  auto size = launch.input(0).elements();
  for (int i = 0; i < launch.input_count(); ++i)
    copy_elements(*out, i * size, launch.input(i), 0, size);
  launch.set(0, *std::move(out));
  return {};
}

/// The hash of bytes as 8 bytes, the lowest first.
void put_fingerprint(uint8_t* to, const char* bytes, size_t count) {
  auto hash = util::Fingerprint64(bytes, count);
  for (int i = 0; i < 8; ++i) to[i] = static_cast<uint8_t>(hash >> (8 * i));
}

/// Of a row with one string its hash; of one with others a hash of the hashes of its strings.
void put_string_fingerprint(uint8_t* to, const std::string* row, int64_t size) {
  if (size == 1) return put_fingerprint(to, row->data(), row->size());
  std::vector<uint8_t> hashes(static_cast<size_t>(8 * size));
  for (int64_t i = 0; i < size; ++i)
    put_fingerprint(hashes.data() + 8 * i, row[i].data(), row[i].size());
  put_fingerprint(to, reinterpret_cast<const char*>(hashes.data()), hashes.size());
}

Status compute_fingerprint(Launch& launch) {
  const auto &data = launch.input(0), &method = launch.input(1);
  if (data.shape().is_scalar() || !method.shape().is_scalar())
    return invalid_argument(
        "data must have rows and method must be a scalar, but their shapes are " +
        data.shape().to_string() + " and " + method.shape().to_string());
  if (method.value<std::string>() != "farmhash64")
    return invalid_argument(
        "the method must be farmhash64, but is \"" + method.value<std::string>() + "\"");
  auto rows = data.shape()[0];
  auto shape = Shape::make(std::vector<int64_t>{rows, 8});
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::uint8, *shape);
  if (!out) return out.status();
  auto* to = out->mutable_data<uint8_t>();
  for (int64_t row = 0; row < rows; ++row) {
    auto size = data.elements() / rows;
    if (data.dtype() == DType::string) {
      put_string_fingerprint(to + 8 * row, data.data<std::string>() + row * size, size);
      continue;
    }
    auto bytes = size * static_cast<int64_t>(size_of(data.dtype()));
    const auto* begin = static_cast<const char*>(data.raw()) + row * bytes;
    put_fingerprint(to + 8 * row, begin, static_cast<size_t>(bytes));
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Status check_inplace_shapes(const Shape& x, const Shape& rows, const Shape& v) {
  if (x.is_scalar() || rows.rank() != 1)
    return invalid_argument(
        "x must have rows and i must be a vector, but their shapes are " + x.to_string() + " and " +
        rows.to_string());
  auto wanted = x;
  wanted.set(0, rows[0]);
  if (v == wanted) return {};
  return invalid_argument(
      "v must have the shape " + wanted.to_string() + ", but has " + v.to_string());
}

Status check_rows_of(const Launch& launch, const Shape& shape) {
  auto row = shape;
  row.set(0, 1);
  for (int i = 0; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != row)
      return invalid_argument(
          "input " + std::to_string(i) + " must have the shape " + row.to_string() + ", but has " +
          launch.input(i).shape().to_string());
  return {};
}

void add_memory_kernels(KernelCatalog& catalog) {
  catalog.add("Empty", make_empty);
  catalog.add("InplaceUpdate", make_inplace(Update::replace));
  catalog.add("InplaceAdd", make_inplace(Update::add));
  catalog.add("InplaceSub", make_inplace(Update::subtract));
  catalog.add("ParallelConcat", [](const Node& node) {
    return copying_kernel(
        node.attr<DType>("T"), [shape = node.attr<Shape>("shape")](Launch& launch) {
          return compute_parallel_concat(launch, shape);
        });
  });
  catalog.add_compute("Fingerprint", compute_fingerprint);
}

}  // namespace troupe::cpu
