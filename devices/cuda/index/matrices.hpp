#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// Matrices one after the other, which are transposed tile by tile.
struct Matrices {
  static constexpr int64_t tile = 32;
  struct Tile {
    int64_t matrix, row, column;  // of the first element
  };

  int64_t count, rows, columns;

  TROUPE_BOTH int64_t tiles_down() const { return (rows + tile - 1) / tile; }
  TROUPE_BOTH int64_t tiles_across() const { return (columns + tile - 1) / tile; }
  TROUPE_BOTH int64_t tiles() const { return count * tiles_down() * tiles_across(); }
  TROUPE_BOTH Tile tile_at(int64_t i) const {
    auto across = tiles_across(), each = tiles_down() * across;
    auto rest = i % each;
    return {i / each, rest / across * tile, rest % across * tile};
  }
};

}  // namespace troupe::cuda
