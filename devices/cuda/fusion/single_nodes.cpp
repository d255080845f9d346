#include "troupe/devices/cuda/fusion/single_nodes.hpp"

#include <utility>

#include "troupe/graph/ops/fusion.hpp"

namespace troupe::cuda {
namespace {

Result<Kernel> make_single(const NodeDef& single, const SingleNodes::Makers& makers) {
  if (fusion::passes_on(single.op))
    return Kernel{.compute = [](Launch& launch) {
      launch.set(0, launch.take_input(0));
      return Status();
    }};
  auto maker = makers.find(single.op);
  if (maker == makers.end()) return unimplemented("there is no kernel of a card for " + single.op);
  return maker->second(Node{
      .id = 0,
      .name = single.name,
      .op = nullptr,
      .device = {},
      .attrs = single.attrs,
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}});
}

}  // namespace

std::shared_ptr<const SingleNodes::Makers> SingleNodes::makers_of(const KernelCatalog& catalog) {
  auto makers = std::make_shared<Makers>();
  for (const auto& op : catalog.ops())
    if (op == fusion::op || fusion::is_reduction(op) || fusion::operand_count(op) > 0)
      makers->emplace(op, catalog.find(op));
  return makers;
}

std::vector<std::string> SingleNodes::input_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("_in" + std::to_string(i) + ":0");
  return names;
}

Result<SingleNodes> SingleNodes::make(
    const std::vector<NodeDef>& nodes, int input_count, const Makers& makers) {
  SingleNodes made;
  made.input_count_ = input_count;
  std::map<std::string, int> numbers;  // of inputs and results
  for (const auto& name : input_names(input_count))
    numbers.emplace(name, static_cast<int>(numbers.size()));
  made.uses_.resize(numbers.size());
  for (const auto& single : nodes) {
    Where where{.node = single.name, .op = single.op, .device = {}, .task = {}};
    auto kernel = make_single(single, makers);
    if (!kernel) return kernel.status().at(where);
    auto& added = made.nodes_.emplace_back(SingleNode{where, *std::move(kernel), {}});
    for (const auto& input : single.inputs) {
      auto number = numbers.find(input);
      if (number == numbers.end()) return invalid_argument("a fused node has no value " + input);
      added.operands.push_back(number->second);
      ++made.uses_[static_cast<size_t>(number->second)];
    }
    numbers.emplace(single.name + ":0", static_cast<int>(made.uses_.size()));
    made.uses_.push_back(0);
  }
  return made;
}

Status SingleNodes::compute(Launch& launch) const {
  std::vector<Tensor> values;
  for (int i = 0; i < input_count_; ++i) values.push_back(launch.take_input(i));
  auto uses = uses_;
  for (const auto& single : nodes_) {
    std::vector<Tensor> operands;
    for (auto operand : single.operands) {
      auto index = static_cast<size_t>(operand);
      operands.push_back(--uses[index] == 0 ? std::move(values[index]) : values[index]);
    }
    Tensor result;
    Launch alone(launch.device(), launch.step(), operands, {&result, 1});
    auto status = single.kernel.compute(alone);
    if (!status.ok()) return status.at(single.where);
    values.push_back(std::move(result));
  }
  launch.set(0, std::move(values.back()));
  return {};
}

}  // namespace troupe::cuda
