#pragma once

#include <cstdint>

namespace troupe::cpu {

/// What is wrong with a beam: a parent that there is none of. Negative times: nothing.
struct InvalidParent {
  int64_t time, parent;
};

/// Tensors of [times, batch, beams]. Kernels of the CPU and of NVIDIA's cards follow beams alike:
/// nvcc compiles for both what is constexpr.
struct BeamTree {
  int64_t times, batch, beams;
  const int32_t *ids, *parents, *lengths;

  constexpr int64_t at(int64_t time, int64_t row, int64_t beam) const {
    return (time * batch + row) * beams + beam;
  }

  /// Writes one beam from its end to its beginning, and `end` behind the first `end` and behind the
  /// length of its row.
  constexpr InvalidParent follow(int64_t row, int64_t beam, int32_t end, int32_t* out) const {
    int64_t length = lengths[row];
    if (length > times) length = times;
    auto parent = static_cast<int32_t>(beam);
    for (auto time = length - 1; time >= 0; --time) {
      auto from = at(time, row, parent);
      out[at(time, row, beam)] = ids[from];
      if (time == 0) break;
      parent = parents[from];
      if (parent < 0 || parent >= beams) return {time - 1, parent};
    }
    bool has_ended = false;
    for (int64_t time = 0; time < times; ++time) {
      auto& id = out[at(time, row, beam)];
      if (has_ended || time >= length) id = end;
      has_ended = has_ended || id == end;
    }
    return {-1, 0};
  }
};

}  // namespace troupe::cpu
