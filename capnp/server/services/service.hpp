#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "troupe/actors/client_messages.hpp"
#include "troupe/devices/accelerator/peer_memory.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe {

/// What a node says of its task.
struct NodeIdentity {
  std::string job;
  int task = 0;
  uint64_t incarnation = 0;
  uint32_t protocol_version = 0;  // of the protocol between nodes
};

/// What an RpcServer serves: the task of this process.
struct Service {
  caf::actor_system& system;
  MasterActor master;
  /// Stops the server: drains it, calls `drained`, and ends everything else within `time`. Returns
  /// at once.
  std::function<void(std::chrono::milliseconds time, DoneStatus drained)> stop;
  NodeIdentity identity;
  /// Gives the tensors from other nodes, and what clients feed, their memory.
  Allocator* receive_allocator = &heap_allocator();
  accelerator::OpenRegion open_region = {};  // of other nodes of the host; unset: there is no card
  /// Connects to nodes of this host by TCP, too.
  bool tcp_only = false;
};

}  // namespace troupe
