#include "troupe/actors/world/real_world.hpp"

#include "troupe/actors/node_messages.hpp"

namespace troupe {

uint64_t RealWorld::random() {
  std::lock_guard lock(mutex_);
  return (uint64_t{random_()} << 32) | random_();
}

NodeSystemConfig::NodeSystemConfig() {
  add_message_types<caf::id_block::troupe>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", size_t{1});
}

}  // namespace troupe
