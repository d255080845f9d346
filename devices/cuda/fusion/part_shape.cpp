#include "troupe/devices/cuda/fusion/part_shape.hpp"

namespace troupe::cuda {

Result<Shape> shape_of_part(const fusion::Part& part, const Shape& x, const Shape& y) {
  if (part.op == "BiasAdd") {
    if (x.rank() < 2)
      return invalid_argument(
          "a tensor of rank 2 or more is needed, not one of shape " + x.to_string());
    auto channels = x[x.rank() - 1];
    if (y == Shape{channels}) return x;
    return invalid_argument(
        "the bias must have the shape [" + std::to_string(channels) + "], the channels of " +
        x.to_string() + ", but has " + y.to_string());
  }
  if (!part.op.ends_with("Grad")) return broadcast(x, y);
  if (x == y) return x;
  return invalid_argument(
      "both operands must have one shape, but are " + x.to_string() + " and " + y.to_string());
}

}  // namespace troupe::cuda
