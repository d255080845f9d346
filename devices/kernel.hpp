#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/devices/frame_iteration.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

class Device;
class StepPort;
class StepResources;
class Stream;

/// How the executor ends the wait of a kernel. Each waiting launch has one.
class WaitCanceller {
 public:
  virtual ~WaitCanceller() = default;
  virtual void on_cancel(std::function<void()> end) = 0;
};

/// What a launch sees of the step that it belongs to.
struct LaunchStep {
  StepPort* port = nullptr;
  StepResources* resources = nullptr;
  WaitCanceller* canceller = nullptr;  // null in compute() and try_now()
  FrameIteration at = {};
  int32_t item = -1;  // of the plan
};

/// One start of one kernel: what it may see and what it must set. Lives until the kernel is done.
class Launch {
 public:
  Launch(
      Device& device, const LaunchStep& step, std::span<Tensor> inputs, std::span<Tensor> outputs)
      : device_(device), step_(step), inputs_(inputs), outputs_(outputs) {}

  Device& device() const { return device_; }
  const LaunchStep& step() const { return step_; }
  /// The stream of a device that has one (device.hpp): where the kernel puts its work.
  Stream* stream() const;
  /// The step's way to feeds, fetches and other devices; only the transfer kernels use it.
  StepPort& port() const { return *step_.port; }
  /// The iteration of a loop that the launch belongs to.
  const FrameIteration& at() const { return step_.at; }
  /// Resources that end with the step on this device: stacks, TensorArrays.
  StepResources& step_resources() const { return *step_.resources; }
  /// The plan's item that is launched.
  int32_t item() const { return step_.item; }
  /// To be called once the launch has changed what other steps see (StepResources::note_change()).
  void note_change() const;

  /// For a kernel that waits, inside its start(): `end` is called at most once, from any thread, if
  /// the step ends before the kernel has called done(); at once if it has ended. It gives the wait
  /// up, and done() is to follow soon, with Cancelled. It may still be called while done() is or
  /// just after, so it must own all that it touches; the launch is not among that.
  void on_cancel(std::function<void()> end) { step_.canceller->on_cancel(std::move(end)); }

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

  std::span<Tensor> inputs() const { return inputs_; }
  std::span<Tensor> outputs() const { return outputs_; }

  /// An output that is never set is dead: what uses it does not run.
  void set(int output, Tensor value) { outputs_[static_cast<size_t>(output)] = std::move(value); }

 private:
  Device& device_;
  LaunchStep step_;
  std::span<Tensor> inputs_;
  std::span<Tensor> outputs_;
};

/// What a node does to the frame and iteration of its value (graph/ops/loops.hpp).
enum class LoopRole : uint8_t { none, enter, constant_enter, exit, next_iteration };

/// Whether what a launch does is the same wherever shapes, values on the host, and addresses are: a
/// device may then keep the work of it and do that again without a launch (pieces/plan_piece.hpp).
enum class Repeats : uint8_t {
  no,
  without_work,  // it puts none on the stream, and gives on or computes on the host
  as_work,       // all that it does is to put work on the stream
};

/// How one kind of device computes one node. Either `compute` or `start` is set.
struct Kernel {
  using Done = std::function<void(Status)>;

  /// Puts its work on the device's stream (on a CPU: does it) and returns, outputs set. Never
  /// waits. Called by many steps at once. An error needs no place: the executor adds it.
  std::function<Status(Launch&)> compute = {};

  /// For a node that may have to wait: returns at once, and calls `done` exactly once, from any
  /// thread, before or after it returned. What follows the node is posted, so `done` is cheap and
  /// may be called under a lock. A step that ends calls the hook of Launch::on_cancel().
  std::function<void(Launch&, Done done)> start = {};
  /// Beside `start`, for a node that often need not wait: does it all at once and says how it went,
  /// or touches nothing and returns nothing; then start() is called.
  std::function<std::optional<Status>(Launch&)> try_now = {};
  /// What start() waits for, in words, and the device that it comes from, if it is one: for those
  /// who ask why a step does not end.
  std::string awaits = {};
  std::string awaits_from = {};

  /// Estimated nanoseconds of one launch; absent: in proportion to the elements of the inputs. It
  /// decides whether a launch runs where it became ready or as a task of its own.
  std::function<int64_t(const Launch&)> cost_ns = {};

  /// The inputs that it reads on the host, and the outputs that it sets there, on a device that has
  /// memory of its own: sizes, axes, paths. Plans insert the copies.
  std::vector<int> host_inputs = {};
  std::vector<int> host_outputs = {};
  /// Inputs that it takes from whatever memory they lie in, as a send inside of the process.
  bool takes_any_memory = false;

  Repeats repeats = Repeats::no;

  /// It also runs where inputs are dead, which are then unset tensors: a send passes that on. All
  /// other kernels are left out, and what they would compute is dead.
  bool takes_dead = false;
  /// It runs as soon as one input is there that is not dead, and sees no other: Merge.
  bool merges = false;
  /// Where its outputs go in a loop; all others stay in their iteration.
  LoopRole loop_role = LoopRole::none;
};

/// The kernels of one kind of device. Filled once, at start (`cpu/all_kernels.hpp`), then only
/// read.
class KernelCatalog {
 public:
  /// Makes the kernel of a node once its plan is compiled; attributes are read here, not per
  /// launch.
  using Make = std::function<Result<Kernel>(const Node&)>;
  using Compute = std::function<Status(Launch&)>;
  /// For a kernel that runs functions of the graph, whose library has them, on that device.
  using MakeLinked = std::function<Result<Kernel>(const Node&, const Graph&, Device&)>;

  /// Adding a name twice is a bug.
  void add(std::string op, Make make);
  /// For a kernel that needs nothing of its node. (Named apart: both are callables.)
  void add_compute(std::string op, Compute compute);
  /// Named apart as well.
  void add_linked(std::string op, MakeLinked make);
  /// For an op that the device computes only where a node asks for it: not among ops().
  void add_on_request(std::string op, Make make);
  /// The inputs and outputs of an op that its kernel, added before, has on the host; a negative
  /// index counts from the end.
  void on_host(std::string_view op, std::vector<int> inputs, std::vector<int> outputs = {});

  /// What Kernel::repeats of an op that was added before is.
  void set_repeats(std::string_view op, Repeats repeats);

  /// Adds those of another catalog. Adding a name twice is a bug.
  void add_all(const KernelCatalog& other);
  /// Where to look for what is not here; returns nothing where it is not there either.
  void fall_back_on(std::function<Make(std::string_view op)> other) { other_ = std::move(other); }

  /// Unimplemented, naming op and device type, where there is none.
  Result<Kernel> make(const Node& node) const;
  /// As make(), also for a kernel that is linked to its graph and device.
  Result<Kernel> make_in(const Node& node, const Graph& graph, Device& device) const;
  /// Unset where there is none.
  Make find(std::string_view op) const;
  bool contains(std::string_view op) const { return find(op) != nullptr; }
  /// Without those on request, and those that it falls back on.
  std::vector<std::string> ops() const;
  std::vector<std::string> ops_on_request() const;

 private:
  using Makers = std::map<std::string, Make, std::less<>>;

  static std::vector<std::string> names_of(const Makers& makers);

  Makers makers_;
  Makers on_request_;
  std::function<Make(std::string_view op)> other_;
  std::map<std::string, MakeLinked, std::less<>> linked_;
};

}  // namespace troupe
