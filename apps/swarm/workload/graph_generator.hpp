#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/build/builder.hpp"

namespace troupe::swarm {

/// At most three dimensions, each of size 1 to 3.
Shape random_shape(sim::Random& random);
/// With small elements.
Tensor random_tensor(sim::Random& random, DType dtype, const Shape& shape);

/// Builds a random graph: holds the values so far and a random stream. Rules pick their inputs from
/// the values, and add their outputs. All shapes are known and small; floats are float32 and
/// integers int64.
class GraphGenerator {
 public:
  /// Places nodes on devices drawn from these names; "" is no constraint.
  GraphGenerator(Builder builder, sim::Random random, std::vector<std::string> devices)
      : builder_(std::move(builder)), random_(random), devices_(std::move(devices)) {}

  sim::Random& random() { return random_; }
  const Builder& builder() const { return builder_; }
  /// A builder for the next node, on a random device.
  Builder on_random_device() { return builder_.on(random_.pick(devices_)); }

  /// Adds a node of that op on a random device.
  Value op(std::string_view name, const Values& inputs, Attrs attrs = {}) {
    return on_random_device().op(name, inputs, std::move(attrs));
  }
  Value ints(const std::vector<int64_t>& values) {
    return on_random_device().ints({values.begin(), values.end()});
  }
  /// A constant with random elements.
  Value constant(DType dtype, const Shape& shape) {
    return on_random_device().constant(random_tensor(random_, dtype, shape));
  }

  const Values& values() const { return values_; }
  /// Makes values available to later rules, except large ones.
  void add(const Values& values) {
    for (const auto& value : values)
      if (value.is_valid() && value.shape().elements() <= elements_max) values_.push_back(value);
  }

  /// A random one of the values that satisfy the predicate.
  template <std::predicate<const Value&> F>
  std::optional<Value> find(F fits) {
    Values found;
    for (const auto& value : values_)
      if (fits(value)) found.push_back(value);
    if (found.empty()) return std::nullopt;
    return random_.pick(found);
  }

 private:
  static constexpr int64_t elements_max = 64;

  Builder builder_;
  sim::Random random_;
  std::vector<std::string> devices_;
  Values values_;
};

}  // namespace troupe::swarm
