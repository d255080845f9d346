#include <algorithm>
#include <numeric>

#include "troupe/devices/cpu/parsing/serialization.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/proto/serialized.hpp"

namespace troupe::cpu {
namespace {

/// A part of the strings: indices, values and shape.
Status serialize_part(const Tensor& tensor, std::string& out) {
  auto bytes = serialize_tensor(tensor, StringsIn::content);
  if (bytes) out = *std::move(bytes);
  return bytes.status();
}

Status serialize_sparse(Launch& launch) {
  const auto &indices = launch.input(0), &values = launch.input(1), &shape = launch.input(2);
  if (indices.shape().rank() != 2 || values.shape().rank() != 1 || shape.shape().rank() != 1)
    return invalid_argument(
        "a sparse tensor has a matrix of indices, a vector of values and a vector of sizes, not " +
        indices.shape().to_string() + ", " + values.shape().to_string() + " and " +
        shape.shape().to_string());
  if (indices.shape()[1] != shape.elements())
    return invalid_argument(
        "indices of shape " + indices.shape().to_string() + " do not fit a tensor of rank " +
        std::to_string(shape.elements()));
  if (indices.shape()[0] != values.elements())
    return invalid_argument(
        "indices of shape " + indices.shape().to_string() + " do not fit " +
        std::to_string(values.elements()) + " values");
  auto out = launch.allocate(DType::string, {3});
  if (!out) return out.status();
  for (int i = 0; i < 3; ++i) {
    auto status = serialize_part(launch.input(i), out->mutable_data<std::string>()[i]);
    if (!status.ok()) return status;
  }
  launch.set(0, *std::move(out));
  return {};
}

/// Fails unless the indices are in order and no two are the same.
Status check_order(const SparsePlaces& places) {
  for (int64_t i = 1; i < places.count(); ++i) {
    auto last = places[i - 1], here = places[i];
    if (std::ranges::lexicographical_compare(last, here)) continue;
    return invalid_argument(
        "indices[" + std::to_string(i) + "] = " + show_index(here) +
        (std::ranges::equal(last, here) ? " is repeated" : " is out of order"));
  }
  return {};
}

/// Entries `begin` to `end` of a sparse tensor without their first index, as strings.
Status serialize_row(
    const SparsePlaces& places, const Tensor& values, int64_t begin, int64_t end,
    std::string* out) {
  auto rank = places.rank() - 1;
  auto indices = Tensor::allocate(DType::int64, {end - begin, rank});
  if (!indices) return indices.status();
  auto* to = indices->mutable_data<int64_t>();
  for (auto i = begin; i < end; ++i) to = std::ranges::copy(places[i].subspan(1), to).out;
  if (auto status = serialize_part(*indices, out[0]); !status.ok()) return status;
  auto part = Tensor::allocate(values.dtype(), {end - begin});
  if (!part) return part.status();
  if (values.dtype() == DType::string) {
    std::ranges::copy(
        values.values<std::string>().subspan(begin, end - begin),
        part->mutable_data<std::string>());
  } else if (end > begin) {
    auto size = size_of(values.dtype());
    std::memcpy(
        part->mutable_raw(),
        static_cast<const char*>(values.raw()) + static_cast<size_t>(begin) * size, part->bytes());
  }
  return serialize_part(*part, out[1]);
}

Status serialize_many_sparse(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  if (places->rank() < 2)
    return invalid_argument(
        "Rank of input SparseTensor should be > 1, but saw rank: " +
        std::to_string(places->rank()));
  if (auto status = check_order(*places); !status.ok()) return status;
  auto shape = Shape::make(std::vector<int64_t>{places->sizes()[0], 3});
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::string, *shape);
  if (!out) return out.status();
  auto rest = std::span(places->sizes()).subspan(1);
  std::string sizes, empty[2];
  auto status = serialize_part(Tensor::of<int64_t>({std::ssize(rest)}, rest), sizes);
  if (status.ok()) status = serialize_row(*places, launch.input(1), 0, 0, empty);
  if (!status.ok()) return status;
  auto* to = out->mutable_data<std::string>();
  int64_t begin = 0;
  for (int64_t row = 0; row < places->sizes()[0]; ++row, to += 3) {
    auto end = begin;
    while (end < places->count() && (*places)[end][0] == row) ++end;
    to[2] = sizes;
    if (begin == end) std::copy(empty, empty + 2, to);
    else if (status = serialize_row(*places, launch.input(1), begin, end, to); !status.ok())
      return status;
    begin = end;
  }
  launch.set(0, *std::move(out));
  return {};
}

/// A sparse tensor that three strings hold.
struct SparseTensor {
  Tensor indices, values, shape;
};

Status check_parts(const SparseTensor& tensor, DType dtype, const std::string& name) {
  const auto& [indices, values, shape] = tensor;
  if (indices.dtype() != DType::int64 || indices.shape().rank() != 2)
    return invalid_argument(
        "the indices of " + name + " must be a matrix of int64, not " + to_string(indices.dtype()) +
        indices.shape().to_string());
  if (values.shape().rank() != 1)
    return invalid_argument(
        "the values of " + name + " must be a vector, but have shape " +
        values.shape().to_string());
  if (values.dtype() != dtype)
    return invalid_argument(
        std::string("Requested SparseTensor of type ") + to_string(dtype) + " but " + name +
        ".values.dtype() == " + to_string(values.dtype()));
  if (shape.dtype() != DType::int64 || shape.shape().rank() != 1)
    return invalid_argument(
        "the shape of " + name + " must be a vector of int64, not " + to_string(shape.dtype()) +
        shape.shape().to_string());
  if (indices.shape()[0] != values.elements() || indices.shape()[1] != shape.elements())
    return invalid_argument(
        name + " has indices of shape " + indices.shape().to_string() + " for " +
        std::to_string(values.elements()) + " values in a tensor of rank " +
        std::to_string(shape.elements()));
  return {};
}

Result<SparseTensor> parse_sparse(const std::string* parts, DType dtype, int64_t number) {
  auto name = "SparseTensor[" + std::to_string(number) + "]";
  SparseTensor tensor;
  int part = 0;
  for (auto* into : {&tensor.indices, &tensor.values, &tensor.shape}) {
    auto parsed = parse_tensor(parts[part++]);
    if (!parsed)
      return Status(
          parsed.status().code(), "part " + std::to_string(part - 1) + " of " + name +
                                      " could not be parsed: " + parsed.status().message());
    *into = *std::move(parsed);
  }
  if (auto status = check_parts(tensor, dtype, name); !status.ok()) return status;
  return tensor;
}

/// Several sparse tensors as one, along leading axes of those sizes.
class SparseStack {
 public:
  SparseStack(std::vector<SparseTensor> tensors, std::span<const int64_t> leading)
      : tensors_(std::move(tensors)), leading_(leading.begin(), leading.end()) {}

  Status set_outputs(Launch& launch, DType dtype) {
    if (auto status = join_shapes(); !status.ok()) return status;
    int64_t count = 0;
    for (const auto& tensor : tensors_) count += tensor.values.elements();
    auto indices = launch.allocate(DType::int64, {count, std::ssize(shape_)});
    if (!indices) return indices.status();
    auto values = launch.allocate(dtype, {count});
    if (!values) return values.status();
    copy_indices(indices->mutable_data<int64_t>());
    copy_values(*values);
    launch.set(0, *std::move(indices));
    launch.set(1, *std::move(values));
    auto shape = launch.allocate(DType::int64, {std::ssize(shape_)});
    if (!shape) return shape.status();
    std::ranges::copy(shape_, shape->mutable_data<int64_t>());
    launch.set(2, *std::move(shape));
    return {};
  }

 private:
  /// The least shape that holds all tensors, which must have one rank.
  Status join_shapes() {
    shape_ = leading_;
    auto first = tensors_[0].shape.values<int64_t>();
    shape_.insert(shape_.end(), first.begin(), first.end());
    for (size_t i = 0; i < tensors_.size(); ++i) {
      auto sizes = tensors_[i].shape.values<int64_t>();
      if (sizes.size() != first.size())
        return invalid_argument(
            "Inconsistent shape across SparseTensors: rank prior to SparseTensor[" +
            std::to_string(i) + "] was: " + std::to_string(first.size()) +
            " but rank of SparseTensor[" + std::to_string(i) +
            "] is: " + std::to_string(sizes.size()));
      for (size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] < 0)
          return invalid_argument(
              "SparseTensor[" + std::to_string(i) + "] has the shape " + show_index(sizes));
        auto& size = shape_[leading_.size() + axis];
        size = std::max(size, sizes[axis]);
      }
    }
    return {};
  }

  void copy_indices(int64_t* to) const {
    std::vector<int64_t> place(leading_.size(), 0);
    for (const auto& tensor : tensors_) {
      auto from = tensor.indices.values<int64_t>();
      auto rank = static_cast<size_t>(tensor.indices.shape()[1]);
      for (int64_t i = 0; i < tensor.values.elements(); ++i) {
        to = std::ranges::copy(place, to).out;
        to = std::ranges::copy(from.subspan(static_cast<size_t>(i) * rank, rank), to).out;
      }
      for (auto axis = place.size(); axis-- > 0;) {
        if (++place[axis] < leading_[axis]) break;
        place[axis] = 0;
      }
    }
  }

  void copy_values(Tensor& out) const {
    int64_t at = 0;
    for (const auto& tensor : tensors_) {
      const auto& from = tensor.values;
      if (out.dtype() == DType::string)
        std::ranges::copy(from.values<std::string>(), out.mutable_data<std::string>() + at);
      else if (from.bytes() > 0)
        std::memcpy(
            static_cast<char*>(out.mutable_raw()) + static_cast<size_t>(at) * size_of(out.dtype()),
            from.raw(), from.bytes());
      at += from.elements();
    }
  }

  std::vector<SparseTensor> tensors_;
  std::vector<int64_t> leading_;
  std::vector<int64_t> shape_;
};

/// `needed_rank` is 0 where the strings may have any.
Status deserialize_sparse(Launch& launch, DType dtype, int needed_rank) {
  const auto& in = launch.input(0);
  auto rank = in.shape().rank();
  if (needed_rank > 0 && rank != needed_rank)
    return invalid_argument(
        "Serialized sparse should have rank " + std::to_string(needed_rank) + ", but has shape " +
        in.shape().to_string());
  if (rank < 1 || in.shape()[rank - 1] != 3)
    return invalid_argument(
        "Serialized sparse should have 3 as the last dimension, but has shape " +
        in.shape().to_string());
  if (in.elements() == 0)
    return invalid_argument(
        "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension " +
        in.shape().to_string());
  std::vector<SparseTensor> tensors;
  for (int64_t i = 0; i < in.elements() / 3; ++i) {
    auto tensor = parse_sparse(in.data<std::string>() + 3 * i, dtype, i);
    if (!tensor) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  auto leading = in.shape().sizes().first(static_cast<size_t>(rank) - 1);
  return SparseStack(std::move(tensors), leading).set_outputs(launch, dtype);
}

template <int needed_rank>
Result<Kernel> make_deserialize_sparse(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  return string_kernel(
      [dtype](Launch& launch) { return deserialize_sparse(launch, dtype, needed_rank); });
}

}  // namespace

void add_sparse_serialization_kernels(KernelCatalog& catalog) {
  catalog.add_compute("SerializeSparse", serialize_sparse);
  catalog.add_compute("SerializeManySparse", serialize_many_sparse);
  catalog.add("DeserializeSparse", make_deserialize_sparse<0>);
  catalog.add("DeserializeManySparse", make_deserialize_sparse<2>);
}

}  // namespace troupe::cpu
