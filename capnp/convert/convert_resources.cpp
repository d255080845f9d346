#include "troupe/capnp/convert/convert_resources.hpp"

#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"

namespace troupe {
namespace {

QueueTraffic read_traffic(rpc::QueueTraffic::Reader from, int64_t waiting) {
  QueueTraffic traffic{
      .elements = from.getElements(), .per_second = from.getPerSecond(), .waiting = waiting};
  if (from.getIdleMs() >= 0) traffic.idle = std::chrono::milliseconds(from.getIdleMs());
  for (auto waiter : from.getWaiters())
    traffic.waiters.push_back(
        {waiter.getNode().cStr(), std::chrono::milliseconds(waiter.getAgeMs())});
  return traffic;
}

void fill(rpc::QueueTraffic::Builder to, const QueueTraffic& traffic) {
  to.setElements(traffic.elements);
  to.setPerSecond(traffic.per_second);
  if (traffic.idle) to.setIdleMs(traffic.idle->count());
  auto waiters = to.initWaiters(static_cast<unsigned>(traffic.waiters.size()));
  for (unsigned i = 0; i < traffic.waiters.size(); ++i) {
    waiters[i].setNode(traffic.waiters[i].node);
    waiters[i].setAgeMs(static_cast<uint64_t>(traffic.waiters[i].age.count()));
  }
}

Result<ListedResource> read_resource(rpc::Resource::Reader from) {
  auto dtype = to_dtype(from.getDtype());
  auto shape = to_shape(from.getShape());
  if (!dtype) return dtype.status();
  if (!shape) return shape.status();
  ListedResource resource{
      .name = {from.getContainer().cStr(), from.getName().cStr()},
      .kind = from.getKind().cStr(),
      .dtype = *dtype,
      .shape = *shape,
      .bytes = from.getBytes(),
      .device = from.getDevice().cStr(),
      .idle = std::chrono::milliseconds(from.getIdleMs())};
  if (from.hasEnqueues() && from.hasDequeues())
    resource.queue = QueueUse{
        .capacity = from.getCapacity(),
        .enqueues = read_traffic(from.getEnqueues(), from.getWaitingProducers()),
        .dequeues = read_traffic(from.getDequeues(), from.getWaitingConsumers())};
  return resource;
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
    if (!resource.queue) continue;
    resources[i].setCapacity(resource.queue->capacity);
    resources[i].setWaitingProducers(resource.queue->enqueues.waiting);
    resources[i].setWaitingConsumers(resource.queue->dequeues.waiting);
    fill(resources[i].initEnqueues(), resource.queue->enqueues);
    fill(resources[i].initDequeues(), resource.queue->dequeues);
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
