#include "troupe/devices/cuda/fusion/row_layout.hpp"

#include <algorithm>
#include <array>

#include "troupe/devices/cuda/fusion/operand_walk.hpp"
#include "troupe/devices/cuda/fusion/part_shape.hpp"
#include "troupe/devices/cuda/reduction/fold_geometry.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

/// How many axes are the last ones that are reduced; 0 where others are.
int reduced_rank(std::span<const int64_t> axes, int rank) {
  std::array<bool, Shape::max_rank> is_reduced{};
  for (auto given : axes) {
    auto axis = find_axis(given, rank);
    if (!axis) return 0;
    is_reduced[static_cast<size_t>(*axis)] = true;
  }
  auto* end = is_reduced.begin() + rank;
  auto count = std::count(is_reduced.begin(), end, true);
  return std::all_of(end - count, end, [](bool is) { return is; }) ? static_cast<int>(count) : 0;
}

class Layouter {
 public:
  Layouter(const std::vector<fusion::Part>& parts, const RowShapes& given)
      : parts_(parts), given_(given) {}

  std::optional<RowLayout> run() {
    shapes_.assign(given_.operands.begin(), given_.operands.end());
    shapes_.emplace_back();  // of the axes, which are no value
    for (const auto& part : parts_)
      if (!add_part(part)) return std::nullopt;
    if (reduced_ == 0 || !has_even_rows()) return std::nullopt;
    layout_.result = shapes_.back();
    if (!add_operands() || !add_parts()) return std::nullopt;
    return layout_;
  }

 private:
  bool add_part(const fusion::Part& part) {
    const auto& x = shapes_[static_cast<size_t>(part.operands[0])];
    if (fusion::is_reduction(part.op)) return add_reduction(x, &part == &parts_.back());
    if (part.operands.size() == 1) {
      shapes_.push_back(Shape(x));
      return true;
    }
    auto shape = shape_of_part(part, x, shapes_[static_cast<size_t>(part.operands[1])]);
    if (shape) shapes_.push_back(*shape);
    return shape.ok();
  }

  bool add_reduction(const Shape& x, bool is_last) {
    if (reduced_ == 0) {
      layout_.whole = x;
      reduced_ = reduced_rank(given_.axes, x.rank());
    }
    if (reduced_ == 0 || x != layout_.whole) return false;
    auto kept = x;
    for (int i = x.rank() - reduced_; i < x.rank(); ++i) kept.set(i, 1);
    auto is_dropped = is_last && !given_.keeps_dims;
    shapes_.push_back(
        is_dropped ? Shape(kept.sizes().first(static_cast<size_t>(x.rank() - reduced_))) : kept);
    return true;
  }

  /// Whether one group of threads reduces each row, in one part.
  bool has_even_rows() {
    const auto& whole = layout_.whole;
    std::array<bool, Shape::max_rank> is_folded{};
    for (int i = whole.rank() - reduced_; i < whole.rank(); ++i)
      is_folded[static_cast<size_t>(i)] = true;
    auto geometry = FoldGeometry::of(whole.rank(), whole.sizes(), is_folded);
    layout_.rows = geometry.outs();
    layout_.columns = geometry.folds();
    return layout_.rows > 0 && geometry.folds_neighbours() && geometry.parts == 1;
  }

  /// Nothing for a shape that is not broadcast to the whole one.
  std::optional<RowOperand> kind_of(const Shape& shape) const {
    const auto& whole = layout_.whole;
    if (shape.rank() > whole.rank()) return std::nullopt;
    // Of the axes of rows and columns: whether the shape has all of them, and whether it has none.
    bool has[2] = {true, true}, lacks[2] = {true, true};
    for (int axis = 0; axis < whole.rank(); ++axis) {
      auto own = axis - (whole.rank() - shape.rank());
      auto size = own < 0 ? 1 : shape[own];
      auto is_column = axis >= whole.rank() - reduced_;
      if (size != 1 && size != whole[axis]) return std::nullopt;
      if (size != whole[axis]) has[is_column] = false;
      if (size != 1) lacks[is_column] = false;
    }
    if (has[0] && has[1]) return RowOperand::each;
    if (lacks[0] && lacks[1]) return RowOperand::one;
    if (has[0] && lacks[1]) return RowOperand::row;
    if (lacks[0] && has[1]) return RowOperand::column;
    return RowOperand::walked;
  }

  bool add_operands() {
    for (const auto& shape : given_.operands) {
      auto kind = kind_of(shape);
      if (!kind) return false;
      layout_.operands.push_back(*kind);
      layout_.varies.push_back(*kind != RowOperand::one && *kind != RowOperand::row);
    }
    layout_.varies.push_back(false);  // the axes
    return std::ranges::count(layout_.operands, RowOperand::walked) <=
           static_cast<int64_t>(walked_max);
  }

  bool add_parts() {
    for (const auto& part : parts_) {
      const auto& shape = shapes_[layout_.varies.size()];
      auto is_last = &part == &parts_.back();
      if (!is_last && !kind_of(shape)) return false;
      layout_.varies.push_back(
          !fusion::is_reduction(part.op) && std::ranges::any_of(part.operands, [&](int operand) {
            return bool(layout_.varies[static_cast<size_t>(operand)]);
          }));
    }
    return layout_.varies.back() ? layout_.result == layout_.whole
                                 : layout_.result.elements() == layout_.rows;
  }

  const std::vector<fusion::Part>& parts_;
  const RowShapes& given_;
  Shapes shapes_;  // of operands, axes, and parts
  int reduced_ = 0;
  RowLayout layout_;
};

}  // namespace

std::optional<RowLayout> layout_rows(
    const std::vector<fusion::Part>& parts, const RowShapes& given) {
  return Layouter(parts, given).run();
}

}  // namespace troupe::cuda
