#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/nn/nn.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {
namespace {

/// One row of logits, read as a type with room for sums.
template <class T>
struct Row {
  using A = Promoted<T>;
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

  Eigen::Map<const Array> logits;
  A greatest;

  Row(const T* row, int64_t classes)
      : logits(row, classes), greatest(logits.template cast<A>().maxCoeff()) {}

  auto shifted() const { return logits.template cast<A>() - greatest; }
  /// Of the sum of e^shifted: what all log probabilities have in common.
  A log_sum() const { return std::log(shifted().exp().sum()); }

  /// Returns the sum that the probabilities were divided by. `out` may be the logits' own memory.
  A write_softmax(T* out) const {
    Eigen::Map<Array> result(out, logits.size());
    result = shifted().exp().template cast<T>();
    auto sum = result.template cast<A>().sum();
    result = (result.template cast<A>() * (A(1) / sum)).template cast<T>();
    return sum;
  }
};

// An exponential is worth some ten sums.
constexpr int64_t exponential_elements = 8;

int64_t softmax_cost_ns(const Launch& launch) { return 4 * launch.input(0).elements(); }

/// Computes rows of 16-bit floats from their copies as floats.
template <class T>
void softmax_by_floats(
    T* out, const T* logits, int64_t rows, int64_t size, vector::SoftmaxLoop loop) {
  std::vector<float> row(static_cast<size_t>(size));
  for (auto at = int64_t{0}; at < rows * size; at += size) {
    widen(row.data(), logits + at, size);
    loop(row.data(), row.data(), 1, size);
    narrow(out + at, row.data(), size);
  }
}

template <class T>
Status compute_softmax(Launch& launch, vector::SoftmaxLoop loop) {
  const auto shape = launch.input(0).shape();
  if (shape.rank() < 1) return invalid_argument("the logits must have at least one axis");
  auto classes = shape[shape.rank() - 1];
  const auto* logits = launch.input(0).data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  // Rows that are not there may be of any size.
  auto rows = out->elements() == 0 ? 0 : out->elements() / classes;
  if (rows > 0)
    parallel_ranges(rows, classes * exponential_elements, [&](int64_t begin, int64_t end) {
      auto at = begin * classes;
      if constexpr (is_half<T>)
        softmax_by_floats(result + at, logits + at, end - begin, classes, loop);
      else loop(result + at, logits + at, end - begin, classes);
    });
  launch.set(0, *std::move(out));
  return {};
}

template <bool is_log>
Result<Kernel> make_softmax(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    auto loop = vector::softmax_loop(dtype_of<Promoted<T>>(), is_log);
    return Kernel{
        .compute = [loop](Launch& launch) { return compute_softmax<T>(launch, loop); },
        .cost_ns = softmax_cost_ns};
  });
}

/// Sets the losses and their gradients; each(row, logits, loss, backprop) computes those of a row.
template <class T, class F>
Status set_cross_entropy(Launch& launch, const F& each) {
  const auto shape = launch.input(0).shape();
  const auto* logits = launch.input(0).data<T>();
  auto losses = launch.allocate(dtype_of<T>(), {shape[0]});
  if (!losses) return losses.status();
  auto backprops = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!backprops) return backprops.status();
  auto* loss = losses->template mutable_data<T>();
  auto* backprop = backprops->template mutable_data<T>();
  auto classes = shape[1];
  parallel_ranges(shape[0], classes * exponential_elements, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      each(i, Row<T>(logits + i * classes, classes), loss[i], backprop + i * classes);
  });
  launch.set(0, *std::move(losses));
  launch.set(1, *std::move(backprops));
  return {};
}

Status check_logits(const Shape& logits) {
  if (logits.rank() == 2 && (logits[1] > 0 || logits[0] == 0)) return {};
  return invalid_argument(
      "the features must have the shape [batch, classes], with a class at least, but have " +
      logits.to_string());
}

template <class T>
Status compute_cross_entropy(Launch& launch) {
  const auto &logits = launch.input(0).shape(), &labels = launch.input(1).shape();
  auto status = check_logits(logits);
  if (!status.ok()) return status;
  if (logits != labels)
    return invalid_argument(
        "features and labels must have one shape, but are " + logits.to_string() + " and " +
        labels.to_string());
  const auto* label = launch.input(1).data<T>();
  auto classes = logits[1];
  return set_cross_entropy<T>(launch, [=](int64_t i, const Row<T>& row, T& loss, T* backprop) {
    using A = Promoted<T>;
    typename Row<T>::Array::ConstMapType expected(label + i * classes, classes);
    auto log_sum = row.log_sum();
    loss = static_cast<T>((expected.template cast<A>() * (log_sum - row.shifted())).sum());
    auto probabilities = (row.shifted() - log_sum).exp();
    Eigen::Map<typename Row<T>::Array>(backprop, classes) =
        (probabilities - expected.template cast<A>()).template cast<T>();
  });
}

template <class T, class Label>
Status check_labels(const Tensor& logits, const Tensor& labels) {
  auto status = check_logits(logits.shape());
  if (!status.ok()) return status;
  auto rows = logits.shape()[0], classes = logits.shape()[1];
  if (labels.shape() != Shape{rows})
    return invalid_argument(
        "there must be a label for each of " + std::to_string(rows) +
        " rows, but the labels have the shape " + labels.shape().to_string());
  const auto* label = labels.data<Label>();
  for (int64_t i = 0; i < rows; ++i)
    if (label[i] < 0 || label[i] >= classes)
      return invalid_argument(
          "label " + std::to_string(label[i]) + " of row " + std::to_string(i) + " is not in [0, " +
          std::to_string(classes) + ")");
  return {};
}

template <class T, class Label>
Status compute_sparse_cross_entropy(Launch& launch) {
  auto status = check_labels<T, Label>(launch.input(0), launch.input(1));
  if (!status.ok()) return status;
  const auto* label = launch.input(1).data<Label>();
  return set_cross_entropy<T>(launch, [=](int64_t i, const Row<T>& row, T& loss, T* backprop) {
    using A = Promoted<T>;
    auto expected = label[i];
    auto logit = promote(row.logits[expected]);  // before its memory is written over
    auto sum = row.write_softmax(backprop);
    loss = static_cast<T>(std::log(sum) - (logit - row.greatest));
    backprop[expected] = static_cast<T>(promote(backprop[expected]) - A(1));
  });
}

Result<Kernel> make_cross_entropy(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = compute_cross_entropy<decltype(zero)>, .cost_ns = softmax_cost_ns};
  });
}

Result<Kernel> make_sparse_cross_entropy(const Node& node) {
  auto is_long = node.attr<DType>("Tlabels") == DType::int64;
  return dispatch(Floating{}, node.attr<DType>("T"), [is_long](auto zero) {
    using T = decltype(zero);
    return Kernel{
        .compute = is_long ? compute_sparse_cross_entropy<T, int64_t>
                           : compute_sparse_cross_entropy<T, int32_t>,
        .cost_ns = softmax_cost_ns};
  });
}

}  // namespace

void add_softmax_kernels(KernelCatalog& catalog) {
  catalog.add("Softmax", make_softmax</*is_log=*/false>);
  catalog.add("LogSoftmax", make_softmax</*is_log=*/true>);
  catalog.add("SoftmaxCrossEntropyWithLogits", make_cross_entropy);
  catalog.add("SparseSoftmaxCrossEntropyWithLogits", make_sparse_cross_entropy);
}

}  // namespace troupe::cpu
