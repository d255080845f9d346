#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace troupe::cpu {

/// Calls body(begin, end) for parts of [0, count) of at most about `grain`, on the threads of the
/// current arena, and returns when all are done.
void split_ranges(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

/// Calls body(begin, end) over all of [0, count): at once, or split where count times
/// `elements_each` (of cheap element-wise work) is large.
template <class F>
void parallel_ranges(int64_t count, int64_t elements_each, const F& body) {
  constexpr int64_t split_elements = 256 * 1024, grain_elements = 64 * 1024;
  if (count <= 1 || count * elements_each <= split_elements) return body(0, count);
  split_ranges(count, std::max<int64_t>(1, grain_elements / elements_each), std::ref(body));
}

}  // namespace troupe::cpu
