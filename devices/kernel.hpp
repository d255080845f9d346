#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

class Device;
class StepPort;

/// One start of one kernel: what it may see and what it must set. Lives until the kernel is done.
class Launch {
 public:
  Launch(Device& device, StepPort* port, std::span<Tensor> inputs, std::span<Tensor> outputs)
      : device_(device), port_(port), inputs_(inputs), outputs_(outputs) {}

  Device& device() const { return device_; }
  /// The step's way to feeds, fetches and other devices; only the transfer kernels use it.
  StepPort& port() const { return *port_; }

  int input_count() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int index) const { return inputs_[static_cast<size_t>(index)]; }
  /// The input itself, leaving the launch without it.
  Tensor take_input(int index) { return std::move(inputs_[static_cast<size_t>(index)]); }

  /// A tensor in the device's memory.
  Result<Tensor> allocate(DType dtype, const Shape& shape) const;
  /// As allocate(), but over one of those inputs that has this dtype and shape and that nobody else
  /// holds, where there is one. Element i may be read until element i is written.
  Result<Tensor> reuse_or_allocate(
      std::initializer_list<int> inputs, DType dtype, const Shape& shape);

  void set(int output, Tensor value) { outputs_[static_cast<size_t>(output)] = std::move(value); }

 private:
  Device& device_;
  StepPort* port_;
  std::span<Tensor> inputs_;
  std::span<Tensor> outputs_;
};

/// How one kind of device computes one node. Either `compute` or `start` is set.
struct Kernel {
  /// Puts its work on the device's stream (on a CPU: does it) and returns, outputs set. Never
  /// waits. Called by many steps at once. An error needs no place: the executor adds it.
  std::function<Status(Launch&)> compute;

  /// For a node that may have to wait: returns at once, and calls `done` exactly once, from any
  /// thread, before or after it returned. A cancelled step calls back with Cancelled.
  std::function<void(Launch&, std::function<void(Status)> done)> start;

  /// Estimated nanoseconds of one launch; absent: in proportion to the elements of the inputs. It
  /// decides whether a launch runs where it became ready or as a task of its own.
  std::function<int64_t(const Launch&)> cost_ns;
};

/// The kernels of one kind of device. Filled once, at start (`cpu/all_kernels.hpp`), then only
/// read.
class KernelCatalog {
 public:
  /// Makes the kernel of a node once its plan is compiled; attributes are read here, not per
  /// launch.
  using Make = std::function<Result<Kernel>(const Node&)>;
  using Compute = std::function<Status(Launch&)>;

  /// Adding a name twice is a bug.
  void add(std::string op, Make make);
  /// For a kernel that needs nothing of its node. (Named apart: both are callables.)
  void add_compute(std::string op, Compute compute);

  /// Unimplemented, naming op and device type, where there is none.
  Result<Kernel> make(const Node& node) const;
  bool contains(std::string_view op) const { return makers_.contains(op); }
  std::vector<std::string> ops() const;

 private:
  std::map<std::string, Make, std::less<>> makers_;
};

}  // namespace troupe
