#include "troupe/devices/cuda/indexing/list_diff.hpp"

#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/indexing/flag_counts.hpp"
#include "troupe/devices/cuda/indexing/leaders.hpp"

namespace troupe::cuda {
namespace {

/// The elements of y and behind them those of x.
Result<Tensor> join_lists(const Launch& launch) {
  const auto &x = launch.input(0), &y = launch.input(1);
  auto joined = launch.allocate(x.dtype(), {y.elements() + x.elements()});
  if (!joined) return joined;
  auto* to = static_cast<char*>(joined->mutable_raw());
  for (const auto* list : {&y, &x}) {
    if (list->bytes() == 0) continue;
    auto status = to_status(
        cudaMemcpyAsync(
            to, list->raw(), list->bytes(), cudaMemcpyDeviceToDevice, stream_of(launch)),
        "a copy");
    if (!status.ok()) return status;
    to += list->bytes();
  }
  return joined;
}

/// By element of x.
Result<Tensor> find_left(const Launch& launch) {
  auto x_count = launch.input(0).elements();
  auto joined = join_lists(launch);
  if (!joined) return joined;
  auto leaders =
      find_leaders(launch, *joined, {.outer = 1, .count = joined->elements(), .inner = 1});
  if (!leaders) return leaders.status();
  auto is_left = launch.allocate(DType::boolean, {x_count});
  if (is_left)
    launch_left(
        {.is_left = out<bool>(*is_left),
         .leaders = static_cast<const int32_t*>(leaders->of.raw()),
         .x_count = x_count,
         .y_count = launch.input(1).elements(),
         .stream = stream_of(launch)});
  return is_left;
}

Status set_left(
    Launch& launch, DType index, const Tensor& is_left, const Tensor& before, int64_t total) {
  const auto& x = launch.input(0);
  auto values = launch.allocate(x.dtype(), {total}), places = launch.allocate(index, {total});
  if (!values || !places) return values ? places.status() : values.status();
  if (total > 0)
    launch_take_left(
        {.to = values->mutable_raw(),
         .places = places->mutable_raw(),
         .has_long_places = index == DType::int64,
         .x = x.raw(),
         .size = static_cast<int>(size_of(x.dtype())),
         .is_left = static_cast<const bool*>(is_left.raw()),
         .before = static_cast<const int64_t*>(before.raw()),
         .x_count = x.elements(),
         .stream = stream_of(launch)});
  launch.set(0, *std::move(values));
  return set_launched(launch, 1, *std::move(places), "a difference of lists");
}

void start_list_diff(Launch& launch, DType index, const Kernel::Done& done) {
  if (auto status = cpu::check_lists(launch); !status.ok()) return done(status);
  if (launch.input(0).elements() == 0) return done(set_left(launch, index, {}, {}, 0));
  auto is_left = find_left(launch);
  if (!is_left) return done(is_left.status());
  auto before = count_before_blocks(launch, *is_left);
  if (!before) return done(before.status());
  if (auto status = launched("a search for equal elements"); !status.ok()) return done(status);
  when_known(
      launch, total_of(*before), done,
      [&launch, index, is_left = *is_left, before = *before](const Tensor& total) {
        return set_left(launch, index, is_left, before, total.values<int64_t>().front());
      });
}

Result<Kernel> make_list_diff(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!find_leaders_kernels(element_of(dtype)).hash) return no_kernel(dtype);
  return Kernel{
      .start = [index = node.attr<DType>("out_idx")](
                   Launch& launch,
                   const Kernel::Done& done) { start_list_diff(launch, index, done); },
      .awaits = "how many elements on the card are not in the other list"};
}

}  // namespace

void add_list_diff_kernels(KernelCatalog& catalog) { catalog.add("ListDiff", make_list_diff); }

}  // namespace troupe::cuda
