#include "troupe/devices/resources/tensor_array.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/element_rows.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe::cpu {
namespace {

/// A kernel that does something with the array whose handle is input 0.
template <Status (*use)(Launch&, TensorArrayResource&)>
Status use_array(Launch& launch) {
  auto array = resource_input<TensorArrayResource>(launch, 0);
  return array ? use(launch, **array) : array.status();
}

/// Sets output 1 to the start of the flow that orders what is done with an array. (Its value means
/// nothing; of gradients of the flow there may be sums.)
Status set_flow(Launch& launch) {
  auto flow = launch.allocate(DType::float32, {});
  if (!flow) return flow.status();
  *flow->mutable_data<float>() = 0;
  launch.set(1, *std::move(flow));
  return {};
}

Result<Kernel> make_tensor_array(const Node& node) {
  TensorArrayResource::Options options{
      .dtype = node.attr<DType>("dtype"),
      .element_shape = node.attr<Shape>("element_shape"),
      .identical_element_shapes = node.attr<bool>("identical_element_shapes"),
      .dynamic_size = node.attr<bool>("dynamic_size"),
      .clear_after_read = node.attr<bool>("clear_after_read")};
  const auto& given = node.attr<std::string>("tensor_array_name");
  auto compute = [options, name = given.empty() ? node.name : given](Launch& launch) -> Status {
    const auto& size = launch.input(0);
    if (!size.shape().is_scalar())
      return invalid_argument(
          "the size must be a scalar, but has the shape " + size.shape().to_string());
    if (size.value<int32_t>() < 0)
      return invalid_argument(
          "the size must not be negative, but is " + std::to_string(size.value<int32_t>()));
    auto array = std::make_shared<TensorArrayResource>(name, size.value<int32_t>(), options);
    launch.set(0, Tensor::scalar(launch.step_resources().add(name, std::move(array))));
    return set_flow(launch);
  };
  return Kernel{.compute = std::move(compute)};
}

/// `has_outer`: input 2 is the shape that precedes those of the elements.
KernelCatalog::Make make_gradient_array(bool has_outer) {
  return [has_outer](const Node& node) -> Result<Kernel> {
    auto compute = [has_outer,
                    source = node.attr<std::string>("source")](Launch& launch) -> Status {
      auto array = resource_input<TensorArrayResource>(launch, 0);
      if (!array) return array.status();
      auto outer = has_outer ? shape_input(launch.input(2)) : Result<Shape>(Shape());
      if (!outer) return outer.status();
      auto gradient = (*array)->gradient(source, *outer);
      if (!gradient) return gradient.status();
      // The array holds it, and so the step.
      auto handle = launch.input(0).value<ResourceHandle>();
      handle.name += "@" + source;
      handle.resource = *std::move(gradient);
      launch.set(0, Tensor::scalar(std::move(handle)));
      return set_flow(launch);
    };
    return Kernel{.compute = std::move(compute)};
  };
}

Result<int32_t> element_index(const Tensor& given) {
  if (given.shape().is_scalar()) return given.value<int32_t>();
  return invalid_argument(
      "the index must be a scalar, but has the shape " + given.shape().to_string());
}

Status check_elements(const TensorArrayResource& array, DType dtype) {
  if (array.dtype() == dtype) return {};
  return invalid_argument(
      std::string("the TensorArray's elements are ") + to_string(array.dtype()) + ", not " +
      to_string(dtype));
}

Status write_element(Launch& launch, TensorArrayResource& array) {
  auto index = element_index(launch.input(1));
  if (!index) return index.status();
  if (auto status = check_elements(array, launch.input(2).dtype()); !status.ok()) return status;
  HostElementMath math(launch);
  launch.set(0, launch.take_input(3));
  return array.write(*index, launch.take_input(2), math);
}

Status read_element(Launch& launch, TensorArrayResource& array, const Shape&) {
  auto index = element_index(launch.input(1));
  if (!index) return index.status();
  HostElementMath math(launch);
  auto value = array.read(*index, math);
  if (value) launch.set(0, *std::move(value));
  return value.status();
}

Result<Tensors> read_elements(
    const Launch& launch, TensorArrayResource& array, std::span<const int32_t> indices) {
  HostElementMath math(launch);
  Tensors values;
  for (auto index : indices) {
    auto value = array.read(index, math);
    if (!value) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

Status gather_elements(Launch& launch, TensorArrayResource& array, const Shape& element_shape) {
  const auto& indices = launch.input(1);
  if (indices.shape().rank() != 1)
    return invalid_argument(
        "the indices must be a vector, but have the shape " + indices.shape().to_string());
  auto known = array.restrict_element_shape(element_shape);
  if (!known) return known.status();
  auto values = read_elements(launch, array, indices.values<int32_t>());
  return values ? set_stack(launch, array.dtype(), *values, *known) : values.status();
}

Status concat_elements(Launch& launch, TensorArrayResource& array, const Shape& known) {
  auto count = array.concat_size();
  if (!count) return count.status();
  std::vector<int32_t> indices(static_cast<size_t>(*count));
  std::iota(indices.begin(), indices.end(), 0);
  auto values = read_elements(launch, array, indices);
  return values ? set_concatenation(launch, array.dtype(), *values, known) : values.status();
}

/// In proportion to all that the array holds: the inputs do not tell how much is copied.
int64_t joined_cost_ns(const Launch& launch) {
  auto array = resource_input<TensorArrayResource>(launch, 0);
  return array ? static_cast<int64_t>((*array)->describe().bytes / 4) : 0;
}

/// A kernel that reads elements of the dtype that the node declares, and of the shape in that
/// attribute, if there is one.
KernelCatalog::Make reading(
    Status (*read)(Launch&, TensorArrayResource&, const Shape&), const char* shape_attr) {
  return [read, shape_attr](const Node& node) -> Result<Kernel> {
    auto shape = shape_attr ? node.attr<Shape>(shape_attr) : Shape::unknown_rank();
    auto compute = [read, shape, dtype = node.attr<DType>("dtype")](Launch& launch) -> Status {
      auto array = resource_input<TensorArrayResource>(launch, 0);
      if (!array) return array.status();
      auto status = check_elements(**array, dtype);
      return status.ok() ? read(launch, **array, shape) : status;
    };
    if (!shape_attr) return Kernel{.compute = std::move(compute)};
    auto kernel = copying_kernel(node.attr<DType>("dtype"), std::move(compute));
    if (kernel) kernel->cost_ns = joined_cost_ns;
    return kernel;
  };
}

/// Writes elements of the value, from `begin` on, as an element of that shape.
Status write_part(
    Launch& launch, TensorArrayResource& array, int32_t index, const Shape& shape,
    const Tensor& value, int64_t begin) {
  auto part = part_of(value, begin, shape, launch.device().allocator());
  if (!part) return part.status();
  HostElementMath math(launch);
  return array.write(index, *std::move(part), math);
}

Status scatter_elements(Launch& launch, TensorArrayResource& array) {
  const auto &indices = launch.input(1), &value = launch.input(2);
  if (auto status = check_elements(array, value.dtype()); !status.ok()) return status;
  if (auto status = check_row_indices(indices, value); !status.ok()) return status;
  auto shape = row_of(value.shape());
  int64_t begin = 0;
  for (auto index : indices.values<int32_t>()) {
    auto status = write_part(launch, array, index, shape, value, begin);
    if (!status.ok()) return status;
    begin += shape.elements();
  }
  launch.set(0, launch.take_input(3));
  return {};
}

Status split_elements(Launch& launch, TensorArrayResource& array) {
  const auto &value = launch.input(1), &lengths = launch.input(2);
  if (auto status = check_elements(array, value.dtype()); !status.ok()) return status;
  if (auto status = check_lengths(lengths, value); !status.ok()) return status;
  if (auto status = array.begin_split(lengths.elements()); !status.ok()) return status;
  auto shape = value.shape();
  int64_t begin = 0;
  for (int32_t i = 0; i < lengths.elements(); ++i) {
    shape.set(0, lengths.data<int64_t>()[i]);
    auto status = write_part(launch, array, i, shape, value, begin);
    if (!status.ok()) return status;
    begin += shape.elements();
  }
  launch.set(0, launch.take_input(3));
  return {};
}

Status give_size(Launch& launch, TensorArrayResource& array) {
  auto size = array.size();
  return size ? set_int(launch, 0, DType::int32, *size) : size.status();
}

Status close_array(Launch&, TensorArrayResource& array) {
  array.close();
  return {};
}

/// A kernel that copies parts of a value of dtype T.
template <Status (*write)(Launch&, TensorArrayResource&)>
Result<Kernel> make_copying_write(const Node& node) {
  return copying_kernel(node.attr<DType>("T"), use_array<write>);
}

}  // namespace

void add_tensor_array_kernels(KernelCatalog& catalog) {
  catalog.add("TensorArrayV3", make_tensor_array);
  catalog.add("TensorArrayGradV3", make_gradient_array(/*has_outer=*/false));
  catalog.add("TensorArrayGradWithShape", make_gradient_array(/*has_outer=*/true));
  catalog.add_compute("TensorArrayWriteV3", use_array<write_element>);
  catalog.add("TensorArrayScatterV3", make_copying_write<scatter_elements>);
  catalog.add("TensorArraySplitV3", make_copying_write<split_elements>);
  catalog.add("TensorArrayReadV3", reading(read_element, /*shape_attr=*/nullptr));
  catalog.add("TensorArrayGatherV3", reading(gather_elements, "element_shape"));
  catalog.add("TensorArrayConcatV3", reading(concat_elements, "element_shape_except0"));
  catalog.add_compute("TensorArraySizeV3", use_array<give_size>);
  catalog.add_compute("TensorArrayCloseV3", use_array<close_array>);
}

}  // namespace troupe::cpu
