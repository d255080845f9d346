#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/nn/nn.hpp"
#include "troupe/devices/cpu/vector/softmax.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {
namespace {

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

/// A row of elements as a loop takes them: 16-bit floats as floats, in memory of its own.
template <class T>
class LoopRow {
 public:
  explicit LoopRow(int64_t size) : floats_(is_half<T> ? static_cast<size_t>(size) : 0) {}

  const Promoted<T>* read(const T* row) {
    if constexpr (!is_half<T>) return row;
    else {
      widen(floats_.data(), row, static_cast<int64_t>(floats_.size()));
      return floats_.data();
    }
  }
  /// Where the row is to be written, before write() ends it.
  Promoted<T>* place(T* row) {
    if constexpr (!is_half<T>) return row;
    else return floats_.data();
  }
  void write(T* row) {
    if constexpr (is_half<T>) narrow(row, floats_.data(), static_cast<int64_t>(floats_.size()));
  }

 private:
  std::vector<float> floats_;
};

/// Sets the losses and their gradients; part(begin, end, each) calls each(row, compute) for rows,
/// and compute(loss, backprop, logits) computes those of a row.
template <class T, class F>
Status set_cross_entropy(Launch& launch, const F& part) {
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
    LoopRow<T> row(classes);
    part(begin, end, [&](int64_t i, const auto& compute) {
      auto at = i * classes;
      const auto* from = row.read(logits + at);
      Promoted<T> lost;
      compute(&lost, row.place(backprop + at), from);
      loss[i] = static_cast<T>(lost);
      row.write(backprop + at);
    });
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
Status compute_cross_entropy(Launch& launch, const vector::CrossEntropyLoops& loops) {
  const auto &logits = launch.input(0).shape(), &labels = launch.input(1).shape();
  auto status = check_logits(logits);
  if (!status.ok()) return status;
  if (logits != labels)
    return invalid_argument(
        "features and labels must have one shape, but are " + logits.to_string() + " and " +
        labels.to_string());
  const auto* label = launch.input(1).data<T>();
  auto classes = logits[1];
  return set_cross_entropy<T>(launch, [=](int64_t begin, int64_t end, const auto& each) {
    LoopRow<T> expected(classes);
    for (auto i = begin; i < end; ++i)
      each(i, [&](auto* loss, auto* backprop, const auto* row) {
        loops.dense(loss, backprop, row, expected.read(label + i * classes), classes);
      });
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
  if (classes == 0) return invalid_argument("there must be at least one class");
  const auto* label = labels.data<Label>();
  for (int64_t i = 0; i < rows; ++i)
    if (label[i] < 0 || label[i] >= classes)
      return invalid_argument(
          "label " + std::to_string(label[i]) + " of row " + std::to_string(i) + " is not in [0, " +
          std::to_string(classes) + ")");
  return {};
}

template <class T, class Label>
Status compute_sparse_cross_entropy(Launch& launch, const vector::CrossEntropyLoops& loops) {
  auto status = check_labels<T, Label>(launch.input(0), launch.input(1));
  if (!status.ok()) return status;
  const auto* label = launch.input(1).data<Label>();
  auto classes = launch.input(0).shape()[1];
  return set_cross_entropy<T>(launch, [=](int64_t begin, int64_t end, const auto& each) {
    for (auto i = begin; i < end; ++i)
      each(i, [&](auto* loss, auto* backprop, const auto* row) {
        loops.sparse(loss, backprop, row, label[i], classes);
      });
  });
}

Result<Kernel> make_cross_entropy(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    auto loops = vector::cross_entropy_loops(dtype_of<Promoted<T>>());
    return Kernel{
        .compute = [loops](Launch& launch) { return compute_cross_entropy<T>(launch, loops); },
        .cost_ns = softmax_cost_ns};
  });
}

Result<Kernel> make_sparse_cross_entropy(const Node& node) {
  auto is_long = node.attr<DType>("Tlabels") == DType::int64;
  return dispatch(Floating{}, node.attr<DType>("T"), [is_long](auto zero) {
    using T = decltype(zero);
    auto loops = vector::cross_entropy_loops(dtype_of<Promoted<T>>());
    return Kernel{
        .compute =
            [loops, is_long](Launch& launch) {
              return is_long ? compute_sparse_cross_entropy<T, int64_t>(launch, loops)
                             : compute_sparse_cross_entropy<T, int32_t>(launch, loops);
            },
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
