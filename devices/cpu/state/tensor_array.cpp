#include "troupe/devices/cpu/state/tensor_array.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/tensor_array.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe::cpu {
namespace {

/// The array whose handle is input 0 of a launch, and what computes on its elements.
struct ArrayCall final : ElementMath {
  Launch& launch;
  const ElementRows& rows;
  TensorArrayResource& array;

  ArrayCall(Launch& launch, const ElementRows& rows, TensorArrayResource& array)
      : launch(launch), rows(rows), array(array) {}
  Result<Tensor> zeros(DType dtype, const Shape& shape) override {
    return rows.zeros(launch, dtype, shape);
  }
  Result<Tensor> sum(Tensor a, const Tensor& b) override {
    return rows.sum(launch, std::move(a), b);
  }
};

using Use = Status (*)(ArrayCall& call);

/// A kernel that does something with an array.
KernelCatalog::Compute using_array(const ElementRows& rows, Use use) {
  return [&rows, use](Launch& launch) -> Status {
    auto array = resource_input<TensorArrayResource>(launch, 0);
    if (!array) return array.status();
    ArrayCall call(launch, rows, **array);
    return use(call);
  };
}

/// Sets output 1 to the start of the flow that orders what is done with an array. (Its value means
/// nothing; of gradients of the flow there may be sums.)
Status set_flow(Launch& launch, const ElementRows& rows) {
  auto flow = rows.zeros(launch, DType::float32, {});
  if (flow) launch.set(1, *std::move(flow));
  return flow.status();
}

Result<Kernel> make_tensor_array(const Node& node, const ElementRows& rows) {
  TensorArrayResource::Options options{
      .dtype = node.attr<DType>("dtype"),
      .element_shape = node.attr<Shape>("element_shape"),
      .identical_element_shapes = node.attr<bool>("identical_element_shapes"),
      .dynamic_size = node.attr<bool>("dynamic_size"),
      .clear_after_read = node.attr<bool>("clear_after_read")};
  const auto& given = node.attr<std::string>("tensor_array_name");
  auto compute = [&rows, options,
                  name = given.empty() ? node.name : given](Launch& launch) -> Status {
    const auto& size = launch.input(0);
    if (!size.shape().is_scalar())
      return invalid_argument(
          "the size must be a scalar, but has the shape " + size.shape().to_string());
    if (size.value<int32_t>() < 0)
      return invalid_argument(
          "the size must not be negative, but is " + std::to_string(size.value<int32_t>()));
    auto array = std::make_shared<TensorArrayResource>(name, size.value<int32_t>(), options);
    launch.set(0, Tensor::scalar(launch.step_resources().add(name, std::move(array))));
    return set_flow(launch, rows);
  };
  return Kernel{.compute = std::move(compute)};
}

/// `has_outer`: input 2 is the shape that precedes those of the elements.
KernelCatalog::Make make_gradient_array(const ElementRows& rows, bool has_outer) {
  return [&rows, has_outer](const Node& node) -> Result<Kernel> {
    auto compute = [&rows, has_outer,
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
      return set_flow(launch, rows);
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

Status write_element(ArrayCall& call) {
  auto& launch = call.launch;
  auto index = element_index(launch.input(1));
  if (!index) return index.status();
  if (auto status = check_elements(call.array, launch.input(2).dtype()); !status.ok())
    return status;
  launch.set(0, launch.take_input(3));
  return call.array.write(*index, launch.take_input(2), call);
}

Status read_element(ArrayCall& call, const Shape&) {
  auto index = element_index(call.launch.input(1));
  if (!index) return index.status();
  auto value = call.array.read(*index, call);
  if (value) call.launch.set(0, *std::move(value));
  return value.status();
}

Result<Tensors> read_elements(ArrayCall& call, std::span<const int32_t> indices) {
  Tensors values;
  for (auto index : indices) {
    auto value = call.array.read(index, call);
    if (!value) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

Status gather_elements(ArrayCall& call, const Shape& element_shape) {
  const auto& indices = call.launch.input(1);
  if (indices.shape().rank() != 1)
    return invalid_argument(
        "the indices must be a vector, but have the shape " + indices.shape().to_string());
  auto known = call.array.restrict_element_shape(element_shape);
  if (!known) return known.status();
  auto values = read_elements(call, indices.values<int32_t>());
  return values ? set_stack(call.launch, call.rows, call.array.dtype(), *values, *known)
                : values.status();
}

Status concat_elements(ArrayCall& call, const Shape& known) {
  auto count = call.array.concat_size();
  if (!count) return count.status();
  std::vector<int32_t> indices(static_cast<size_t>(*count));
  std::iota(indices.begin(), indices.end(), 0);
  auto values = read_elements(call, indices);
  return values ? set_concatenation(call.launch, call.rows, call.array.dtype(), *values, known)
                : values.status();
}

/// In proportion to all that the array holds: the inputs do not tell how much is copied.
int64_t joined_cost_ns(const Launch& launch) {
  auto array = resource_input<TensorArrayResource>(launch, 0);
  return array ? static_cast<int64_t>((*array)->describe().bytes / 4) : 0;
}

/// A kernel of elements of that dtype, which `copies` them or gives them on.
Result<Kernel> array_kernel(DType dtype, bool copies, KernelCatalog::Compute compute) {
  if (copies && is_opaque(dtype)) return not_copied(dtype);
  return Kernel{.compute = std::move(compute)};
}

/// A kernel that reads elements of the dtype that the node declares, and of the shape in that
/// attribute, if there is one.
KernelCatalog::Make reading(
    const ElementRows& rows, Status (*read)(ArrayCall&, const Shape&), const char* shape_attr) {
  return [&rows, read, shape_attr](const Node& node) -> Result<Kernel> {
    auto shape = shape_attr ? node.attr<Shape>(shape_attr) : Shape::unknown_rank();
    auto dtype = node.attr<DType>("dtype");
    auto compute = [&rows, read, shape, dtype](Launch& launch) -> Status {
      auto array = resource_input<TensorArrayResource>(launch, 0);
      if (!array) return array.status();
      if (auto status = check_elements(**array, dtype); !status.ok()) return status;
      ArrayCall call(launch, rows, **array);
      return read(call, shape);
    };
    auto kernel = array_kernel(dtype, /*copies=*/shape_attr, std::move(compute));
    if (shape_attr && kernel) kernel->cost_ns = joined_cost_ns;
    return kernel;
  };
}

/// Writes elements of the value, from `begin` on, as an element of that shape.
Status write_part(
    ArrayCall& call, int32_t index, const Shape& shape, const Tensor& value, int64_t begin) {
  auto part = call.rows.part(call.launch, value, begin, shape);
  if (!part) return part.status();
  return call.array.write(index, *std::move(part), call);
}

Status scatter_elements(ArrayCall& call) {
  auto& launch = call.launch;
  const auto &indices = launch.input(1), &value = launch.input(2);
  if (auto status = check_elements(call.array, value.dtype()); !status.ok()) return status;
  if (auto status = check_row_indices(indices, value); !status.ok()) return status;
  auto elements = call.rows.rows(launch, value);
  if (!elements) return elements.status();
  const auto* index = indices.data<int32_t>();
  for (auto& element : *elements) {
    auto status = call.array.write(*index++, std::move(element), call);
    if (!status.ok()) return status;
  }
  launch.set(0, launch.take_input(3));
  return {};
}

Status split_elements(ArrayCall& call) {
  auto& launch = call.launch;
  const auto &value = launch.input(1), &lengths = launch.input(2);
  if (auto status = check_elements(call.array, value.dtype()); !status.ok()) return status;
  if (auto status = check_lengths(lengths, value); !status.ok()) return status;
  if (auto status = call.array.begin_split(lengths.elements()); !status.ok()) return status;
  auto shape = value.shape();
  int64_t begin = 0;
  for (int32_t i = 0; i < lengths.elements(); ++i) {
    shape.set(0, lengths.data<int64_t>()[i]);
    auto status = write_part(call, i, shape, value, begin);
    if (!status.ok()) return status;
    begin += shape.elements();
  }
  launch.set(0, launch.take_input(3));
  return {};
}

Status give_size(ArrayCall& call) {
  auto size = call.array.size();
  if (size) call.launch.set(0, Tensor::scalar(*size));
  return size.status();
}

Status close_array(ArrayCall& call) {
  call.array.close();
  return {};
}

/// A kernel that writes values of dtype T; `copies`: parts of them.
KernelCatalog::Make writing(const ElementRows& rows, Use write, bool copies) {
  return [&rows, write, copies](const Node& node) -> Result<Kernel> {
    return array_kernel(node.attr<DType>("T"), copies, using_array(rows, write));
  };
}

}  // namespace

void add_array_kernels(KernelCatalog& catalog, const ElementRows& rows) {
  catalog.add("TensorArrayV3", [&rows](const Node& node) { return make_tensor_array(node, rows); });
  catalog.add("TensorArrayGradV3", make_gradient_array(rows, /*has_outer=*/false));
  catalog.add("TensorArrayGradWithShape", make_gradient_array(rows, /*has_outer=*/true));
  catalog.add("TensorArrayWriteV3", writing(rows, write_element, /*copies=*/false));
  catalog.add("TensorArrayScatterV3", writing(rows, scatter_elements, /*copies=*/true));
  catalog.add("TensorArraySplitV3", writing(rows, split_elements, /*copies=*/true));
  catalog.add("TensorArrayReadV3", reading(rows, read_element, /*shape_attr=*/nullptr));
  catalog.add("TensorArrayGatherV3", reading(rows, gather_elements, "element_shape"));
  catalog.add("TensorArrayConcatV3", reading(rows, concat_elements, "element_shape_except0"));
  catalog.add_compute("TensorArraySizeV3", using_array(rows, give_size));
  catalog.add_compute("TensorArrayCloseV3", using_array(rows, close_array));
}

}  // namespace troupe::cpu
