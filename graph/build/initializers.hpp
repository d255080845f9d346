#pragma once

#include <functional>
#include <optional>
#include <string>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// Makes the initial value of a variable of that shape, which must be known, and that dtype.
using Initializer = std::function<Value(const Builder& builder, const Shape& shape, DType dtype)>;

// The initializers of TensorFlow, with its defaults. Without a seed, random numbers differ from
// session to session; those of one seed are the same in C++ and in Python.

Initializer zeros_initializer();
Initializer ones_initializer();
/// That number in all elements.
Initializer constant_initializer(double value);
/// Those values, cast to the dtype; as many as the variable has elements.
Initializer constant_initializer(Tensor values);

struct RandomNormalOptions {
  double mean = 0;
  double stddev = 1;
  std::optional<int64_t> seed = {};
};
Initializer random_normal_initializer(RandomNormalOptions options = {});
/// A normal distribution that is cut off at two standard deviations.
Initializer truncated_normal_initializer(RandomNormalOptions options = {});

struct RandomUniformOptions {
  double minval = 0;
  double maxval = 1;
  std::optional<int64_t> seed = {};
};
Initializer random_uniform_initializer(RandomUniformOptions options = {});

struct VarianceScalingOptions {
  double scale = 1;
  std::string mode = "fan_in";                    // or "fan_out", "fan_avg"
  std::string distribution = "truncated_normal";  // or "normal", "uniform", "untruncated_normal"
  std::optional<int64_t> seed = {};
};
/// Random numbers with a variance of scale / (number of inputs or outputs of the layer).
Initializer variance_scaling_initializer(VarianceScalingOptions options = {});
Initializer glorot_uniform_initializer(std::optional<int64_t> seed = {});
Initializer glorot_normal_initializer(std::optional<int64_t> seed = {});
Initializer he_uniform_initializer(std::optional<int64_t> seed = {});
Initializer he_normal_initializer(std::optional<int64_t> seed = {});
Initializer lecun_uniform_initializer(std::optional<int64_t> seed = {});
Initializer lecun_normal_initializer(std::optional<int64_t> seed = {});

struct OrthogonalOptions {
  double gain = 1;
  std::optional<int64_t> seed = {};
};
/// `gain` times a matrix with orthonormal rows or columns, of which there are fewer; a shape of
/// more than two dimensions is that of a matrix whose rows are all dimensions but the last.
Initializer orthogonal_initializer(OrthogonalOptions options = {});
/// `gain` times the identity matrix.
Initializer identity_initializer(double gain = 1);

/// The attributes "seed" and "seed2" of a random op with that seed, as TensorFlow derives them.
Attrs seeds_of(std::optional<int64_t> seed);

}  // namespace troupe
