#include <algorithm>
#include <cstring>
#include <numeric>

#include "troupe/devices/resources/data_flow/gradient_loops.hpp"
#include "troupe/devices/resources/data_flow/gradient_sum.hpp"

namespace troupe {
namespace {

Status mismatch(const std::string& why) { return invalid_argument("Shape mismatch: " + why); }

/// Rows of a tensor by index, which rise strictly; `counts` says how many gradients had each.
struct SparseRows {
  std::vector<int64_t> indices;
  std::vector<int32_t> counts;
  Tensor values;
};

int64_t row_elements(const Tensor& values) {
  return values.shape()[0] == 0 ? 0 : values.elements() / values.shape()[0];
}

Result<Tensor> allocate_rows(const Tensor& like, size_t count, Allocator& allocator) {
  auto shape = like.shape();
  shape.set(0, static_cast<int64_t>(count));
  return Tensor::allocate(like.dtype(), shape, allocator);
}

void copy_row(Tensor& to, size_t at, const Tensor& from, size_t row) {
  auto bytes = static_cast<size_t>(row_elements(from)) * size_of(from.dtype());
  if (bytes == 0) return;
  std::memcpy(
      static_cast<char*>(to.mutable_raw()) + at * bytes,
      static_cast<const char*>(from.raw()) + row * bytes, bytes);
}

void add_row(Tensor& to, size_t at, const Tensor& from, size_t row) {
  auto count = row_elements(from);
  gradient_loops::add(
      to, static_cast<int64_t>(at) * count, from, static_cast<int64_t>(row) * count, count);
}

/// The rows of one gradient: sorted, and those of one index summed, as a gather's gradient has an
/// index as often as it was gathered.
Result<SparseRows> to_rows(const Tensor& indices, Tensor values, Allocator& allocator) {
  auto given = indices.values<int64_t>();
  SparseRows rows;
  if (std::ranges::adjacent_find(given, std::ranges::greater_equal{}) == given.end()) {
    rows.indices.assign(given.begin(), given.end());
    rows.counts.assign(given.size(), 1);
    auto kept = gradient_loops::kept(std::move(values), allocator);
    if (!kept) return kept.status();
    rows.values = *std::move(kept);
    return rows;
  }
  std::vector<size_t> order(given.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t row) { return given[row]; });
  rows.indices.assign(given.begin(), given.end());
  std::ranges::sort(rows.indices);
  rows.indices.erase(std::unique(rows.indices.begin(), rows.indices.end()), rows.indices.end());
  rows.counts.assign(rows.indices.size(), 1);
  auto summed = allocate_rows(values, rows.indices.size(), allocator);
  if (!summed) return summed.status();
  size_t at = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    auto is_first = i == 0 || given[order[i]] != given[order[i - 1]];
    if (is_first) copy_row(*summed, i == 0 ? 0 : ++at, values, order[i]);
    else add_row(*summed, at, values, order[i]);
  }
  rows.values = *std::move(summed);
  return rows;
}

Result<SparseRows> sum_of(const SparseRows& a, const SparseRows& b, Allocator& allocator) {
  SparseRows sum;
  std::ranges::set_union(a.indices, b.indices, std::back_inserter(sum.indices));
  auto values = allocate_rows(a.values, sum.indices.size(), allocator);
  if (!values) return values.status();
  size_t of_a = 0, of_b = 0;
  for (size_t i = 0; i < sum.indices.size(); ++i) {
    auto is_in = [&](const SparseRows& rows, size_t row) {
      return row < rows.indices.size() && rows.indices[row] == sum.indices[i];
    };
    auto in_a = is_in(a, of_a), in_b = is_in(b, of_b);
    sum.counts.push_back((in_a ? a.counts[of_a] : 0) + (in_b ? b.counts[of_b] : 0));
    if (in_a) copy_row(*values, i, a.values, of_a);
    else copy_row(*values, i, b.values, of_b);
    if (in_a && in_b) add_row(*values, i, b.values, of_b);
    of_a += in_a;
    of_b += in_b;
  }
  sum.values = *std::move(values);
  return sum;
}

class SparseGradientSum final : public GradientSum {
 public:
  using GradientSum::GradientSum;

  std::unique_ptr<GradientSum> make_empty() const override {
    return std::make_unique<SparseGradientSum>(options());
  }

  Status check(const Tensors& gradient) const override {
    const auto& indices = gradient[0].shape();
    const auto& values = gradient[1].shape();
    if (indices.rank() != 1)
      return invalid_argument(
          "Input indices should be vector but received shape: " + indices.to_string());
    if (values.is_scalar()) return invalid_argument("Values cannot be 0-dimensional.");
    if (values[0] != indices[0])
      return invalid_argument(
          "Expected " + std::to_string(indices[0]) + " non-empty input values, got " +
          std::to_string(values[0]));
    if (auto status = check_shape(gradient[2]); !status.ok()) return status;
    if (auto status = check_indices(gradient[0]); !status.ok()) return status;
    return check_values(values);
  }

  Status add(Tensors gradient, Allocator& allocator) override {
    auto added = to_rows(gradient[0], std::move(gradient[1]), allocator);
    if (!added) return added.status();
    if (count_ > 0) added = sum_of(rows_, *added, allocator);
    if (!added) return added.status();
    rows_ = *std::move(added);
    ++count_;
    return {};
  }

  uint64_t bytes() const override {
    if (count_ == 0) return 0;
    return rows_.values.bytes() + rows_.indices.size() * (sizeof(int64_t) + sizeof(int32_t));
  }

  Result<Tensors> result(Allocator& allocator) override {
    auto values = options().is_mean ? gradient_loops::writable(rows_.values, allocator)
                                    : Result<Tensor>(rows_.values);
    if (!values) return values.status();
    if (options().is_mean) {
      auto count = row_elements(*values);
      for (size_t i = 0; i < rows_.counts.size(); ++i)
        gradient_loops::divide(*values, static_cast<int64_t>(i) * count, count, rows_.counts[i]);
    }
    const auto& declared = options().shape;
    std::vector<int64_t> shape(values->shape().sizes().begin(), values->shape().sizes().end());
    shape[0] = declared.has_rank() && declared.rank() > 0 ? declared[0] : Shape::unknown;
    return Tensors{to_vector(rows_.indices), *std::move(values), to_vector(shape)};
  }

 private:
  static Tensor to_vector(const std::vector<int64_t>& values) {
    return Tensor::of<int64_t>(
        {static_cast<int64_t>(values.size())}, std::span<const int64_t>(values));
  }

  /// Calls check(axis, size) for the axes of the declared shape whose size is known, from `first`
  /// on; the first error.
  template <class F>
  Status for_declared_axes(int first, const F& check) const {
    const auto& declared = options().shape;
    for (int axis = first; declared.has_rank() && axis < declared.rank(); ++axis)
      if (declared[axis] != Shape::unknown)
        if (auto status = check(axis, declared[axis]); !status.ok()) return status;
    return {};
  }

  static Status check_size(const std::string& of, int axis, int64_t expected, int64_t size) {
    if (size == expected) return {};
    return mismatch(
        "expected " + of + " dim " + std::to_string(axis) + " to be " + std::to_string(expected) +
        ", got " + std::to_string(size));
  }

  /// Of the whole gradient; unset if it is not known.
  Status check_shape(const Tensor& shape) const {
    const auto& declared = options().shape;
    if (!shape.is_set()) return {};
    if (declared.has_rank() && declared.rank() > shape.elements())
      return mismatch(
          "expected shape rank at least " + std::to_string(declared.rank()) + ", got " +
          std::to_string(shape.elements()));
    auto sizes = shape.values<int64_t>();
    return for_declared_axes(0, [&](int axis, int64_t size) {
      return check_size("shape", axis, size, sizes[static_cast<size_t>(axis)]);
    });
  }

  Status check_indices(const Tensor& tensor) const {
    const auto& declared = options().shape;
    if (!declared.has_rank() || declared.rank() == 0 || declared[0] == Shape::unknown) return {};
    auto indices = tensor.values<int64_t>();
    auto wrong = std::ranges::find_if(indices, [&](int64_t i) { return i >= declared[0]; });
    if (wrong == indices.end()) return {};
    return mismatch(
        "index of slice " + std::to_string(wrong - indices.begin()) +
        " exceeded limits of shape; index is " + std::to_string(*wrong) + " exceeded " +
        std::to_string(declared[0]));
  }

  Status check_values(const Shape& values) const {
    if (count_ == 0) {
      const auto& declared = options().shape;
      if (declared.has_rank() && declared.rank() > values.rank())
        return mismatch(
            "expected values rank at least " + std::to_string(declared.rank()) + ", got " +
            std::to_string(values.rank()));
      return for_declared_axes(1, [&](int axis, int64_t size) {
        return check_size("values", axis, size, values[axis]);
      });
    }
    const auto& summed = rows_.values.shape();
    if (summed.rank() != values.rank())
      return mismatch(
          "expected values rank " + std::to_string(summed.rank()) + ", got " +
          std::to_string(values.rank()));
    for (int axis = 1; axis < summed.rank(); ++axis)
      if (auto status = check_size("values", axis, summed[axis], values[axis]); !status.ok())
        return status;
    return {};
  }

  SparseRows rows_;
};

}  // namespace

std::unique_ptr<GradientSum> make_sparse_gradient_sum(const GradientSum::Options& options) {
  return std::make_unique<SparseGradientSum>(options);
}

}  // namespace troupe
