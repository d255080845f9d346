#include "troupe/devices/cuda/reduction/sorted_ints.hpp"

#include <limits>

#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/ranking.hpp"

namespace troupe::cuda {

Result<SortedInts> sort_ints(const Launch& launch, const Tensor& ints) {
  auto count = ints.elements();
  if (count > std::numeric_limits<int32_t>::max())
    return unimplemented("a card sorts at most 2,147,483,647 integers at once");
  auto sorted = launch.allocate(ints.dtype(), {count});
  auto places = launch.allocate(DType::int32, {count});
  if (!sorted || !places) return sorted ? places.status() : sorted.status();
  if (count == 0) return SortedInts{*std::move(sorted), *std::move(places)};
  auto ranking = find_ranking(element_of(ints.dtype()));
  auto memory = scratch(launch, static_cast<size_t>(ranking.row_bytes(count)));
  if (!memory) return memory.status();
  ranking.function(
      {.values = sorted->mutable_raw(),
       .places = out<int32_t>(*places),
       .from = ints.raw(),
       .rows = 1,
       .length = count,
       .first = 0,
       .count = count,
       .scratch = memory->mutable_raw(),
       .rows_at_once = 1,
       .stream = stream_of(launch)});
  if (auto status = launched("a sort"); !status.ok()) return status;
  return SortedInts{*std::move(sorted), *std::move(places)};
}

}  // namespace troupe::cuda
