#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// A node of a step, where it is placed, and why.
struct ExplainedNode {
  std::string node;
  std::string op;
  std::string device;
  std::vector<std::string> inputs;        // "x:0"; "^x" for the end of x
  std::string why;                        // "it asks for /job:ps/task:0"
  std::vector<std::string> alternatives;  // the other devices that it could be on
  std::chrono::nanoseconds begin{0};      // in the predicted step
  std::chrono::nanoseconds predicted{0};  // its time, as measured in earlier steps, if any
  std::chrono::nanoseconds measured{0};   // mean time in the steps that were traced
  uint64_t measured_steps = 0;            // how many; 0: none
  uint64_t bytes = 0;                     // of its outputs

  bool operator==(const ExplainedNode&) const = default;
};

/// A tensor, or the end of a node ("^node"), that goes from one device of a step to another.
struct ExplainedTransfer {
  std::string tensor;
  std::string from;
  std::string to;
  uint64_t bytes = 0;
  std::chrono::nanoseconds predicted{0};
  bool is_link_measured = false;  // or the prediction is by the default model

  bool operator==(const ExplainedTransfer&) const = default;
};

/// The partition of a step on one device.
struct ExplainedDevice {
  std::string device;
  uint64_t nodes = 0;
  std::chrono::nanoseconds predicted{0};  // the time of its nodes, one after the other
  std::chrono::nanoseconds measured{0};   // the same, of the nodes that were measured
  uint64_t predicted_peak = 0;            // bytes of the step's tensors, by when they are used
  uint64_t measured_peak = 0;  // of the device, other steps included; 0 where none was traced

  bool operator==(const ExplainedDevice&) const = default;
};

/// How a session runs a step, before it does: Session::explain(). Predictions are those of
/// simulate() (place/cost_graph.hpp) with the costs that the session knows (place/step_costs.hpp).
struct StepExplanation {
  std::string placement;                  // SessionOptions::placement
  std::chrono::nanoseconds predicted{0};  // from the feeds to the fetches
  std::vector<ExplainedDevice> devices;
  std::vector<ExplainedNode> nodes;  // inputs before their users
  std::vector<ExplainedTransfer> transfers;

  bool operator==(const StepExplanation&) const = default;
};

}  // namespace troupe
