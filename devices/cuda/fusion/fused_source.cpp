#include "troupe/devices/cuda/fusion/fused_source.hpp"

#include <algorithm>

#include "troupe/devices/cuda/fusion/source_text.hpp"

namespace troupe::cuda {
namespace {

/// The function of one element: each part's result is rounded as if it were stored.
std::string part_function(const std::vector<fusion::Part>& parts, size_t operand_count) {
  std::string parameters, body;
  for (size_t i = 0; i < operand_count; ++i)
    parameters += (i > 0 ? ", Wide<T> " : "Wide<T> ") + value_text(i);
  auto next = operand_count;
  for (const auto& part : parts)
    body += "  Wide<T> " + value_text(next++) + " = " + part_text(part) + ";\n";
  return "__device__ inline T one(" + parameters + ") {\n" + body + "  return Narrow<T>::of(" +
         value_text(next - 1) + ");\n}\n";
}

/// The call of that function with element `index` of the operands.
std::string call(
    const std::vector<FusedOperand>& operands, const std::string& index, const std::string& pack) {
  std::string arguments;
  int walked = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto x = "x" + std::to_string(i);
    if (i > 0) arguments += ", ";
    if (operands[i] == FusedOperand::one) arguments += "widen(*" + x + ")";
    else if (operands[i] == FusedOperand::walked)
      arguments += "widen(" + x + "[offsets.at[" + std::to_string(walked++) + "]])";
    else if (pack.empty()) arguments += "widen(" + x + "[" + index + "])";
    else arguments += "widen(p" + std::to_string(i) + "." + pack + ")";
  }
  return "one(" + arguments + ")";
}

/// The loop over packs of neighbours, where all memory is aligned for them.
std::string packed_loop(const std::vector<FusedOperand>& operands) {
  std::string aligned = "is_packed(out)", loads;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != FusedOperand::each) continue;
    auto number = std::to_string(i);
    aligned += " && is_packed(x" + number + ")";
    loads += "    Pack p" + number + " = reinterpret_cast<const Pack*>(x" + number + ")[i];\n";
  }
  return "  int64_t packs = " + aligned +
         " ? count / 4 : 0;\n"
         "  for (int64_t i = first; i < packs; i += step) {\n" +
         loads +
         "    Pack result;\n"
         "#pragma unroll\n"
         "    for (int k = 0; k < 4; ++k) result.at[k] = " +
         call(operands, "", "at[k]") +
         ";\n"
         "    reinterpret_cast<Pack*>(out)[i] = result;\n"
         "  }\n"
         "  first += packs * 4;\n";
}

}  // namespace

std::string fused_source(
    const std::vector<fusion::Part>& parts, DType dtype,
    const std::vector<FusedOperand>& operands) {
  auto walked = std::ranges::count(operands, FusedOperand::walked);
  std::string parameters = "T* out";
  for (size_t i = 0; i < operands.size(); ++i) parameters += ", const T* x" + std::to_string(i);
  parameters += ", int64_t count";
  if (walked > 0) parameters += ", StridedWalk<" + std::to_string(walked) + "> walk";
  return "#include \"troupe/devices/cuda/index/strided_walk.hpp\"\n"
         "#include \"troupe/devices/cuda/math/functions.hpp\"\n"
         "namespace troupe::cuda {\n"
         "using T = " +
         std::string(type_text(dtype)) +
         ";\n"
         "struct alignas(sizeof(T) * 4 > 16 ? 16 : sizeof(T) * 4) Pack {\n  T at[4];\n};\n"
         "__device__ inline bool is_packed(const T* memory) {\n"
         "  return reinterpret_cast<uint64_t>(memory) % alignof(Pack) == 0;\n}\n" +
         part_function(parts, operands.size()) + "extern \"C\" __global__ void fused(" +
         parameters +
         ") {\n"
         "  int64_t step = int64_t(gridDim.x) * blockDim.x;\n"
         "  int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n" +
         (walked > 0 ? std::string() : packed_loop(operands)) +
         "  for (int64_t i = first; i < count; i += step) {\n" +
         (walked > 0 ? "    auto offsets = walk.offsets(i);\n" : "") +
         "    out[i] = " + call(operands, "i", "") +
         ";\n"
         "  }\n"
         "}\n"
         "}\n";
}

}  // namespace troupe::cuda
