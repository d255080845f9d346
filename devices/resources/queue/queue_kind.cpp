#include "troupe/devices/resources/queue/queue.hpp"
#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {

// A queue is the same to those who use it by its handle and by reference.
void add_queue_kind(ResourceKindCatalog& catalog) {
  for (const auto* handle_op :
       {"FIFOQueue", "FIFOQueueV2", "RandomShuffleQueue", "RandomShuffleQueueV2",
        "PaddingFIFOQueue", "PaddingFIFOQueueV2", "PriorityQueue", "PriorityQueueV2"})
    catalog.add(
        {.name = QueueResource::kind_name,
         .handle_op = handle_op,
         .make = [](const Node& handle) -> Result<std::shared_ptr<Resource>> {
           auto spec = QueueSpec::of(handle);
           if (!spec) return spec.status();
           return std::shared_ptr<Resource>(std::make_shared<QueueResource>(*std::move(spec)));
         },
         .check =
             [](const Resource& resource, const Node& handle) {
               return static_cast<const QueueResource&>(resource).spec().check_declared(handle);
             },
         .says_what_differs = true});
}

}  // namespace troupe
