#pragma once

#include <string>
#include <type_traits>

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

// What an update does to the element at its place.
struct ReplaceElement {
  template <class T>
  static void apply(T& element, const T& update) {
    element = update;
  }
};
struct AddToElement {
  template <class T>
  static void apply(T& element, const T& update) {
    if constexpr (std::is_same_v<T, bool>) element = element || update;
    else if constexpr (std::is_same_v<T, std::string>) element += update;
    else element = static_cast<T>(wrap(promote(element)) + wrap(promote(update)));
  }
};
struct SubtractFromElement {
  template <class T>
  static void apply(T& element, const T& update) {
    element = static_cast<T>(wrap(promote(element)) - wrap(promote(update)));
  }
};

}  // namespace troupe::cpu
