#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/resource.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// What a device tells the cluster of itself.
struct DeviceAttributes {
  std::string type;           // "CPU"
  int index = 0;              // 0 for CPU:0
  uint64_t memory_limit = 0;  // bytes that its allocator gives out at most
  std::string description;    // the hardware, in words

  bool operator==(const DeviceAttributes&) const = default;
};

enum class NodeState : uint8_t {
  serving,
  draining,  // it opens no sessions and runs no new steps as master
};

/// A device as a client sees it.
struct ListedDevice {
  std::string name;  // "/job:ps/task:0/device:CPU:0"
  DeviceAttributes attributes;
  uint64_t incarnation = 0;
  uint64_t memory_in_use = 0;  // bytes, when it was asked
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

/// A thing in a container, as a client sees it.
struct ListedResource {
  ResourceName name;
  std::string kind;  // "variable"
  DType dtype = DType::float32;
  Shape shape;
  uint64_t bytes = 0;  // of its value; 0 before the first assignment
  std::string device;
  std::chrono::milliseconds idle{0};  // since a step used it last

  bool operator==(const ListedResource&) const = default;
};

/// What the containers of all tasks hold that answer before the deadline, and for each other task
/// an error that names it.
struct ResourceList {
  std::vector<ListedResource> resources;
  std::vector<Status> missing;

  bool operator==(const ResourceList&) const = default;
};

/// What a task says of itself.
struct NodeInfo {
  std::string job;
  int task = 0;
  uint64_t incarnation = 0;
  uint32_t protocol_version = 0;
  ClusterSpec cluster;
  uint64_t sessions = 0;       // open now
  uint64_t steps = 0;          // run by this task as master, since its start
  uint64_t late_messages = 0;  // dropped, of steps that had ended
  NodeState state = NodeState::serving;

  bool operator==(const NodeInfo&) const = default;
};

/// Something that a part of a running step waits for, or does.
struct Wait {
  std::string device;  // where; empty where no device has the step yet
  std::string node;    // the graph's node that waits, and its op; empty where none does
  std::string op;
  std::string what;                  // what it waits for, in words
  std::string peer;                  // the task that it comes from; empty where none is to blame
  std::chrono::milliseconds age{0};  // since when

  bool operator==(const Wait&) const = default;
};

/// A step that has not ended, and why.
struct WaitingStep {
  uint64_t session = 0;
  uint64_t step = 0;  // 0 while it is not compiled
  std::chrono::milliseconds age{0};
  std::vector<Wait> waits;

  bool operator==(const WaitingStep&) const = default;
};

}  // namespace troupe
