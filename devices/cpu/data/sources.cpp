#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/elements.hpp"
#include "troupe/devices/device.hpp"

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
    if (is_opaque(component.dtype()))
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

}  // namespace

void add_dataset_sources_kernels(KernelCatalog& catalog) {
  catalog.add("TensorDataset", make_tensor_dataset);
  catalog.add("TensorSliceDataset", make_slice_dataset);
  catalog.add("RangeDataset", make_range_dataset);
}

}  // namespace troupe::cpu
