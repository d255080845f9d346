#include "troupe/devices/cpu/sparse/sparse.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

std::vector<int64_t> to_int64(const Tensor& tensor) {
  auto values = to_ints(tensor);
  CHECK(values);
  return *std::move(values);
}

Status need_vector(const Shape& shape, const char* name) {
  if (shape.rank() == 1) return {};
  return invalid_argument(
      std::string(name) + " must have rank 1, but has shape " + shape.to_string());
}

}  // namespace

Result<std::vector<int64_t>> SparsePlaces::sizes_of(const Shape& indices, const Tensor& shape) {
  if (indices.rank() != 2)
    return invalid_argument("the indices must have rank 2, but have shape " + indices.to_string());
  if (auto status = need_vector(shape.shape(), "the shape"); !status.ok()) return status;
  auto sizes = to_int64(shape);
  if (indices[1] != shape.elements())
    return invalid_argument(
        "indices of shape " + indices.to_string() + " do not fit a tensor of rank " +
        std::to_string(shape.elements()));
  for (auto size : sizes)
    if (size < 0)
      return invalid_argument("a dimension cannot have the size " + std::to_string(size));
  return sizes;
}

Result<std::vector<int64_t>> SparsePlaces::sizes_of(
    const Shape& indices, const Shape& values, const Tensor& shape) {
  auto sizes = sizes_of(indices, shape);
  if (!sizes) return sizes;
  if (auto status = need_vector(values, "the values"); !status.ok()) return status;
  if (values[0] != indices[0])
    return invalid_argument(
        "indices of shape " + indices.to_string() + " do not fit " + std::to_string(values[0]) +
        " values");
  return sizes;
}

Result<SparsePlaces> SparsePlaces::of(const Tensor& indices, const Tensor& shape) {
  auto sizes = sizes_of(indices.shape(), shape);
  if (!sizes) return sizes.status();
  SparsePlaces places;
  places.sizes_ = *std::move(sizes);
  places.count_ = indices.shape()[0];
  places.indices_ = indices;
  if (indices.dtype() != DType::int64) {
    places.copies_ = to_int64(indices);
    // Without elements, nothing is read through either address.
    if (places.copies_.empty()) places.copies_.resize(1);
  }
  return places;
}

Result<SparsePlaces> SparsePlaces::of(
    const Tensor& indices, const Tensor& values, const Tensor& shape) {
  auto sizes = sizes_of(indices.shape(), values.shape(), shape);
  if (!sizes) return sizes.status();
  auto places = of(indices, shape);
  if (!places) return places;
  if (auto status = places->check_bounds(); !status.ok()) return status;
  return places;
}

Status SparsePlaces::check_bounds() const {
  if (sizes_.empty()) return {};  // without axes, there can be any number of entries in no memory
  for (int64_t entry = 0; entry < count_; ++entry) {
    auto index = (*this)[entry];
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (index[axis] < 0 || index[axis] >= sizes_[axis]) return lies_outside(index, entry, sizes_);
  }
  return {};
}

std::vector<int64_t> SparsePlaces::order() const {
  std::vector<int64_t> order(static_cast<size_t>(count_));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [this](int64_t a, int64_t b) {
    return std::ranges::lexicographical_compare((*this)[a], (*this)[b]);
  });
  return order;
}

std::string show_index(std::span<const int64_t> index) {
  std::string text;
  for (auto each : index) text += (text.empty() ? "" : ",") + std::to_string(each);
  return "[" + text + "]";
}

Status lies_outside(std::span<const int64_t> index, int64_t entry, std::span<const int64_t> sizes) {
  return invalid_argument(
      "index " + show_index(index) + " (number " + std::to_string(entry) +
      " of the indices) does not lie in the shape " + show_index(sizes));
}

Status is_not_behind(
    std::span<const int64_t> index, int64_t entry, std::span<const int64_t> before) {
  return invalid_argument(
      "index " + show_index(index) + " (number " + std::to_string(entry) + " of the indices) " +
      (std::ranges::equal(before, index) ? "is repeated" : "is out of order"));
}

Status set_chosen(
    Launch& launch, int output, const Tensor& values, std::span<const int64_t> chosen) {
  auto shape = values.shape();
  shape.set(0, static_cast<int64_t>(chosen.size()));
  auto size = shape.rank() == 1 ? 1 : shape[1];
  auto out = launch.allocate(values.dtype(), shape);
  if (!out) return out.status();
  auto gather = find_gather(values.dtype());
  gather(out->mutable_raw(), values.raw(), chosen.data(), shape[0], size);
  launch.set(output, *std::move(out));
  return {};
}

Status set_indices(
    Launch& launch, int output, int64_t rows, int64_t columns, std::span<const int64_t> values) {
  auto out = launch.allocate(DType::int64, {rows, columns});
  if (!out) return out.status();
  std::ranges::copy(values, out->mutable_data<int64_t>());
  launch.set(output, *std::move(out));
  return {};
}

namespace {

Result<int64_t> element_count(std::span<const int64_t> sizes) {
  if (std::ranges::count(sizes, 0)) return 0;
  int64_t product = 1;
  for (auto size : sizes)
    if (__builtin_mul_overflow(product, size, &product))
      return invalid_argument(
          "a tensor of the shape " + show_index(sizes) + " has more than 2^63 elements");
  return product;
}

/// The sizes asked for, of which one may be -1: whatever is left of the elements.
Result<std::vector<int64_t>> complete_shape(const std::vector<int64_t>& from, const Tensor& given) {
  if (auto status = need_vector(given.shape(), "'new_shape'"); !status.ok()) return status;
  auto target = to_int64(given);
  auto refuse = [&](const char* why) {
    return invalid_argument(
        "cannot reshape " + show_index(from) + " to " + show_index(to_int64(given)) + ": " + why);
  };
  auto open = std::ranges::find(target, -1);
  if (open != target.end()) *open = 1;
  for (auto size : target)
    if (size < 0)
      return refuse(size == -1 ? "only one size can be left open" : "a size is negative");
  auto elements = element_count(from), known = element_count(target);
  for (const auto* count : {&elements, &known})
    if (!*count) return count->status();
  if (open != target.end()) {
    if (*known == 0 || *elements % *known != 0)
      return refuse("the open size would not be a whole number");
    *open = *elements / *known;
  } else if (*elements != *known) {
    return refuse("the number of elements differs");
  }
  return target;
}

Status reshape_sparse(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1));
  if (!places) return places.status();
  if (auto status = places->check_bounds(); !status.ok()) return status;
  auto target = complete_shape(places->sizes(), launch.input(2));
  if (!target) return target.status();
  auto rank = static_cast<int64_t>(target->size());
  auto out = launch.allocate(DType::int64, {places->count(), rank});
  if (!out) return out.status();
  auto* indices = out->mutable_data<int64_t>();
  for (int64_t entry = 0; entry < (rank > 0 ? places->count() : 0); ++entry) {
    int64_t flat = 0;
    auto index = (*places)[entry];
    for (size_t axis = 0; axis < index.size(); ++axis)
      flat = flat * places->sizes()[axis] + index[axis];
    for (auto axis = rank; axis-- > 0;) {
      auto size = (*target)[static_cast<size_t>(axis)];
      indices[entry * rank + axis] = flat % size;
      flat /= size;
    }
  }
  launch.set(0, *std::move(out));
  return set_ints(launch, 1, DType::int64, *target);
}

Status reorder_sparse(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto order = places->order();
  for (int i : {0, 1})
    if (auto status = set_chosen(launch, i, launch.input(i), order); !status.ok()) return status;
  return {};
}

/// The part of a sparse tensor that a slice is: where it begins, and its sizes.
struct SparsePart {
  std::vector<int64_t> start, sizes;

  static Result<SparsePart> of(const SparsePlaces& whole, const Tensor& start, const Tensor& size) {
    for (const auto* each : {&start, &size})
      if (each->shape() != Shape{whole.rank()})
        return invalid_argument(
            "'start' and 'size' must have " + std::to_string(whole.rank()) +
            " elements, but one has shape " + each->shape().to_string());
    SparsePart part = {to_int64(start), to_int64(size)};
    for (size_t axis = 0; axis < part.start.size(); ++axis) {
      auto& wanted = part.sizes[axis];
      if (part.start[axis] < 0 || wanted < 0)
        return invalid_argument(
            "'start' and 'size' must not be negative, but are " + show_index(part.start) + " and " +
            show_index(part.sizes));
      wanted = std::min(wanted, std::max<int64_t>(whole.sizes()[axis] - part.start[axis], 0));
    }
    return part;
  }
  bool contains(std::span<const int64_t> index) const {
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (index[axis] < start[axis] || index[axis] - start[axis] >= sizes[axis]) return false;
    return true;
  }
};

Status slice_sparse(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto part = SparsePart::of(*places, launch.input(3), launch.input(4));
  if (!part) return part.status();
  std::vector<int64_t> chosen, indices;
  for (int64_t entry = 0; entry < places->count(); ++entry) {
    auto index = (*places)[entry];
    if (!part->contains(index)) continue;
    chosen.push_back(entry);
    for (size_t axis = 0; axis < index.size(); ++axis)
      indices.push_back(index[axis] - part->start[axis]);
  }
  auto status =
      set_indices(launch, 0, static_cast<int64_t>(chosen.size()), places->rank(), indices);
  if (status.ok()) status = set_chosen(launch, 1, launch.input(1), chosen);
  return status.ok() ? set_ints(launch, 2, DType::int64, part->sizes) : status;
}

/// The entries of each part, with indices from its beginning.
Status split_sparse(Launch& launch, int64_t parts) {
  if (!launch.input(0).shape().is_scalar())
    return invalid_argument(
        "'split_dim' must be a scalar, but is " + launch.input(0).shape().to_string());
  auto places = SparsePlaces::of(launch.input(1), launch.input(2), launch.input(3));
  if (!places) return places.status();
  auto axis = find_axis(launch.input(0).value<int64_t>(), places->rank());
  if (!axis) return axis.status();
  auto split = static_cast<size_t>(*axis);
  auto size = places->sizes()[split];
  if (parts > size)
    return invalid_argument(
        "an axis of size " + std::to_string(size) + " cannot be split into " +
        std::to_string(parts) + " parts");
  auto sizes = places->sizes();
  for (int64_t part = 0, begin = 0; part < parts; ++part, begin += sizes[split]) {
    sizes[split] = size / parts + (part < size % parts ? 1 : 0);
    std::vector<int64_t> chosen, indices;
    for (int64_t entry = 0; entry < places->count(); ++entry) {
      auto index = (*places)[entry];
      if (index[split] < begin || index[split] - begin >= sizes[split]) continue;
      chosen.push_back(entry);
      indices.insert(indices.end(), index.begin(), index.end());
      indices[indices.size() - index.size() + split] -= begin;
    }
    auto output = static_cast<int>(part), count = static_cast<int>(parts);
    auto status = set_indices(launch, output, std::ssize(chosen), places->rank(), indices);
    if (status.ok()) status = set_chosen(launch, count + output, launch.input(2), chosen);
    if (status.ok()) status = set_ints(launch, 2 * count + output, DType::int64, sizes);
    if (!status.ok()) return status;
  }
  return {};
}

/// The entries of a slice come in the order of those that they were.
Status compute_slice_grad(Launch& launch) {
  const auto &gradients = launch.input(0), &all = launch.input(1), &start = launch.input(2),
             &chosen = launch.input(3);
  if (gradients.shape().rank() != 1 || all.shape().rank() != 2 || start.shape().rank() != 1 ||
      chosen.shape() != Shape{gradients.elements(), start.elements()} ||
      all.shape()[1] != start.elements())
    return invalid_argument(
        "gradients of shape " + gradients.shape().to_string() + ", indices of " +
        all.shape().to_string() + ", a start of " + start.shape().to_string() +
        " and indices of a slice of " + chosen.shape().to_string() + " do not fit each other");
  auto out = launch.allocate(gradients.dtype(), {all.shape()[0]});
  if (!out) return out.status();
  set_zeros(*out);
  auto rank = start.elements();
  const auto *at = all.data<int64_t>(), *part = chosen.data<int64_t>(),
             *begin = start.data<int64_t>();
  int64_t next = 0;
  for (int64_t i = 0; i < out->elements(); ++i, at += rank) {
    auto is_next = next < gradients.elements();
    for (int64_t axis = 0; is_next && axis < rank; ++axis) {
      int64_t difference;
      is_next = !__builtin_sub_overflow(at[axis], begin[axis], &difference) &&
                difference == part[next * rank + axis];
    }
    if (is_next) copy_elements(*out, i, gradients, next++, 1);
  }
  if (next < gradients.elements())
    return invalid_argument(
        "index " + show_index({part + next * rank, static_cast<size_t>(rank)}) +
        " of the slice is not one of its input, in their order");
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_sparse_kernels(KernelCatalog& catalog) {
  catalog.add_compute("SparseReshape", reshape_sparse);
  catalog.add_compute("SparseReorder", reorder_sparse);
  catalog.add_compute("SparseSlice", slice_sparse);
  catalog.add("SparseSplit", [](const Node& node) {
    return Kernel{.compute = [parts = node.attr<int64_t>("num_split")](Launch& launch) {
      return split_sparse(launch, parts);
    }};
  });
  catalog.add_compute("SparseSliceGrad", compute_slice_grad);
  add_sparse_dense_kernels(catalog);
  add_sparse_rows_kernels(catalog);
  add_edit_distance_kernels(catalog);
}

}  // namespace troupe::cpu
