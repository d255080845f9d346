#pragma once

#include <memory>

#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// A seed that nobody has asked for.
uint64_t fresh_seed();

/// The stream of a node with the attributes `seed` and `seed2`, which launches of its kernel go on
/// with. Where both are 0 it begins anywhere.
std::shared_ptr<PhiloxSource> make_source(const Node& node);

/// Where the stream of an op without state begins, for a seed of two int32 or int64 numbers. They
/// are scrambled as TensorFlow does it, so that neither of them needs to be a strong one.
Result<Philox> stateless_start(const Tensor& seed);

/// The vector input of sizes as the shape of a result.
Result<Shape> sizes_input(const Tensor& sizes);

/// The shape of samples of that shape for each parameter: `sizes`, then the parameters' shape.
Result<Shape> samples_shape(const Tensor& sizes, const Shape& parameters);

/// The one number of an input.
template <class T>
Result<T> scalar_input(const Tensor& input, const char* name) {
  if (input.shape().is_scalar()) return input.value<T>();
  return invalid_argument(
      std::string("'") + name + "' must be a scalar, but has the shape " +
      input.shape().to_string());
}

}  // namespace troupe::cpu
