#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// Whether element a comes before b, the greatest first; NaN comes last.
template <class T>
bool ranks_before(T a, T b) {
  auto x = promote(a), y = promote(b);
  return x > y || (y != y && x == x);
}

/// The rows along the last axis.
struct Rows {
  int64_t count = 0;
  int64_t length = 0;

  static Result<Rows> of(const Tensor& x) {
    if (x.shape().rank() == 0)
      return invalid_argument("the input must have at least rank 1, but is a scalar");
    auto length = x.shape()[x.shape().rank() - 1];
    int64_t count = 1;
    for (auto size : x.shape().sizes().first(static_cast<size_t>(x.shape().rank() - 1)))
      count *= size;
    return Rows{.count = count, .length = length};
  }
};

template <class T>
void choose_row(
    const T* row, int64_t length, int64_t k, bool is_sorted, std::vector<int32_t>& order, T* values,
    int32_t* indices) {
  order.resize(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), 0);
  auto before = [row](int32_t a, int32_t b) {
    if (ranks_before(row[a], row[b])) return true;
    return !ranks_before(row[b], row[a]) && a < b;
  };
  if (k < length) std::nth_element(order.begin(), order.begin() + k, order.end(), before);
  if (is_sorted) std::sort(order.begin(), order.begin() + k, before);
  for (int64_t i = 0; i < k; ++i) {
    indices[i] = order[static_cast<size_t>(i)];
    values[i] = row[indices[i]];
  }
}

template <class T>
Status compute_top_k(Launch& launch, int64_t k, bool is_sorted) {
  const auto& x = launch.input(0);
  auto rows = Rows::of(x);
  if (!rows) return rows.status();
  if (k < 0) return invalid_argument("k must not be negative, but is " + std::to_string(k));
  if (k > rows->length)
    return invalid_argument(
        "k is " + std::to_string(k) + ", but a row of " + x.shape().to_string() + " is shorter");
  if (rows->length > std::numeric_limits<int32_t>::max())
    return invalid_argument("a row of " + x.shape().to_string() + " is too long for int32 indices");
  auto shape = x.shape();
  shape.set(shape.rank() - 1, k);
  auto values = launch.allocate(x.dtype(), shape);
  if (!values) return values.status();
  auto indices = launch.allocate(DType::int32, shape);
  if (!indices) return indices.status();
  const auto* from = x.data<T>();
  auto* to = values->template mutable_data<T>();
  auto* places = indices->template mutable_data<int32_t>();
  parallel_ranges(rows->count, 16 * rows->length, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> order;
    for (auto i = begin; i < end; ++i)
      choose_row(
          from + i * rows->length, rows->length, k, is_sorted, order, to + i * k, places + i * k);
  });
  launch.set(0, *std::move(values));
  launch.set(1, *std::move(indices));
  return {};
}

Result<int64_t> scalar_input(const Tensor& tensor, const char* name) {
  auto given = IntInput::of(tensor);
  if (!given) return given.status();
  if (given->count() == 1 && tensor.shape().rank() == 0) return (*given)[0];
  return invalid_argument(
      std::string(name) + " must be a scalar, not of shape " + tensor.shape().to_string());
}

Result<Kernel> make_top_k(const Node& node) {
  auto is_sorted = node.attr<bool>("sorted");
  auto fixed = node.op->name() == "TopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  return dispatch(Real{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) -> Status {
      if (fixed) return compute_top_k<T>(launch, *fixed, is_sorted);
      auto k = scalar_input(launch.input(1), "k");
      return k ? compute_top_k<T>(launch, *k, is_sorted) : k.status();
    }};
  });
}

/// Whether fewer than k classes have a greater prediction than the target.
template <class T>
bool is_in_top_k(const float* row, int64_t classes, T target, int64_t k) {
  if (target < 0 || target >= classes) return false;
  auto own = row[target];
  int64_t greater = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    greater += row[i] > own;
  }
  return greater < k;
}

template <class T>
Status compute_in_top_k(Launch& launch, int64_t k) {
  const auto& predictions = launch.input(0);
  const auto& targets = launch.input(1);
  if (predictions.shape().rank() != 2)
    return invalid_argument(
        "predictions must have rank 2, not the shape " + predictions.shape().to_string());
  if (targets.shape().rank() != 1 || targets.shape()[0] != predictions.shape()[0])
    return invalid_argument(
        "targets must have one element for each row of predictions, of shape " +
        predictions.shape().to_string() + ", but have the shape " + targets.shape().to_string());
  auto out = launch.allocate(DType::boolean, targets.shape());
  if (!out) return out.status();
  auto classes = predictions.shape()[1];
  auto* result = out->template mutable_data<bool>();
  parallel_ranges(targets.elements(), classes, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      result[i] =
          is_in_top_k(predictions.data<float>() + i * classes, classes, targets.data<T>()[i], k);
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_in_top_k(const Node& node) {
  auto fixed = node.op->name() == "InTopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  return dispatch(Types<int32_t, int64_t>{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) -> Status {
      if (fixed) return compute_in_top_k<T>(launch, *fixed);
      auto k = scalar_input(launch.input(2), "k");
      return k ? compute_in_top_k<T>(launch, *k) : k.status();
    }};
  });
}

template <class T>
Status compute_nth_element(Launch& launch, bool reverse) {
  const auto& x = launch.input(0);
  auto rows = Rows::of(x);
  if (!rows) return rows.status();
  auto n = scalar_input(launch.input(1), "n");
  if (!n) return n.status();
  if (*n < 0 || *n >= rows->length)
    return invalid_argument(
        "n is " + std::to_string(*n) + ", but the last axis of " + x.shape().to_string() +
        " has no such element");
  auto out = launch.allocate(
      x.dtype(), Shape(x.shape().sizes().first(static_cast<size_t>(x.shape().rank() - 1))));
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  auto place = reverse ? *n : rows->length - 1 - *n;  // the greatest come first
  parallel_ranges(rows->count, 8 * rows->length, [&](int64_t begin, int64_t end) {
    std::vector<T> row(static_cast<size_t>(rows->length));
    for (auto i = begin; i < end; ++i) {
      std::copy_n(x.data<T>() + i * rows->length, rows->length, row.begin());
      std::nth_element(row.begin(), row.begin() + place, row.end(), ranks_before<T>);
      result[i] = row[static_cast<size_t>(place)];
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_nth_element(const Node& node) {
  return dispatch(Real{}, node.attr<DType>("T"), [reverse = node.attr<bool>("reverse")](auto zero) {
    using T = decltype(zero);
    return Kernel{
        .compute = [=](Launch& launch) { return compute_nth_element<T>(launch, reverse); }};
  });
}

}  // namespace

void add_ranking_kernels(KernelCatalog& catalog) {
  catalog.add("TopK", make_top_k);
  catalog.add("TopKV2", make_top_k);
  catalog.add("InTopK", make_in_top_k);
  catalog.add("InTopKV2", make_in_top_k);
  catalog.add("NthElement", make_nth_element);
}

}  // namespace troupe::cpu
