#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/builder.hpp"

namespace troupe::swarm {

/// At most three dimensions of 1 to 3.
Shape random_shape(sim::Random& random);
/// Of small elements.
Tensor random_tensor(sim::Random& random, DType dtype, const Shape& shape);

/// A random graph in the making: the values it has so far, and chance. Rules draw from it what
/// they compute on, and add to it. All shapes in it are known and small; floats are float32 and
/// integers int64.
class Sketch {
 public:
  /// Nodes go to devices picked among those names, of which "" is no wish.
  Sketch(Builder builder, sim::Random random, std::vector<std::string> devices)
      : builder_(std::move(builder)), random_(random), devices_(std::move(devices)) {}

  sim::Random& random() { return random_; }
  const Builder& builder() const { return builder_; }
  /// For the next node: on a device picked at random.
  Builder somewhere() { return builder_.on(random_.pick(devices_)); }

  /// A node of that op somewhere.
  Value op(std::string_view name, const Values& inputs, Attrs attrs = {}) {
    return somewhere().op(name, inputs, std::move(attrs));
  }
  Value ints(const std::vector<int64_t>& values) {
    return somewhere().ints({values.begin(), values.end()});
  }
  /// With random elements.
  Value constant(DType dtype, const Shape& shape) {
    return somewhere().constant(random_tensor(random_, dtype, shape));
  }

  const Values& values() const { return values_; }
  /// Later rules may compute on them, but for what has grown large.
  void add(const Values& values) {
    for (const auto& value : values)
      if (value.is_valid() && value.shape().elements() <= elements_max) values_.push_back(value);
  }

  /// One of the values for which that is true; nothing if there is none.
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
