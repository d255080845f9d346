#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <utility>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// An attribute without a default in the options of an op's function (`troupe_ops/ops.hpp`). Left
/// out, the node is InvalidArgument, which names the attribute.
template <class T>
class Required {
 public:
  Required() = default;
  template <std::convertible_to<T> U>
  Required(U value) : value_(std::move(value)) {}
  template <class E>
  requires std::constructible_from<T, std::initializer_list<E>> Required(
      std::initializer_list<E> values)
      : value_(T(values)) {}

  const std::optional<T>& value() const { return value_; }

 private:
  std::optional<T> value_;
};

}  // namespace troupe
