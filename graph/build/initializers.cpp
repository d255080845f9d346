#include "troupe/graph/build/initializers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "troupe/graph/build/operand.hpp"

namespace troupe {

namespace {

Value no_value(const Builder& b, const std::string& why) {
  b.fail(invalid_argument(why));
  return {};
}

/// The sizes as an input of a node; none where they are not known.
std::optional<Value> known_sizes(const Builder& b, const Shape& shape) {
  if (!shape.is_known()) {
    no_value(b, "an initializer needs a known shape, not " + shape.to_string());
    return std::nullopt;
  }
  return b.ints({shape.sizes().begin(), shape.sizes().end()});
}

/// A random op of a shape, scaled and shifted.
struct RandomNumbers {
  const char* op;
  double scale;
  double shift;
  std::optional<int64_t> seed;

  Value operator()(const Builder& b, const Shape& shape, DType dtype) const {
    auto sizes = known_sizes(b, shape);
    if (!sizes) return {};
    auto attrs = seeds_of(seed);
    attrs["dtype"] = dtype;
    auto drawn = b.mul(b.op(op, {*sizes}, attrs), Operand(scale).tensor(b, dtype));
    return shift == 0 ? drawn : b.add(drawn, Operand(shift).tensor(b, dtype));
  }
};

/// The numbers of inputs and outputs of a unit of a layer whose weights have that shape.
std::pair<double, double> fans_of(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  auto last = static_cast<double>(shape[shape.rank() - 1]);
  if (shape.rank() == 1) return {last, last};
  double window = 1;
  for (int axis = 0; axis < shape.rank() - 2; ++axis) window *= static_cast<double>(shape[axis]);
  return {window * static_cast<double>(shape[shape.rank() - 2]), window * last};
}

Status check_options(const VarianceScalingOptions& options) {
  auto is_one_of = [](const std::string& value, std::initializer_list<const char*> known) {
    return std::ranges::any_of(known, [&](const char* each) { return value == each; });
  };
  if (options.scale <= 0) return invalid_argument("`scale` must be positive float.");
  if (!is_one_of(options.mode, {"fan_in", "fan_out", "fan_avg"}))
    return invalid_argument("Invalid `mode` argument: " + options.mode);
  if (!is_one_of(
          options.distribution, {"normal", "uniform", "truncated_normal", "untruncated_normal"}))
    return invalid_argument("Invalid `distribution` argument: " + options.distribution);
  return {};
}

/// The matrix that a shape stands for: its columns are the last dimension.
std::pair<int64_t, int64_t> matrix_of(const Shape& shape) {
  auto columns = shape[shape.rank() - 1];
  int64_t rows = 1;
  for (int axis = 0; axis < shape.rank() - 1; ++axis) rows *= shape[axis];
  return {rows, columns};
}

Value orthogonal(const Builder& b, const Shape& shape, DType dtype, const OrthogonalOptions& o) {
  auto [rows, columns] = matrix_of(shape);
  Shape upright{std::max(rows, columns), std::min(rows, columns)};
  auto drawn = RandomNumbers{"RandomStandardNormal", 1, 0, o.seed}(b, upright, dtype);
  auto q = b.op("Qr", {drawn}, {{"full_matrices", false}});
  if (!q.is_valid()) return {};
  // The signs make the distribution uniform over all such matrices.
  auto signs = b.op("Sign", {b.op("MatrixDiagPart", {q.output(1)})});
  auto matrix = b.mul(q, signs);
  if (rows < columns) matrix = b.op("Transpose", {matrix, b.ints({1, 0})});
  return b.mul(Operand(o.gain).tensor(b, dtype), b.reshape(matrix, *known_sizes(b, shape)));
}

}  // namespace

Attrs seeds_of(std::optional<int64_t> seed) {
  constexpr int64_t default_graph_seed = 87654321;
  constexpr int64_t limit = (int64_t{1} << 31) - 1;
  if (!seed) return {{"seed", 0}, {"seed2", 0}};
  return {{"seed", default_graph_seed}, {"seed2", (*seed % limit + limit) % limit}};
}

Initializer zeros_initializer() { return constant_initializer(0); }
Initializer ones_initializer() { return constant_initializer(1); }

Initializer constant_initializer(double value) {
  return [value](const Builder& b, const Shape& shape, DType dtype) {
    auto sizes = known_sizes(b, shape);
    return sizes ? b.fill(*sizes, Operand(value).tensor(b, dtype)) : Value();
  };
}

Initializer constant_initializer(Tensor values) {
  return [values](const Builder& b, const Shape& shape, DType dtype) {
    auto sizes = known_sizes(b, shape);
    if (!sizes) return Value();
    if (!values.is_set() || values.elements() != shape.elements())
      return no_value(b, "the values of an initializer do not fill the shape " + shape.to_string());
    return b.reshape(Operand(b.constant(values)).tensor(b, dtype), *sizes);
  };
}

Initializer random_normal_initializer(RandomNormalOptions o) {
  return RandomNumbers{"RandomStandardNormal", o.stddev, o.mean, o.seed};
}

Initializer truncated_normal_initializer(RandomNormalOptions o) {
  return RandomNumbers{"TruncatedNormal", o.stddev, o.mean, o.seed};
}

Initializer random_uniform_initializer(RandomUniformOptions o) {
  return RandomNumbers{"RandomUniform", o.maxval - o.minval, o.minval, o.seed};
}

Initializer variance_scaling_initializer(VarianceScalingOptions o) {
  return [o](const Builder& b, const Shape& shape, DType dtype) {
    if (auto status = check_options(o); !status.ok()) return no_value(b, status.message());
    if (!known_sizes(b, shape)) return Value();
    auto [fan_in, fan_out] = fans_of(shape);
    auto fan = o.mode == "fan_in" ? fan_in : o.mode == "fan_out" ? fan_out : (fan_in + fan_out) / 2;
    auto variance = o.scale / std::max(1.0, fan);
    auto limit = std::sqrt(3 * variance), stddev = std::sqrt(variance);
    if (o.distribution == "uniform")
      return RandomNumbers{"RandomUniform", 2 * limit, -limit, o.seed}(b, shape, dtype);
    if (o.distribution == "untruncated_normal")
      return RandomNumbers{"RandomStandardNormal", stddev, 0, o.seed}(b, shape, dtype);
    // That of the standard normal distribution truncated at two.
    constexpr double truncated_stddev = 0.87962566103423978;
    return RandomNumbers{"TruncatedNormal", stddev / truncated_stddev, 0, o.seed}(b, shape, dtype);
  };
}

Initializer glorot_uniform_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({1, "fan_avg", "uniform", seed});
}
Initializer glorot_normal_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({1, "fan_avg", "truncated_normal", seed});
}
Initializer he_uniform_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({2, "fan_in", "uniform", seed});
}
Initializer he_normal_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({2, "fan_in", "truncated_normal", seed});
}
Initializer lecun_uniform_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({1, "fan_in", "uniform", seed});
}
Initializer lecun_normal_initializer(std::optional<int64_t> seed) {
  return variance_scaling_initializer({1, "fan_in", "truncated_normal", seed});
}

Initializer orthogonal_initializer(OrthogonalOptions options) {
  return [options](const Builder& b, const Shape& shape, DType dtype) {
    if (!known_sizes(b, shape)) return Value();
    if (shape.rank() < 2)
      return no_value(b, "The tensor to initialize must be at least two-dimensional");
    return orthogonal(b, shape, dtype, options);
  };
}

Initializer identity_initializer(double gain) {
  return [gain](const Builder& b, const Shape& shape, DType dtype) {
    if (!known_sizes(b, shape)) return Value();
    if (shape.rank() != 2)
      return no_value(b, "Identity matrix initializer can only be used for 2D matrices.");
    std::vector<double> values(static_cast<size_t>(shape.elements()), 0.0);
    for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i)
      values[static_cast<size_t>(i * shape[1] + i)] = gain;
    return constant_initializer(Tensor::of<double>(shape, values))(b, shape, dtype);
  };
}

}  // namespace troupe
