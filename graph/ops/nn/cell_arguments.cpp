#include "troupe/graph/ops/nn/cell_arguments.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace troupe::ops {
namespace {

using List = std::vector<CellArgument>;

List operator+(List list, const List& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

List lstm_weights() {
  return {{"w", "w4"}, {"wci", "u"}, {"wcf", "u"}, {"wco", "u"}, {"b", "4"}};
}

List lstm_results(const char* axes) {
  return {{"i", axes}, {"cs", axes}, {"f", axes}, {"o", axes}, {"ci", axes}, {"co", axes}};
}

int64_t factor_of(char axis) { return axis - '0'; }

/// The letter's size, unknown where it is.
int64_t size_of(const CellSizes& sizes, char axis) {
  auto has_units = sizes.units != Shape::unknown, has_inputs = sizes.inputs != Shape::unknown;
  switch (axis) {
    case 't': return sizes.times;
    case 'b': return sizes.batch;
    case 'i': return sizes.inputs;
    case 'u': return sizes.units;
    case 'w': return has_units && has_inputs ? sizes.inputs + sizes.units : Shape::unknown;
    default: return has_units ? factor_of(axis) * sizes.units : Shape::unknown;
  }
}

/// Learns what a size says where nothing is known yet.
void learn(CellSizes& sizes, char axis, int64_t size) {
  auto set = [](int64_t& known, int64_t said) {
    if (known == Shape::unknown && said >= 0) known = said;
  };
  switch (axis) {
    case 't': set(sizes.times, size); break;
    case 'b': set(sizes.batch, size); break;
    case 'i': set(sizes.inputs, size); break;
    case 'u': set(sizes.units, size); break;
    case 'w':
      if (sizes.units != Shape::unknown) set(sizes.inputs, size - sizes.units);
      else if (sizes.inputs != Shape::unknown) set(sizes.units, size - sizes.inputs);
      break;
    default:
      if (size % factor_of(axis) == 0) set(sizes.units, size / factor_of(axis));
  }
}

bool fits(const CellSizes& sizes, char axis, int64_t size) {
  if (size == Shape::unknown) return true;
  if ((axis == '2' || axis == '4') && size % factor_of(axis) != 0) return false;
  auto expected = size_of(sizes, axis);
  return expected == Shape::unknown || expected == size;
}

bool fits(const CellSizes& sizes, std::string_view axes, const Shape& shape) {
  if (!shape.has_rank()) return true;
  if (shape.rank() != std::ssize(axes)) return false;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (!fits(sizes, axes[static_cast<size_t>(axis)], shape[axis])) return false;
  return true;
}

/// "[batch,4*units]"
std::string text_of(std::string_view axes) {
  std::string text;
  for (auto axis : axes) {
    if (!text.empty()) text += ',';
    switch (axis) {
      case 't': text += "times"; break;
      case 'b': text += "batch"; break;
      case 'i': text += "inputs"; break;
      case 'u': text += "units"; break;
      case 'w': text += "inputs+units"; break;
      default: text += std::string(1, axis) + "*units";
    }
  }
  return "[" + text + "]";
}

/// "[?,12]"
std::string sizes_text(const CellSizes& sizes, std::string_view axes) {
  auto shape = Shape::of_rank(static_cast<int>(axes.size()));
  for (int axis = 0; axis < shape.rank(); ++axis)
    shape.set(axis, size_of(sizes, axes[static_cast<size_t>(axis)]));
  return shape.to_string();
}

}  // namespace

const CellArguments& lstm_cell() {
  static const CellArguments arguments{
      .inputs = List{{"x", "bi"}, {"cs_prev", "bu"}, {"h_prev", "bu"}} + lstm_weights(),
      .outputs = lstm_results("bu") + List{{"h", "bu"}}};
  return arguments;
}

const CellArguments& lstm_cell_grad() {
  static const CellArguments arguments{
      .inputs = lstm_cell().inputs + lstm_results("bu") + List{{"cs_grad", "bu"}, {"h_grad", "bu"}},
      .outputs = {
          {"cs_prev_grad", "bu"}, {"dicfo", "b4"}, {"wci_grad", "u"}, {"wcf_grad", "u"},
          {"wco_grad", "u"}}};
  return arguments;
}

const CellArguments& block_lstm() {
  static const CellArguments arguments{
      .inputs = List{{"seq_len_max", ""}, {"x", "tbi"}, {"cs_prev", "bu"}, {"h_prev", "bu"}} +
                lstm_weights(),
      .outputs = lstm_results("tbu") + List{{"h", "tbu"}}};
  return arguments;
}

const CellArguments& block_lstm_grad() {
  static const CellArguments arguments{
      .inputs = block_lstm().inputs + block_lstm().outputs +
                List{{"cs_grad", "tbu"}, {"h_grad", "tbu"}},
      .outputs = {
          {"x_grad", "tbi"}, {"cs_prev_grad", "bu"}, {"h_prev_grad", "bu"}, {"w_grad", "w4"},
          {"wci_grad", "u"}, {"wcf_grad", "u"}, {"wco_grad", "u"}, {"b_grad", "4"}}};
  return arguments;
}

const CellArguments& gru_cell() {
  static const CellArguments arguments{
      .inputs = {
          {"x", "bi"}, {"h_prev", "bu"}, {"w_ru", "w2"}, {"w_c", "wu"}, {"b_ru", "2"},
          {"b_c", "u"}},
      .outputs = {{"r", "bu"}, {"u", "bu"}, {"c", "bu"}, {"h", "bu"}}};
  return arguments;
}

const CellArguments& gru_cell_grad() {
  static const CellArguments arguments{
      .inputs = gru_cell().inputs + List{{"r", "bu"}, {"u", "bu"}, {"c", "bu"}, {"d_h", "bu"}},
      .outputs = {
          {"d_x", "bi"}, {"d_h_prev", "bu"}, {"d_c_bar", "bu"}, {"d_r_bar_u_bar", "b2"}}};
  return arguments;
}

Result<CellSizes> CellSizes::of(
    const std::vector<CellArgument>& arguments, std::span<const Shape> shapes) {
  CellSizes sizes;
  // Twice: what inputs and units are together says more once either is known.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string_view axes = arguments[i].axes;
      if (shapes[i].rank() != std::ssize(axes)) continue;
      for (size_t axis = 0; axis < axes.size(); ++axis)
        if (auto size = shapes[i][static_cast<int>(axis)]; size != Shape::unknown)
          learn(sizes, axes[axis], size);
    }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const auto& [name, axes] = arguments[i]; !fits(sizes, axes, shapes[i]))
      return invalid_argument(
          std::string("'") + name + "' must have the shape " + text_of(axes) + ", here " +
          sizes_text(sizes, axes) + ", but has " + shapes[i].to_string());
  return sizes;
}

Result<Shape> CellSizes::shape_of(const CellArgument& argument) const {
  std::string_view axes = argument.axes;
  std::array<int64_t, Shape::max_rank> all{};
  std::ranges::transform(axes, all.begin(), [&](char axis) { return size_of(*this, axis); });
  return Shape::make({all.data(), axes.size()});
}

Op with_arguments(Op op, const CellArguments& arguments) {
  for (const auto& [name, axes] : arguments.inputs)
    if (*axes == 0) std::move(op).input(name, DType::int64);
    else std::move(op).input(name, "T");
  for (const auto& argument : arguments.outputs) std::move(op).output(argument.name, "T");
  return std::move(op).attr("T", floating()).infer_shape([&arguments](ShapeInference& s) -> Status {
    auto sizes = CellSizes::of(arguments.inputs, s.inputs());
    if (!sizes) return sizes.status();
    for (size_t i = 0; i < arguments.outputs.size(); ++i) {
      auto shape = sizes->shape_of(arguments.outputs[i]);
      if (!shape) return shape.status();
      s.set(static_cast<int>(i), *shape);
    }
    return {};
  });
}

}  // namespace troupe::ops
