// Links that are fuzzed: their targets link no devices, so no tensor lies in the memory of a card.
#include "troupe/devices/accelerator/peer_memory.hpp"

namespace troupe::accelerator {

Result<std::shared_ptr<const SharedRegion>> region_of(const Tensor&) {
  return not_found("the tensor lies in no memory that is shared");
}

}  // namespace troupe::accelerator
