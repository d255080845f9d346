#pragma once

#include <capnp/blob.h>

#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

inline std::string text_of(capnp::Text::Reader text) { return {text.cStr(), text.size()}; }

/// A vector of what `convert` makes of each element, or its first error.
template <class T, class List, class Convert>
Result<std::vector<T>> to_vector(List from, Convert convert) {
  std::vector<T> values;
  values.reserve(from.size());
  for (auto element : from) {
    Result<T> value = convert(element);
    if (!value) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace troupe
