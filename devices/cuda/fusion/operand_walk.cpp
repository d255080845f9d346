#include "troupe/devices/cuda/fusion/operand_walk.hpp"

#include <algorithm>
#include <cstring>

#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

template <int N>
std::vector<std::byte> bytes_of_walk(const std::vector<Shape>& operands, const Shape& whole) {
  Shape shapes[N];
  std::ranges::copy(operands, shapes);
  auto walk = broadcast_walk<N>(whole, shapes);
  std::vector<std::byte> bytes(sizeof(walk));
  std::memcpy(bytes.data(), &walk, sizeof(walk));
  return bytes;
}

}  // namespace

std::vector<std::byte> walk_over(const std::vector<Shape>& operands, const Shape& whole) {
  switch (operands.size()) {
    case 0: return {};
    case 1: return bytes_of_walk<1>(operands, whole);
    case 2: return bytes_of_walk<2>(operands, whole);
    case 3: return bytes_of_walk<3>(operands, whole);
    default: CHECK(operands.size() == walked_max); return bytes_of_walk<4>(operands, whole);
  }
}

}  // namespace troupe::cuda
