#include "troupe/devices/cuda/reduction/segment.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class A>
__device__ A finish_segment(A folded, SegmentFinish finish, int64_t rows) {
  if constexpr (is_floating<A>)
    if (finish == SegmentFinish::divide_by_root_of_rows)
      return folded / static_cast<A>(sqrt(static_cast<double>(rows)));
  return finish_fold(
      folded, finish == SegmentFinish::nothing ? Finish::nothing : Finish::divide, rows);
}

/// A thread folds a column of a segment, in the order of its rows; neighbours have neighbouring
/// columns.
template <class Fold, class T>
__global__ void segment_kernel(SegmentCall call) {
  using A = Wide<T>;
  const auto* from = static_cast<const T*>(call.from);
  for (auto i = first_item(); i < call.count * call.inner; i += item_step()) {
    auto segment = i / call.inner, column = i % call.inner;
    auto begin = call.starts[segment], end = call.starts[segment + 1];
    auto folded = Fold::template none<A>();
    for (auto entry = begin; entry < end; ++entry) {
      auto row = call.rows ? call.rows[entry] : entry;
      auto value = widen(from[row * call.inner + column]);
      if constexpr (is_floating<A>)
        if (call.divisors) value /= static_cast<A>(call.divisors[entry]);
      folded = Fold::join(folded, value);
    }
    folded = begin == end ? static_cast<A>(call.empty)
                          : finish_segment(folded, call.finish, end - begin);
    static_cast<T*>(call.out)[i] = Narrow<T>::of(folded);
  }
}

template <class Fold, class T>
void launch(const SegmentCall& call) {
  start_kernel(
      call.stream, blocks_for(call.count * call.inner), block_threads, segment_kernel<Fold, T>,
      call);
}

template <class Fold, class Types = NumberElements>
LaunchSegments find(Element element) {
  return choose<LaunchSegments>(
      Types{}, element, [](auto zero) { return launch<Fold, decltype(zero)>; });
}

}  // namespace

LaunchSegments find_segments(std::string_view fold, Element element) {
  if (fold == "Sum") return find<FoldSum, NumericElements>(element);
  if (fold == "Prod") return find<FoldProduct, NumericElements>(element);
  if (fold == "Min") return find<FoldMinimum>(element);
  return fold == "Max" ? find<FoldMaximum>(element) : nullptr;
}

}  // namespace troupe::cuda
