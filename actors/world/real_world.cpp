#include "troupe/actors/world/real_world.hpp"

#include <filesystem>
#include <fstream>

#include "troupe/actors/node_messages.hpp"

namespace troupe {

std::string host_clock() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code error;
  auto time_namespace = std::filesystem::read_symlink("/proc/self/ns/time", error).string();
  return boot.empty() ? boot : boot + " " + time_namespace;
}

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
