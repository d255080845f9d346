#pragma once

#include <cstdint>

namespace troupe::cuda {

/// An element of which only the size matters.
struct alignas(16) Cell16 {
  uint64_t halves[2];
};

/// Calls f(cell) with a cell of that many bytes: 1, 2, 4, 8 or 16.
template <class F>
void with_cell(int bytes, const F& f) {
  switch (bytes) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return f(Cell16());
  }
}

}  // namespace troupe::cuda
