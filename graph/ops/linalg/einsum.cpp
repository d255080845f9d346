#include "troupe/graph/ops/linalg/einsum.hpp"

#include <algorithm>

namespace troupe {
namespace {

bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Result<std::string> parse_labels(std::string_view text) {
  std::string labels;
  for (size_t at = 0; at < text.size(); ++at) {
    if (is_label(text[at])) {
      labels += text[at];
      continue;
    }
    if (!text.substr(at).starts_with("..."))
      return invalid_argument(
          "labels of an equation are letters and '...', but '" + std::string(text) +
          "' has another character");
    if (labels.find(EinsumEquation::ellipsis) != std::string::npos)
      return invalid_argument("there is more than one '...' in '" + std::string(text) + "'");
    labels += EinsumEquation::ellipsis;
    at += 2;
  }
  return labels;
}

std::string show_labels(const std::string& labels) {
  std::string text;
  for (auto label : labels)
    text += label == EinsumEquation::ellipsis ? "..." : std::string(1, label);
  return text;
}

bool has_ellipsis(const std::string& labels) {
  return labels.find(EinsumEquation::ellipsis) != std::string::npos;
}

Status check_operand_rank(const std::string& labels, const Shape& shape, size_t operand) {
  auto named = static_cast<int>(labels.size()) - has_ellipsis(labels);
  if (has_ellipsis(labels) ? shape.rank() >= named : shape.rank() == named) return {};
  return invalid_argument(
      "operand " + std::to_string(operand) + " must have " +
      (has_ellipsis(labels) ? "at least " : "") + std::to_string(named) + " axes for '" +
      show_labels(labels) + "', but is " + shape.to_string());
}

/// Takes over what one operand says of its labels.
Status bind_operand(
    EinsumSizes& sizes, const std::string& labels, const Shape& shape, size_t operand) {
  if (!shape.has_rank()) {
    if (has_ellipsis(labels)) sizes.ellipsis = Shape::unknown_rank();
    return {};
  }
  if (auto status = check_operand_rank(labels, shape, operand); !status.ok()) return status;
  int axis = 0;
  for (auto label : labels) {
    if (label == EinsumEquation::ellipsis) {
      auto count = shape.rank() - (static_cast<int>(labels.size()) - 1);
      Shape part(shape.sizes().subspan(axis, count));
      auto joint = broadcast(sizes.ellipsis, part);
      if (!joint) return joint.status();
      sizes.ellipsis = *joint;
      axis += count;
      continue;
    }
    auto& size = sizes.of_label[static_cast<size_t>(label)];
    auto given = shape[axis++];
    if (size == Shape::unknown) size = given;
    else if (given != Shape::unknown && given != size)
      return invalid_argument(
          std::string("label '") + label + "' stands for " + std::to_string(size) +
          " elements, but for " + std::to_string(given) + " in operand " +
          std::to_string(operand) + " of shape " + shape.to_string());
  }
  return {};
}

}  // namespace

Result<EinsumEquation> EinsumEquation::parse(std::string_view equation, int operand_count) {
  auto arrow = equation.find("->");
  if (arrow == std::string_view::npos)
    return invalid_argument("equation '" + std::string(equation) + "' lacks '->'");
  EinsumEquation parsed;
  for (auto rest = equation.substr(0, arrow);;) {
    auto comma = rest.find(',');
    auto labels = parse_labels(rest.substr(0, comma));
    if (!labels) return labels.status();
    parsed.operands.push_back(*labels);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  auto result = parse_labels(equation.substr(arrow + 2));
  if (!result) return result.status();
  parsed.result = *result;
  auto count = static_cast<int>(parsed.operands.size());
  if (count != operand_count || count > 2)
    return invalid_argument(
        "equation '" + std::string(equation) + "' is for " + std::to_string(count) +
        " operands, but there are " + std::to_string(operand_count) + "; 1 or 2 are possible");
  for (auto label : parsed.result)
    if (std::ranges::none_of(parsed.operands, [&](const auto& labels) {
          return label == ellipsis || labels.find(label) != std::string::npos;
        }))
      return invalid_argument(
          std::string("label '") + label + "' of the result of '" + std::string(equation) +
          "' is in no operand");
  return parsed;
}

std::string EinsumEquation::to_string() const {
  std::string text;
  for (const auto& labels : operands) text += show_labels(labels) + ",";
  if (!text.empty()) text.pop_back();  // an operand may be without labels
  return text + "->" + show_labels(result);
}

Result<EinsumSizes> EinsumSizes::of(const EinsumEquation& equation, const Shapes& operands) {
  EinsumSizes sizes;
  sizes.of_label.fill(Shape::unknown);
  for (size_t i = 0; i < equation.operands.size(); ++i)
    if (auto status = bind_operand(sizes, equation.operands[i], operands[i], i); !status.ok())
      return status;
  return sizes;
}

Result<Shape> EinsumSizes::result(const EinsumEquation& equation) const {
  if (!has_ellipsis(equation.result) && ellipsis.rank() > 0)
    return invalid_argument(
        "the result of '" + equation.to_string() + "' has no '...' for the axes " +
        ellipsis.to_string() + " of its operands");
  if (has_ellipsis(equation.result) && !ellipsis.has_rank()) return Shape::unknown_rank();
  std::vector<int64_t> sizes;
  for (auto label : equation.result)
    if (label == EinsumEquation::ellipsis)
      sizes.insert(sizes.end(), ellipsis.sizes().begin(), ellipsis.sizes().end());
    else sizes.push_back(of_label[static_cast<size_t>(label)]);
  if (sizes.size() > Shape::max_rank)
    return invalid_argument(
        "the result of '" + equation.to_string() + "' would have " +
        std::to_string(sizes.size()) + " axes, more than " + std::to_string(Shape::max_rank));
  return Shape::make(sizes);
}

}  // namespace troupe
