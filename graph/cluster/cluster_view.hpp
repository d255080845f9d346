#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What a device reports to the cluster.
struct DeviceAttributes {
  std::string type;           // "CPU"
  int index = 0;              // 0 for CPU:0
  uint64_t memory_limit = 0;  // of its allocator, in bytes
  std::string description;    // the hardware, in words

  bool operator==(const DeviceAttributes&) const = default;
};

enum class NodeState : uint8_t {
  serving,
  draining,  // it opens no sessions and runs no new steps as master
};

/// A device, as listed for a client.
struct ListedDevice {
  std::string name;  // "/job:ps/task:0/device:CPU:0"
  DeviceAttributes attributes;
  uint64_t incarnation = 0;
  uint64_t memory_in_use = 0;  // bytes, at the time of the query
  NodeState state = NodeState::serving;

  bool operator==(const ListedDevice&) const = default;
};

/// The devices of all tasks of the cluster that answer before the deadline, and for each other task
/// an error that names it.
struct DeviceList {
  std::vector<ListedDevice> devices;
  std::vector<Status> missing;

  bool operator==(const DeviceList&) const = default;
};

/// A resource, as listed for a client.
struct ListedResource {
  ResourceName name;
  std::string kind;              // "variable", "hash table", "queue"
  DType dtype = DType::float32;  // of its value; of a table, of the values in it
  Shape shape;  // of a table or a queue, one dimension: the number of its entries or elements
  uint64_t bytes = 0;  // of its value; 0 before the first assignment
  std::string device;
  std::chrono::milliseconds idle{0};  // since a step used it last
  std::optional<QueueUse> queue;      // of a queue

  bool operator==(const ListedResource&) const = default;
};

/// The resources of all tasks that answer before the deadline, and for each other task an error
/// that names it.
struct ResourceList {
  std::vector<ListedResource> resources;
  std::vector<Status> missing;

  bool operator==(const ResourceList&) const = default;
};

/// What a task reports about itself.
struct NodeInfo {
  std::string job;
  int task = 0;
  uint64_t incarnation = 0;
  uint32_t protocol_version = 0;
  ClusterSpec cluster;
  uint64_t sessions = 0;       // open now
  uint64_t steps = 0;          // run by this task as master since its start
  uint64_t late_messages = 0;  // dropped, of steps that had ended
  NodeState state = NodeState::serving;

  bool operator==(const NodeInfo&) const = default;
};

/// What a partition of a running step waits for or does.
struct Wait {
  std::string device;  // where; empty if no device has the step yet
  std::string node;    // the node that waits, and its op; empty if no node waits
  std::string op;
  std::string what;                  // a description of what it waits for
  std::string peer;                  // the task that must deliver it; empty if there is none
  std::chrono::milliseconds age{0};  // how long it has waited

  bool operator==(const Wait&) const = default;
};

/// A step that has not ended, and why.
struct WaitingStep {
  uint64_t session = 0;
  uint64_t step = 0;  // 0 before it is compiled
  std::chrono::milliseconds age{0};
  std::vector<Wait> waits;
  std::string runner;  // whose step it is, "container/name"; empty: a client's

  bool operator==(const WaitingStep&) const = default;
};

}  // namespace troupe
