#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

#include <limits>

#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/ranking.hpp"

namespace troupe::cuda {

Result<SortedNumbers> sort_numbers(
    const Launch& launch, const Tensor& numbers, const int32_t* unsorted) {
  auto count = numbers.elements();
  if (count > std::numeric_limits<int32_t>::max())
    return unimplemented("a card sorts at most 2,147,483,647 numbers at once");
  auto sorted = launch.allocate(numbers.dtype(), {count});
  auto places = launch.allocate(DType::int32, {count});
  if (!sorted || !places) return sorted ? places.status() : sorted.status();
  if (count == 0) return SortedNumbers{*std::move(sorted), *std::move(places)};
  auto ranking = find_ranking(element_of(numbers.dtype()));
  auto memory = scratch(launch, static_cast<size_t>(ranking.row_bytes(count)));
  if (!memory) return memory.status();
  ranking.function(
      {.values = sorted->mutable_raw(),
       .places = out<int32_t>(*places),
       .from = numbers.raw(),
       .rows = 1,
       .length = count,
       .first = 0,
       .count = count,
       .scratch = memory->mutable_raw(),
       .rows_at_once = 1,
       .unsorted = unsorted,
       .stream = stream_of(launch)});
  if (auto status = launched("a sort"); !status.ok()) return status;
  return SortedNumbers{*std::move(sorted), *std::move(places)};
}

}  // namespace troupe::cuda
