#include "troupe/actors/device/arriving_tensors.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/accelerator/filling_memory.hpp"

namespace troupe {

using accelerator::CopiesInPieces;
using accelerator::FillingMemory;

size_t copy_arriving(Deliver& message, Device& device, const DeviceActor& actor) {
  if (std::ranges::none_of(message.tensors, FillingMemory::is_filling)) return 0;
  auto* copies = dynamic_cast<CopiesInPieces*>(&device);
  // A link may outlive the device's actor, which has handles of links: none may keep the other.
  auto give_on = [address = actor.address()](Deliver arrived) {
    if (auto to = caf::actor_cast<caf::strong_actor_ptr>(address))
      caf::anon_send(caf::actor_cast<DeviceActor>(to), std::move(arrived));
  };
  size_t dropped = 0;
  Deliver whole{.step = message.step, .edges = {}, .tensors = {}};
  for (size_t i = 0; i < message.edges.size(); ++i) {
    auto& tensor = message.tensors[i];
    auto edge = message.edges[i];
    if (!FillingMemory::is_filling(tensor)) {
      whole.edges.push_back(edge);
      whole.tensors.push_back(std::move(tensor));
    } else if (copies) {
      copies->copy_in_in_pieces(tensor, [step = message.step, edge, give_on](Tensor copy) {
        give_on({step, {edge}, {std::move(copy)}});
      });
    } else {
      ++dropped;
    }
  }
  message = std::move(whole);
  return dropped;
}

}  // namespace troupe
