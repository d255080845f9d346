#include "troupe/capnp/convert/convert_resources.hpp"

#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"

namespace troupe {
namespace {

Result<ListedResource> read_resource(rpc::Resource::Reader from) {
  auto dtype = to_dtype(from.getDtype());
  auto shape = to_shape(from.getShape());
  if (!dtype) return dtype.status();
  if (!shape) return shape.status();
  return ListedResource{
      .name = {from.getContainer().cStr(), from.getName().cStr()},
      .kind = from.getKind().cStr(),
      .dtype = *dtype,
      .shape = *shape,
      .bytes = from.getBytes(),
      .device = from.getDevice().cStr(),
      .idle = std::chrono::milliseconds(from.getIdleMs()),
      .capacity = from.getCapacity(),
      .waiting_producers = from.getWaitingProducers(),
      .waiting_consumers = from.getWaitingConsumers()};
}

}  // namespace

void fill(rpc::Master::ListResourcesResults::Builder to, const ResourceList& list) {
  auto resources = to.initResources(static_cast<unsigned>(list.resources.size()));
  for (unsigned i = 0; i < list.resources.size(); ++i) {
    const auto& resource = list.resources[i];
    resources[i].setContainer(resource.name.container);
    resources[i].setName(resource.name.name);
    resources[i].setKind(resource.kind);
    resources[i].setDtype(static_cast<uint16_t>(resource.dtype));
    fill(resources[i].initShape(), resource.shape);
    resources[i].setBytes(resource.bytes);
    resources[i].setDevice(resource.device);
    resources[i].setIdleMs(static_cast<uint64_t>(resource.idle.count()));
    resources[i].setCapacity(resource.capacity);
    resources[i].setWaitingProducers(resource.waiting_producers);
    resources[i].setWaitingConsumers(resource.waiting_consumers);
  }
  auto missing = to.initMissing(static_cast<unsigned>(list.missing.size()));
  for (unsigned i = 0; i < list.missing.size(); ++i) fill(missing[i], list.missing[i]);
}

Result<ResourceList> to_resource_list(rpc::Master::ListResourcesResults::Reader from) {
  return checked([from]() -> Result<ResourceList> {
    ResourceList list;
    for (auto resource : from.getResources()) {
      auto read = read_resource(resource);
      if (!read) return read.status();
      list.resources.push_back(*std::move(read));
    }
    for (auto status : from.getMissing()) list.missing.push_back(to_status(status));
    return list;
  });
}

}  // namespace troupe
