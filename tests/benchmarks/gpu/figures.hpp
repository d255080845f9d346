#pragma once

#include <functional>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::bench {

/// What was measured, and a remark on it.
struct Figure {
  double value = 0;
  std::string note = {};
};

/// One row of the comparison: a figure of the first GPU. The other side, torch_side.py, has a
/// function for each name.
struct GpuRow {
  std::string name;
  std::string what;
  std::string unit;  // "us" and "ms": less is better; else more is
  /// Takes about that many seconds, after a warm-up.
  std::function<Result<Figure>(double seconds)> measure;
};
using GpuRows = std::vector<GpuRow>;

// Each adds the rows of one file.
void add_products(GpuRows& rows);
void add_convolutions(GpuRows& rows);
void add_memory_rows(GpuRows& rows);
void add_small_steps(GpuRows& rows);
void add_training(GpuRows& rows);
void add_overlap(GpuRows& rows);

}  // namespace troupe::bench
