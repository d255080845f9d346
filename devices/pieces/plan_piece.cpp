#include "troupe/devices/pieces/plan_piece.hpp"

#include <algorithm>

namespace troupe {

PieceRun::PieceRun(const PlanPiece& piece, const Launch& outside, std::span<Tensor> inputs)
    : piece_(piece), outside_(outside), values_(piece.is_used.size()) {
  for (size_t i = 0; i < inputs.size(); ++i) values_[i] = std::move(inputs[i]);
  for (const auto& [value, constant] : piece.constants)
    values_[static_cast<size_t>(value)] = constant;
}

Status PieceRun::run(const PlanPiece::Member& member) {
  arguments_.clear();
  for (const auto& input :
       std::span(piece_.inputs)
           .subspan(
               static_cast<size_t>(member.first_input), static_cast<size_t>(member.input_count))) {
    auto& value = values_[static_cast<size_t>(input.value)];
    arguments_.push_back(input.is_last ? std::move(value) : value);
  }
  auto outputs = std::span(values_).subspan(
      static_cast<size_t>(member.first_output), static_cast<size_t>(member.output_count));
  Launch launch(outside_.device(), outside_.step(), arguments_, outputs);
  auto status = member.compute(launch);
  arguments_.clear();
  for (auto value = member.first_output; value < member.first_output + member.output_count; ++value)
    if (!piece_.is_used[static_cast<size_t>(value)]) values_[static_cast<size_t>(value)] = Tensor();
  if (!status.ok()) {
    const auto& node = piece_.graph->node(member.node);
    return status.at({.node = node.name, .op = node.op->name(), .device = node.device, .task = {}});
  }
  return status;
}

std::span<const Tensor> PieceRun::outputs_of(const PlanPiece::Member& member) const {
  return std::span(values_).subspan(
      static_cast<size_t>(member.first_output), static_cast<size_t>(member.output_count));
}

void PieceRun::take_outputs(std::span<Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = std::move(values_[static_cast<size_t>(piece_.outputs[i])]);
}

Status run_members(
    const PlanPiece& piece, const Launch& outside, std::span<Tensor> inputs,
    std::span<Tensor> outputs) {
  PieceRun run(piece, outside, inputs);
  for (const auto& member : piece.members)
    if (auto status = run.run(member); !status.ok()) return status;
  run.take_outputs(outputs);
  return {};
}

}  // namespace troupe
