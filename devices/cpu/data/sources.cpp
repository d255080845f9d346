#include <algorithm>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/elements.hpp"
#include "troupe/devices/cpu/data/sources.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/files/matching_paths.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

class OneElement final : public data::ElementSource {
 public:
  explicit OneElement(Element element) : element_(std::move(element)) {}

  std::optional<Pulled> pull(Done) override {
    return Pulled(std::exchange(element_, std::nullopt));
  }

 private:
  std::optional<Element> element_;
};

class Slices final : public data::ElementSource {
 public:
  Slices(SharedIteration iteration, Tensors components)
      : iteration_(std::move(iteration)), components_(std::move(components)) {}

  std::optional<Pulled> pull(Done) override {
    if (next_ == components_[0].shape()[0]) return data::end_of_sequence();
    auto index = next_++;
    Element element;
    for (const auto& component : components_) {
      auto slice = slice_of(component, index, iteration_->device().allocator());
      if (!slice) return Pulled(slice.status());
      element.push_back(*std::move(slice));
    }
    return Pulled(std::optional<Element>(std::move(element)));
  }

 private:
  SharedIteration iteration_;
  Tensors components_;
  int64_t next_ = 0;
};

struct Range {
  int64_t start, stop, step;
};

class RangeSource final : public data::ElementSource {
 public:
  RangeSource(DType dtype, Range range) : dtype_(dtype), range_(range), next_(range.start) {}

  std::optional<Pulled> pull(Done) override {
    if (is_ended_ || (range_.step > 0 ? next_ >= range_.stop : next_ <= range_.stop))
      return data::end_of_sequence();
    auto value = dtype_ == DType::int32 ? Tensor::scalar(static_cast<int32_t>(next_))
                                        : Tensor::scalar(next_);
    is_ended_ = __builtin_add_overflow(next_, range_.step, &next_);
    return Pulled(std::optional<Element>(Element{std::move(value)}));
  }

 private:
  DType dtype_;
  Range range_;
  int64_t next_;
  bool is_ended_ = false;
};

Tensors all_inputs(const Launch& launch) {
  Tensors inputs;
  for (int i = 0; i < launch.input_count(); ++i) inputs.push_back(launch.input(i));
  return inputs;
}

Result<Kernel> make_tensor_dataset(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) {
    auto components = all_inputs(launch);
    auto status = data::check_element(components, attrs.dtypes, attrs.shapes);
    if (!status.ok()) return status;
    auto iterate = [components](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<OneElement>(components));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

Status check_slices(const Tensors& components, const ElementAttrs& attrs) {
  if (components.size() != attrs.shapes.size())
    return invalid_argument(
        "output_shapes has " + std::to_string(attrs.shapes.size()) + " entries for " +
        std::to_string(components.size()) + " components");
  for (const auto& component : components) {
    if (component.shape().is_scalar())
      return invalid_argument("All components must be at least 1-dimensional");
    if (component.shape()[0] != components[0].shape()[0])
      return invalid_argument("All components must have the same size in the 0th dimension");
    if (!can_be_rows(component.dtype()))
      return unimplemented(
          std::string("a ") + to_string(component.dtype()) + " tensor cannot be sliced");
  }
  return {};
}

Result<Kernel> make_slice_dataset(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) {
    auto components = all_inputs(launch);
    if (auto status = check_slices(components, attrs); !status.ok()) return status;
    auto iterate = [components](const SharedIteration& iteration) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<Slices>(iteration, components));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

Result<Kernel> make_range_dataset(const Node& node) {
  ElementAttrs attrs(node);
  if (attrs.dtypes != DTypes{DType::int64} && attrs.dtypes != DTypes{DType::int32})
    return invalid_argument("the elements of a range are int64 scalars");
  return Kernel{.compute = [attrs](Launch& launch) -> Status {
    Range range{};
    int64_t* values[] = {&range.start, &range.stop, &range.step};
    constexpr const char* names[] = {"start", "stop", "step"};
    for (int i = 0; i < 3; ++i) {
      auto value = number_input(launch, i, names[i]);
      if (!value) return value.status();
      *values[i] = *value;
    }
    if (range.step == 0) return invalid_argument("step must be a non-zero integer.");
    auto iterate = [range,
                    dtype = attrs.dtypes[0]](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<RangeSource>(dtype, range));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

/// A sparse tensor whose entries are in the order of their rows.
struct SparseRows {
  Tensor indices, values, shape;

  int64_t rank() const { return shape.elements(); }
  int64_t row_of(int64_t entry) const { return indices.data<int64_t>()[entry * rank()]; }

  Status check() const;
};

Status SparseRows::check() const {
  if (indices.shape().rank() != 2)
    return invalid_argument("Input indices must be a matrix. Got: " + indices.shape().to_string());
  if (values.shape().rank() != 1)
    return invalid_argument("Input values must be a vector. Got: " + values.shape().to_string());
  if (shape.shape().rank() != 1)
    return invalid_argument("Input shape must be a vector. Got: " + shape.shape().to_string());
  if (values.elements() != indices.shape()[0])
    return invalid_argument(
        "Number of values must match first dimension of indices. Got " +
        std::to_string(values.elements()) +
        " values, indices shape: " + indices.shape().to_string());
  if (shape.elements() != indices.shape()[1])
    return invalid_argument(
        "Number of dimensions must match second dimension of indices. Got " +
        std::to_string(shape.elements()) +
        " dimensions, indices shape: " + indices.shape().to_string());
  if (shape.elements() == 0)
    return invalid_argument("The shape argument requires at least one element.");
  if (auto sizes = Shape::make(shape.values<int64_t>()); !sizes) return sizes.status();
  for (int64_t entry = 0; entry < values.elements(); ++entry)
    if (row_of(entry) < (entry == 0 ? 0 : row_of(entry - 1)))
      return unimplemented(
          "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered "
          "input is not currently supported.");
  return {};
}

class SparseSlices final : public data::ElementSource {
 public:
  SparseSlices(SharedIteration iteration, SparseRows rows)
      : iteration_(std::move(iteration)), rows_(std::move(rows)) {}

  std::optional<Pulled> pull(Done) override {
    if (row_ == rows_.shape.data<int64_t>()[0]) return data::end_of_sequence();
    auto begin = entry_;
    while (entry_ < rows_.values.elements() && rows_.row_of(entry_) == row_) ++entry_;
    ++row_;
    return slice(begin, entry_ - begin);
  }

 private:
  Pulled slice(int64_t begin, int64_t count) const {
    auto& allocator = iteration_->device().allocator();
    auto rank = rows_.rank();
    auto indices = Tensor::allocate(DType::int64, {count, rank - 1}, allocator);
    auto values = Tensor::allocate(rows_.values.dtype(), {count}, allocator);
    auto shape = Tensor::allocate(DType::int64, {rank - 1}, allocator);
    for (const auto* part : {&indices, &values, &shape})
      if (!*part) return part->status();
    auto* to = indices->mutable_data<int64_t>();
    for (auto entry = begin; entry < begin + count; ++entry)
      to = std::copy_n(rows_.indices.data<int64_t>() + entry * rank + 1, rank - 1, to);
    copy_elements(*values, 0, rows_.values, begin, count);
    copy_elements(*shape, 0, rows_.shape, 1, rank - 1);
    return std::optional<Element>(Element{*indices, *values, *shape});
  }

  SharedIteration iteration_;
  SparseRows rows_;
  int64_t row_ = 0, entry_ = 0;
};

/// The op says nothing of the elements: their dtypes and shapes are those of the tensor.
Result<Kernel> make_sparse_slices(const Node& node) {
  auto dtype = node.attr<DType>("Tvalues");
  if (is_opaque(dtype)) return not_copied(dtype);
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    SparseRows rows{launch.input(0), launch.input(1), launch.input(2)};
    if (auto status = rows.check(); !status.ok()) return status;
    auto described = attrs;
    auto rank = rows.rank();
    described.dtypes = {DType::int64, rows.values.dtype(), DType::int64};
    described.shapes = {Shape{Shape::unknown, rank - 1}, Shape{Shape::unknown}, Shape{rank - 1}};
    auto iterate = [rows](const SharedIteration& iteration) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<SparseSlices>(iteration, rows));
    };
    return set_dataset(launch, make_dataset(described, iterate));
  }};
}

/// The paths that match patterns, in order for each of them. They are looked for when they are
/// asked for.
class MatchingPaths final : public data::ElementSource {
 public:
  explicit MatchingPaths(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  std::optional<Pulled> pull(Done) override {
    while (next_path_ == paths_.size()) {
      if (next_pattern_ == patterns_.size()) {
        if (has_match_) return data::end_of_sequence();
        return Pulled(not_found("no file matches the patterns"));
      }
      auto paths = matching_paths(patterns_[next_pattern_++]);
      if (!paths) return Pulled(paths.status());
      paths_ = *std::move(paths);
      std::ranges::sort(paths_);
      next_path_ = 0;
      has_match_ = has_match_ || !paths_.empty();
    }
    auto path = Tensor::string(std::move(paths_[next_path_++]));
    return Pulled(std::optional<Element>(Element{std::move(path)}));
  }

 private:
  std::vector<std::string> patterns_, paths_;
  size_t next_pattern_ = 0, next_path_ = 0;
  bool has_match_ = false;
};

Result<Kernel> make_matching_files(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    const auto& input = launch.input(0);
    if (input.shape().rank() > 1) return invalid_argument("patterns must be a scalar or a vector");
    auto values = input.values<std::string>();
    std::vector<std::string> patterns(values.begin(), values.end());
    auto iterate = [patterns](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<MatchingPaths>(patterns));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

}  // namespace

data::SharedSource slices_source(const SharedIteration& iteration, Tensors components) {
  return std::make_shared<Slices>(iteration, std::move(components));
}

void add_dataset_sources_kernels(KernelCatalog& catalog) {
  catalog.add("TensorDataset", make_tensor_dataset);
  catalog.add("TensorSliceDataset", make_slice_dataset);
  catalog.add("RangeDataset", make_range_dataset);
  catalog.add("SparseTensorSliceDataset", make_sparse_slices);
  for (const auto* op : {"MatchingFilesDataset", "ExperimentalMatchingFilesDataset"})
    catalog.add(op, make_matching_files);
}

}  // namespace troupe::cpu
