#include "troupe/actors/world/world.hpp"

namespace troupe {

World::Time World::now() { return system().clock().now().time_since_epoch(); }

void World::after(Time delay, const caf::strong_actor_ptr& to, caf::message message) {
  auto& clock = system().clock();
  clock.schedule_message(
      clock.now() + delay, to,
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(message)));
}

}  // namespace troupe
