#include "troupe/devices/cpu/composed.hpp"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "troupe/devices/device.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/composed.hpp"

namespace troupe::cpu {
namespace {

/// Kernels that run one after the other, each on inputs and on results of earlier ones.
class Sequence {
 public:
  /// Of the nodes of a graph; its placeholders, in their order, are the inputs.
  static Result<Sequence> of(const Graph& graph, const Values& outputs, Device& device) {
    Sequence sequence;
    std::map<Output, size_t> places;
    for (const auto& node : graph.nodes()) {
      auto first = sequence.place_count_;
      for (size_t i = 0; i < node.output_dtypes.size(); ++i)
        places[{node.id, static_cast<int32_t>(i)}] = sequence.place_count_++;
      if (node.op->name() == "Placeholder") continue;
      auto kernel = device.kernels().make_in(node, graph, device);
      if (!kernel) return kernel.status();
      if (!kernel->compute) return internal(node.op->name() + " waits and can be no part of an op");
      Step step{*std::move(kernel), {}, first, node.output_dtypes.size()};
      for (const auto& input : node.inputs) step.inputs.push_back(places.at(input));
      sequence.steps_.push_back(std::move(step));
    }
    for (const auto& output : outputs) sequence.outputs_.push_back(places.at(output.output()));
    sequence.note_last_uses();
    return sequence;
  }

  Status run(Launch& launch) const {
    Tensors places(place_count_);
    for (int i = 0; i < launch.input_count(); ++i)
      places[static_cast<size_t>(i)] = launch.take_input(i);
    for (const auto& step : steps_) {
      Tensors inputs;
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        auto& place = places[step.inputs[i]];
        inputs.push_back(step.takes[i] ? std::move(place) : place);
      }
      Tensors outputs(step.output_count);
      Launch part(launch.device(), launch.step(), inputs, outputs);
      if (auto status = step.kernel.compute(part); !status.ok()) return status;
      for (size_t i = 0; i < outputs.size(); ++i)
        places[step.first_output + i] = std::move(outputs[i]);
    }
    for (size_t i = 0; i < outputs_.size(); ++i)
      launch.set(static_cast<int>(i), places[outputs_[i]]);
    return {};
  }

 private:
  struct Step {
    Kernel kernel;
    std::vector<size_t> inputs;
    size_t first_output, output_count;
    std::vector<bool> takes = {};  // the inputs that nothing uses later, so that it may reuse them
  };

  void note_last_uses() {
    std::vector<bool> used(place_count_, false);
    for (auto output : outputs_) used[output] = true;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      for (auto input : step->inputs) step->takes.push_back(!used[input]);
      for (auto input : step->inputs) used[input] = true;
      // One that it takes twice is left in its place.
      for (size_t i = 0; i < step->inputs.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          if (step->inputs[i] == step->inputs[j]) step->takes[i] = step->takes[j] = false;
    }
  }

  size_t place_count_ = 0;
  std::vector<Step> steps_;
  std::vector<size_t> outputs_;
};

Result<Kernel> make_composed(const Node& node, const Graph& graph, Device& device) {
  Builder b;
  Values inputs;
  for (const auto& input : node.inputs) {
    // A reference's value comes, as to any op that takes a tensor.
    inputs.push_back(b.placeholder(graph.dtype_of(input)));
  }
  auto outputs = (*composition_of(node.op->name()))(b, inputs, node.attrs);
  if (auto status = b.status(); !status.ok()) return Status(status.code(), status.message());
  auto sequence = Sequence::of(b.graph(), outputs, device);
  if (!sequence) return sequence.status();
  return Kernel{.compute = [sequence = *std::move(sequence)](Launch& launch) {
    return sequence.run(launch);
  }};
}

}  // namespace

void add_composed_kernels(KernelCatalog& catalog) {
  OpCatalog composed;
  add_composed_ops(composed);
  for (const auto& [name, op] : composed.all()) catalog.add_linked(name, make_composed);
}

}  // namespace troupe::cpu
