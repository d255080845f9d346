#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// What a braced list of values for an option of type T consists of.
template <class T>
struct OptionElement {
  struct None {};
  using type = None;
};
template <class E>
struct OptionElement<std::vector<E>> {
  using type = E;
};
template <>
struct OptionElement<Shape> {
  using type = int64_t;
};

/// An attribute without a default in the options of an op's function (`troupe_ops/ops.hpp`). Left
/// out, the node is InvalidArgument, which names the attribute.
template <class T>
class Required {
 public:
  Required() = default;
  template <std::convertible_to<T> U>
  Required(U value) : value_(std::move(value)) {}
  Required(std::initializer_list<typename OptionElement<T>::type> values) requires
      std::constructible_from<T, std::initializer_list<typename OptionElement<T>::type>>
      : value_(T(values)) {}

  const std::optional<T>& value() const { return value_; }

 private:
  std::optional<T> value_;
};

}  // namespace troupe
