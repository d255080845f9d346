#include "troupe/devices/resources/data_flow/barrier.hpp"

#include <algorithm>
#include <cstring>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/waiting_kernel.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using BarrierUse = LaunchedUse<BarrierResource>;
using Elements = std::vector<BarrierResource::Element>;

/// More is copied by a thread of the device.
constexpr uint64_t batch_at_once_bytes = 256 * 1024;

uint64_t bytes_of_elements(const Elements& elements) {
  uint64_t bytes = 0;
  for (const auto& element : elements)
    for (const auto& value : element.values) bytes += value.bytes();
  return bytes;
}

/// That component of all elements, as the rows of one tensor.
Result<Tensor> join_component(
    const BarrierResource::Options& options, size_t component, const Elements& elements,
    Allocator& allocator) {
  const auto& declared = options.shapes[component];
  auto row = !elements.empty()     ? elements[0].values[component].shape()
             : declared.is_known() ? declared
                                   : Shape();
  std::vector<int64_t> sizes{static_cast<int64_t>(elements.size())};
  sizes.insert(sizes.end(), row.sizes().begin(), row.sizes().end());
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto joined = Tensor::allocate(options.dtypes[component], *shape, allocator);
  if (!joined) return joined;
  auto* bytes = static_cast<char*>(joined->mutable_raw());
  for (const auto& element : elements) {
    const auto& value = element.values[component];
    if (value.dtype() == DType::string) {
      auto at = static_cast<int64_t>(&element - elements.data()) * value.elements();
      std::ranges::copy(value.values<std::string>(), joined->mutable_data<std::string>() + at);
    } else {
      std::memcpy(bytes, value.raw(), value.bytes());
      bytes += value.bytes();
    }
  }
  return joined;
}

Status set_batch(
    Launch& launch, const BarrierResource::Options& options, const Elements& elements) {
  Shape shape{static_cast<int64_t>(elements.size())};
  auto indices = launch.allocate(DType::int64, shape);
  if (!indices) return indices.status();
  auto keys = launch.allocate(DType::string, shape);
  if (!keys) return keys.status();
  for (size_t i = 0; i < elements.size(); ++i) {
    indices->mutable_data<int64_t>()[i] = elements[i].index;
    keys->mutable_data<std::string>()[i] = elements[i].key;
  }
  launch.set(0, *std::move(indices));
  launch.set(1, *std::move(keys));
  for (size_t i = 0; i < options.dtypes.size(); ++i) {
    auto values = join_component(options, i, elements, launch.device().allocator());
    if (!values) return values.status();
    launch.set(static_cast<int>(i) + 2, *std::move(values));
  }
  return {};
}

Result<Kernel> make_insert_many(const Node& node) {
  return resource_kernel<BarrierResource>(
      0, [component = node.attr<int64_t>("component_index")](
             Launch& launch, BarrierResource& barrier) {
        auto status = barrier.insert(
            component, launch.input(1), launch.input(2), launch.device().allocator());
        if (status.ok()) launch.note_change();
        return status;
      });
}

/// Fails unless the launch may take elements of the barrier as those dtypes.
Status check_take(const Launch& launch, const BarrierResource& barrier, const DTypes& dtypes) {
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument("num_elements must be a scalar.");
  if (barrier.options().dtypes == dtypes) return {};
  return invalid_argument("the components of the barrier have other dtypes");
}

Result<Kernel> make_take_many(const Node& node) {
  if (node.attr<int64_t>("timeout_ms") != -1) return invalid_argument("Timeout not supported yet.");
  auto begin = [dtypes = node.attr<DTypes>("component_types"),
                allow_small_batch = node.attr<bool>("allow_small_batch")](
                   Launch& launch, BarrierUse use) {
    if (auto status = check_take(launch, use.resource, dtypes); !status.ok())
      return use.done(status);
    auto taken = [&launch, use](Result<Elements> elements) {
      if (!elements) return use.done(elements.status());
      auto bytes = bytes_of_elements(*elements);
      auto finish = [&launch, use, elements = *std::move(elements)] {
        use.done(set_batch(launch, use.resource.options(), elements));
      };
      if (bytes > batch_at_once_bytes) launch.device().enqueue(std::move(finish));
      else finish();
    };
    auto count = launch.input(1).value<int32_t>();
    use.wait(launch, use.resource.take(count, allow_small_batch, std::move(taken)));
  };
  return waiting_kernel<BarrierResource>(
      0, "elements of a barrier", "Dequeue operation was cancelled", begin);
}

Result<Kernel> make_close(const Node& node) {
  return resource_kernel<BarrierResource>(
      0, [cancels = node.attr<bool>("cancel_pending_enqueues")](Launch&, BarrierResource& barrier) {
        return barrier.close(cancels);
      });
}

}  // namespace

void add_barrier_kernels(KernelCatalog& catalog) {
  catalog.add("BarrierInsertMany", make_insert_many);
  catalog.add("BarrierTakeMany", make_take_many);
  catalog.add("BarrierClose", make_close);
  catalog.add("BarrierReadySize", [](const Node&) -> Result<Kernel> {
    return counting_kernel(0, &BarrierResource::ready_size);
  });
  catalog.add("BarrierIncompleteSize", [](const Node&) -> Result<Kernel> {
    return counting_kernel(0, &BarrierResource::incomplete_size);
  });
}

}  // namespace troupe::cpu
