#include "troupe/devices/cuda/fusion/row_source.hpp"

#include <algorithm>

#include "troupe/devices/cuda/fusion/source_text.hpp"

namespace troupe::cuda {
namespace {

std::string memory_text(size_t operand) { return "x" + std::to_string(operand); }

const char* fold_text(const std::string& op) {
  if (op == "Max") return "FoldMaximum";
  if (op == "Min") return "FoldMinimum";
  return op == "Prod" ? "FoldProduct" : "FoldSum";
}

class RowsText {
 public:
  RowsText(const std::vector<fusion::Part>& parts, const RowLayout& layout)
      : parts_(parts), layout_(layout), first_part_(layout.operands.size() + 1) {}

  std::string parameters() const {
    std::string text = "T* out";
    for (size_t i = 0; i < layout_.operands.size(); ++i) text += ", const T* " + memory_text(i);
    text += ", int64_t rows, int64_t columns";
    auto walked = std::ranges::count(layout_.operands, RowOperand::walked);
    return walked == 0 ? text : text + ", StridedWalk<" + std::to_string(walked) + "> walk";
  }

  /// What is computed once for a row: its reductions, and what does not vary along it.
  std::string of_row() const {
    std::string text;
    for (size_t i = 0; i < layout_.varies.size(); ++i) {
      if (layout_.varies[i] || i + 1 == first_part_) continue;
      if (i >= first_part_ && fusion::is_reduction(part(i).op)) text += reduction(i);
      else text += declaration(i);
    }
    return text;
  }

  std::string result() const {
    auto last = layout_.varies.size() - 1;
    auto value = "Narrow<T>::of(" + value_text(last) + ")";
    if (!layout_.varies[last])
      return "    if (has_row && threadIdx.x == 0) out[row] = " + value + ";\n";
    return "    put_row(out + first, [&](int64_t i) {\n" + of_element(last) + "      return " +
           value + ";\n    }, count);\n";
  }

 private:
  const fusion::Part& part(size_t value) const { return parts_[value - first_part_]; }

  std::string declaration(size_t value) const {
    auto is_operand = value < first_part_;
    auto text = is_operand ? "widen(" + memory_text(value) + place_text(value) + ")"
                : fusion::passes_on(part(value).op)
                    ? value_text(static_cast<size_t>(part(value).operands[0]))
                    : part_text(part(value));
    return "      const A " + value_text(value) + " = " + text + ";\n";
  }

  std::string place_text(size_t operand) const {
    switch (layout_.operands[operand]) {
      case RowOperand::each: return "[first + i]";
      case RowOperand::row: return "[row]";
      case RowOperand::column: return "[i]";
      case RowOperand::one: return "[0]";
      default: break;
    }
    auto end = layout_.operands.begin() + static_cast<int64_t>(operand);
    auto number = std::count(layout_.operands.begin(), end, RowOperand::walked);
    return "[offsets.at[" + std::to_string(number) + "]]";
  }

  /// The value of element i of a row, with all that it needs.
  std::string of_element(size_t value) const {
    std::vector<bool> is_needed(layout_.varies.size());
    is_needed[value] = true;
    std::string text;
    auto is_walked = false;
    for (auto i = value + 1; i-- > 0;) {
      if (!is_needed[i] || !layout_.varies[i]) continue;
      text = declaration(i) + text;
      if (i < first_part_) is_walked |= layout_.operands[i] == RowOperand::walked;
      else
        for (auto operand : part(i).operands) is_needed[static_cast<size_t>(operand)] = true;
    }
    return is_walked ? "      const auto offsets = walk.offsets(first + i);\n" + text : text;
  }

  std::string reduction(size_t value) const {
    const auto& op = part(value).op;
    auto operand = static_cast<size_t>(part(value).operands[0]);
    auto name = value_text(value);
    return "    const A " + name + " = reduced<" + fold_text(op) + ">([&](int64_t i) {\n" +
           of_element(operand) + "      return " + value_text(operand) +
           ";\n    }, count, columns, Finish::" + (op == "Mean" ? "divide" : "nothing") +
           ", shared);\n";
  }

  const std::vector<fusion::Part>& parts_;
  const RowLayout& layout_;
  const size_t first_part_;
};

constexpr auto includes = R"text(
#include "troupe/devices/cuda/index/strided_walk.hpp"
#include "troupe/devices/cuda/math/functions.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
namespace troupe::cuda {
)text";

// reduced() is as fold_rows_kernel() of reduction/reduce.cu. put_row() reads several elements
// before it writes, as a write may be to memory that is read.
constexpr auto of_threads = R"text(
using A = Wide<T>;
template <class Fold, class Value>
__device__ A reduced(
    const Value& value, int64_t count, int64_t columns, Finish finish, A* shared) {
  A folded = fold_every<Fold, A>(value, threadIdx.x, count, blockDim.x);
  folded = join_lanes(folded, shared, [](A x, A y) { return Fold::join(x, y); });
  return widen(Narrow<T>::of(finish_fold(folded, finish, columns)));
}
template <class Value>
__device__ void put_row(T* out, const Value& value, int64_t count) {
  constexpr int at_once = 4;
  const int64_t step = blockDim.x;
  int64_t i = threadIdx.x;
  for (; i + (at_once - 1) * step < count; i += at_once * step) {
    T values[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) values[k] = value(i + k * step);
#pragma unroll
    for (int k = 0; k < at_once; ++k) out[i + k * step] = values[k];
  }
  for (; i < count; i += step) out[i] = value(i);
}
)text";

// All threads of a block take part in each round, as they wait for each other.
constexpr auto begin_of_row = R"text( {
  __shared__ A shared[warps_max];
  const int64_t step = int64_t(gridDim.x) * blockDim.y;
  for (int64_t base = int64_t(blockIdx.x) * blockDim.y; base < rows; base += step) {
    const bool has_row = base + threadIdx.y < rows;
    const int64_t row = has_row ? base + threadIdx.y : 0, count = has_row ? columns : 0;
    const int64_t first = row * columns;
)text";

}  // namespace

std::string rows_source(
    const std::vector<fusion::Part>& parts, DType dtype, const RowLayout& layout) {
  RowsText text(parts, layout);
  return std::string(includes) + "using T = " + type_text(dtype) + ";\n" + of_threads +
         "extern \"C\" __global__ void rows(" + text.parameters() + ")" + begin_of_row +
         text.of_row() + text.result() + "  }\n}\n}\n";
}

}  // namespace troupe::cuda
