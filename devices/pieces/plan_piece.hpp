#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Nodes of a plan that always run together and whose launches repeat (Repeats): an item of the
/// plan runs all of them, one after the other. Its values are numbered: what comes from outside,
/// then constants, then what its members set.
///
/// PC-1: what keeps one member from running keeps all: they wait for the same nodes, and are dead
///       together.
/// PC-2: no member waits for another by way of a node that is no member.
struct PlanPiece {
  struct Input {
    int32_t value;
    bool is_last;  // no later member uses it, nor anything outside: it is moved
  };
  struct Member {
    KernelCatalog::Compute compute;
    NodeId node;
    int32_t first_input;  // its inputs are inputs[first_input, first_input + input_count)
    int32_t input_count;
    int32_t first_output;  // values
    int32_t output_count;
    Repeats repeats;
  };

  std::shared_ptr<const Graph> graph;
  std::vector<Member> members;  // each behind those that it needs
  std::vector<Input> inputs;
  std::vector<int32_t> outputs;  // the values that are used outside
  std::vector<std::pair<int32_t, Tensor>> constants;
  std::vector<bool> is_used;  // by value: of a member, or outside
  int32_t input_count = 0;    // values that come from outside
  int32_t work_count = 0;     // members that put work on the stream
};

/// One run of a piece, member by member.
class PieceRun {
 public:
  /// Takes the inputs. `outside` is the launch of the piece.
  PieceRun(const PlanPiece& piece, const Launch& outside, std::span<Tensor> inputs);

  /// Runs the next one. An error names its node.
  Status run(const PlanPiece::Member& member);
  std::span<const Tensor> outputs_of(const PlanPiece::Member& member) const;
  /// Sets what the piece gives, once all members have run.
  void take_outputs(std::span<Tensor> outputs);

 private:
  const PlanPiece& piece_;
  const Launch& outside_;
  std::vector<Tensor> values_;
  std::vector<Tensor> arguments_;  // of the member that runs
};

/// Runs all members.
Status run_members(
    const PlanPiece& piece, const Launch& outside, std::span<Tensor> inputs,
    std::span<Tensor> outputs);

}  // namespace troupe
