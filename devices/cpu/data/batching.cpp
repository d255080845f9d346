#include "troupe/devices/cpu/data/batching.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/elements.hpp"
#include "troupe/devices/cpu/data/windows.hpp"
#include "troupe/devices/data/stepped_source.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;
using SharedPadding = std::shared_ptr<const Padding>;
/// What elements become that are there in the right number.
using Stack = std::function<Pulled(const std::vector<Element>&, Allocator&)>;

class Batches final : public data::SteppedSource {
 public:
  Batches(SharedIteration iteration, data::SharedSource input, BatchSize size, Stack stack)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        size_(size),
        stack_(std::move(stack)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) {
      elements_.clear();
      return answer;
    }
    if (answer->has_value()) {
      elements_.push_back(**std::move(answer));
      if (std::ssize(elements_) < size_.rows) return {};
    } else if (elements_.empty() || size_.drops_remainder) {
      elements_.clear();
      return data::end_of_sequence();
    }
    auto batch = stack_(elements_, iteration_->device().allocator());
    elements_.clear();
    return batch;
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  BatchSize size_;
  Stack stack_;
  std::vector<Element> elements_;
};

/// As Batches, of elements that are computed: those of a batch of which one failed are left out.
class CalledBatches final : public data::SteppedSource {
 public:
  CalledBatches(SharedIteration iteration, data::SharedSource input, BatchSize size)
      : iteration_(std::move(iteration)), input_(std::move(input)), size_(size) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    auto is_end = answer.ok() && !answer->has_value();
    if (is_end && (pulled_ == 0 || (size_.drops_remainder && status_.ok()))) {
      pulled_ = 0;
      elements_.clear();
      return answer;
    }
    if (!answer.ok() && status_.ok()) status_ = answer.status();
    if (answer.ok() && !is_end) elements_.push_back(**std::move(answer));
    if (!is_end && ++pulled_ < size_.rows && !iteration_->is_stopped()) return {};
    auto batch = status_.ok() ? stack(elements_, iteration_->device().allocator())
                              : Pulled(std::exchange(status_, Status()));
    elements_.clear();
    pulled_ = 0;
    return batch;
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  BatchSize size_;
  std::vector<Element> elements_;
  int64_t pulled_ = 0;  // of the batch, with those that failed
  Status status_;       // of the first of these
};

KernelCatalog::Make make_batch(bool has_remainder) {
  return [=](const Node& node) -> Result<Kernel> {
    return transform_kernel(
        node, [=](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
          auto size = batch_size_inputs(launch, 1, has_remainder ? 2 : -1);
          if (!size) return size.status();
          return over<Batches>(input, *size, Stack(stack));
        });
  };
}

Result<std::vector<int64_t>> padding_shape(const Tensor& tensor) {
  if (tensor.shape().rank() != 1) return invalid_argument("All padded shapes must be vectors");
  auto values = tensor.values<int64_t>();
  for (auto size : values)
    if (size < -1) return invalid_argument("a padded shape has the size " + std::to_string(size));
  return std::vector<int64_t>(values.begin(), values.end());
}

Result<Kernel> make_sparse_batch(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    if ((*input)->dtypes().size() != 1)
      return invalid_argument(
          "DenseToSparseBatchDataset only supports inputs with a single component.");
    if (auto status = attrs.check({DType::string}); !status.ok()) return status;
    auto size = batch_size_inputs(launch, 1, -1);
    if (!size) return size.status();
    const auto& row = launch.input(2);
    if (row.shape().rank() != 1) return invalid_argument("row_shape must be a vector");
    auto sizes = row.values<int64_t>();
    if (auto shape = Shape::make(sizes); !shape) return shape.status();
    auto stack = [row = std::vector<int64_t>(sizes.begin(), sizes.end())](
                     const auto& elements, Allocator& allocator) {
      return stack_sparse(elements, row, allocator);
    };
    return set_dataset(launch, make_dataset(attrs, over<Batches>(*input, *size, Stack(stack))));
  }};
}

/// Inputs 2 to 2 + count are shapes, those behind them values.
Result<SharedPadding> padding_input(const Launch& launch, const DTypes& dtypes, int64_t count) {
  if (count != std::ssize(dtypes))
    return invalid_argument(
        "Number of padded shapes (" + std::to_string(count) +
        ") must match the number of components in the input dataset's elements (" +
        std::to_string(dtypes.size()) + ")");
  auto padding = std::make_shared<Padding>();
  for (int i = 0; i < static_cast<int>(count); ++i) {
    auto shape = padding_shape(launch.input(2 + i));
    if (!shape) return shape.status();
    const auto& value = launch.input(2 + static_cast<int>(count) + i);
    if (!value.shape().is_scalar()) return invalid_argument("All padding values must be scalars");
    if (value.dtype() != dtypes[static_cast<size_t>(i)])
      return invalid_argument(
          "Mismatched type between padding value " + std::to_string(i) +
          " and input dataset's component " + std::to_string(i) + ": " + to_string(value.dtype()) +
          " vs. " + to_string(dtypes[static_cast<size_t>(i)]));
    padding->sizes.push_back(*std::move(shape));
    padding->values.push_back(value);
  }
  return SharedPadding(std::move(padding));
}

KernelCatalog::Make make_padded_batch(bool has_remainder) {
  return [=](const Node& node) -> Result<Kernel> {
    auto count = node.attr<int64_t>("N");
    return transform_kernel(
        node, [=](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
          auto size = batch_size_inputs(launch, 1, has_remainder ? launch.input_count() - 1 : -1);
          if (!size) return size.status();
          auto padding = padding_input(launch, input->dtypes(), count);
          if (!padding) return padding.status();
          return over<Batches>(
              input, *size, Stack([padding = *padding](const auto& elements, Allocator& allocator) {
                return stack_padded(elements, *padding, allocator);
              }));
        });
  };
}

/// The slices of all components of each element, along axis 0.
class Unbatched final : public data::SteppedSource {
 public:
  Unbatched(SharedIteration iteration, data::SharedSource input)
      : iteration_(std::move(iteration)), input_(std::move(input)) {}

 private:
  std::optional<Pulled> begin() override {
    if (next_ == rows_) return {};
    return next_row();
  }
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok() || !answer->has_value()) return answer;
    batch_ = **std::move(answer);
    next_ = rows_ = 0;
    if (auto status = check(batch_); !status.ok()) return Pulled(status);
    rows_ = batch_[0].shape()[0];
    if (rows_ == 0) return {};
    return next_row();
  }

  static Status check(const Element& batch) {
    for (const auto& component : batch) {
      if (component.shape().is_scalar())
        return invalid_argument("Input element must have a non-scalar value in each component.");
      if (component.shape()[0] != batch[0].shape()[0])
        return invalid_argument(
            "Input element must have the same batch size in each component. Component 0 had size " +
            std::to_string(batch[0].shape()[0]) + " but another had size " +
            std::to_string(component.shape()[0]) + ".");
      if (!can_be_rows(component.dtype()))
        return unimplemented(
            std::string("a ") + to_string(component.dtype()) + " tensor cannot be sliced");
    }
    return {};
  }

  Pulled next_row() {
    Element row;
    for (const auto& component : batch_) {
      auto slice = slice_of(component, next_, iteration_->device().allocator());
      if (!slice) return slice.status();
      row.push_back(*std::move(slice));
    }
    if (++next_ == rows_) batch_.clear();
    return std::optional<Element>(std::move(row));
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  Element batch_;
  int64_t next_ = 0, rows_ = 0;
};

Result<Kernel> make_unbatch(const Node& node) {
  return transform_kernel(node, [](Launch&, const SharedDataset& input) -> Result<Iterate> {
    return over<Unbatched>(input);
  });
}

}  // namespace

Result<BatchSize> batch_size_inputs(const Launch& launch, int at, int remainder) {
  auto rows = number_input(launch, at, "batch_size");
  if (!rows) return rows.status();
  if (*rows <= 0) return invalid_argument("Batch size must be greater than zero.");
  if (remainder < 0) return BatchSize{*rows, false};
  auto drops = flag_input(launch, remainder, "drop_remainder");
  if (!drops) return drops.status();
  return BatchSize{*rows, *drops};
}

data::SharedSource batches_of_calls(
    const SharedIteration& iteration, data::SharedSource input, BatchSize size) {
  return std::make_shared<CalledBatches>(iteration, std::move(input), size);
}

void add_dataset_batching_kernels(KernelCatalog& catalog) {
  catalog.add("BatchDataset", make_batch(false));
  catalog.add("BatchDatasetV2", make_batch(true));
  catalog.add("PaddedBatchDataset", make_padded_batch(false));
  catalog.add("PaddedBatchDatasetV2", make_padded_batch(true));
  for (const auto* op : {"DenseToSparseBatchDataset", "ExperimentalDenseToSparseBatchDataset"})
    catalog.add(op, make_sparse_batch);
  for (const auto* op : {"UnbatchDataset", "ExperimentalUnbatchDataset"})
    catalog.add(op, make_unbatch);
  add_dataset_windows_kernels(catalog);
}

}  // namespace troupe::cpu
