#include <farmhash.h>
#include <algorithm>
#include <cstring>
#include <set>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/graph/support/file.hpp"

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

/// The tensor whose elements are the first bytes of a file.
Result<Tensor> read_elements(
    const Launch& launch, const std::string& path, DType dtype, const Shape& shape) {
  auto file = FileReader::open(path);
  if (!file) return file.status();
  auto out = launch.allocate(dtype, shape);
  if (!out) return out;
  if (file->size() < out->bytes())
    return Result<Tensor>(invalid_argument(
        "the file '" + path + "' has " + std::to_string(file->size()) + " bytes, fewer than the " +
        std::to_string(out->bytes()) + " of a " + to_string(dtype) + " tensor of shape " +
        shape.to_string()));
  auto status = file->read(0, out->mutable_raw(), out->bytes());
  if (!status.ok()) return Result<Tensor>(status);
  if (dtype == DType::boolean) {  // any byte but 0 is true
    auto* bytes = static_cast<uint8_t*>(out->mutable_raw());
    std::transform(bytes, bytes + out->elements(), bytes, [](uint8_t byte) {
      return static_cast<uint8_t>(byte != 0);
    });
  }
  return out;
}

Result<Kernel> make_immutable_const(const Node& node) {
  const auto& shape = node.attr<Shape>("shape");
  if (!shape.is_known()) return invalid_argument("the shape of ImmutableConst must be known");
  return Kernel{
      .compute = [path = node.attr<std::string>("memory_region_name"), shape,
                  dtype = node.attr<DType>("dtype")](Launch& launch) -> Status {
        auto tensor = read_elements(launch, path, dtype, shape);
        if (tensor) launch.set(0, *std::move(tensor));
        return tensor.status();
      }};
}

Result<Kernel> make_fake_param(const Node& node) {
  const auto& wanted = node.attr<Shape>("shape");
  std::vector<int64_t> sizes;
  if (wanted.has_rank())
    for (auto size : wanted.sizes()) sizes.push_back(size == Shape::unknown ? 0 : size);
  Shape shape(sizes);
  return Kernel{.compute = [shape, dtype = node.attr<DType>("dtype")](Launch& launch) -> Status {
    auto out = launch.allocate(dtype, shape);
    if (!out) return out.status();
    if (!is_opaque(dtype)) set_zeros(*out);
    launch.set(0, *std::move(out));
    return {};
  }};
}

/// Where each axis of one format of images is in another one.
Result<std::vector<int64_t>> permutation_of(const Node& node) {
  const auto& from = node.attr<std::string>("src_format");
  const auto& to = node.attr<std::string>("dst_format");
  auto has_all_once = std::set<char>(from.begin(), from.end()).size() == from.size();
  if ((from.size() != 4 && from.size() != 5) || !has_all_once ||
      !std::ranges::is_permutation(from, to))
    return invalid_argument(
        "formats must be permutations of 4 or 5 letters, but are '" + from + "' and '" + to + "'");
  std::vector<int64_t> places;
  for (auto axis : from) places.push_back(static_cast<int64_t>(to.find(axis)));
  return places;
}

template <class T>
Status map_axes(Launch& launch, const std::vector<int64_t>& places) {
  const auto& x = launch.input(0);
  auto out = launch.reuse_or_allocate({0}, x.dtype(), x.shape());
  if (!out) return out.status();
  auto count = static_cast<T>(places.size());
  auto* to = out->template mutable_data<T>();
  for (auto axis : x.values<T>()) {
    // As TensorFlow, for axes that there are not, too.
    auto place = static_cast<T>(static_cast<std::make_unsigned_t<T>>(axis) + count) % count;
    if (place < 0 || place >= count) place = count - 1;
    *to++ = static_cast<T>(places[static_cast<size_t>(place)]);
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status permute_numbers(Launch& launch, const std::vector<int64_t>& places) {
  const auto& x = launch.input(0);
  auto axes = static_cast<int64_t>(places.size());
  if (x.shape() != Shape{axes} && x.shape() != Shape{axes, 2})
    return invalid_argument(
        "x must have a number, or two, for each of " + std::to_string(axes) +
        " axes, but has the shape " + x.shape().to_string());
  auto out = launch.allocate(x.dtype(), x.shape());
  if (!out) return out.status();
  auto each = x.elements() / axes;
  for (int64_t i = 0; i < axes; ++i)
    std::copy_n(
        x.data<T>() + i * each, each,
        out->template mutable_data<T>() + places[static_cast<size_t>(i)] * each);
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_axis_map(const Node& node) {
  auto places = permutation_of(node);
  if (!places) return places.status();
  return dispatch(Indices{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [places = *places](Launch& launch) {
      return map_axes<decltype(zero)>(launch, places);
    }};
  });
}

Result<Kernel> make_number_permutation(const Node& node) {
  auto places = permutation_of(node);
  if (!places) return places.status();
  return dispatch(Indices{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [places = *places](Launch& launch) {
      return permute_numbers<decltype(zero)>(launch, places);
    }};
  });
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
  catalog.add("ImmutableConst", make_immutable_const);
  catalog.add("FakeParam", make_fake_param);
  catalog.add("DataFormatDimMap", make_axis_map);
  catalog.add("DataFormatVecPermute", make_number_permutation);
}

}  // namespace troupe::cpu
