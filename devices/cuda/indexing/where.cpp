#include "troupe/devices/cuda/indexing/where.hpp"

#include <algorithm>
#include <iterator>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/indexing/flag_counts.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

static_assert(std::size(PlacesCall().sizes) == Shape::max_rank);

/// Whether each element is not zero.
Result<Tensor> flags_of(Launch& launch) {
  const auto& x = launch.input(0);
  if (x.dtype() == DType::boolean) return x;
  auto flags = launch.allocate(DType::boolean, x.shape());
  if (flags)
    launch_cast(
        flags->mutable_raw(), Element::boolean, x.raw(), element_of(x.dtype()), x.elements(),
        stream_of(launch));
  return flags;
}

Status set_places(Launch& launch, const Tensor& flags, const Tensor& before, int64_t count) {
  const auto& shape = flags.shape();
  auto places = launch.allocate(DType::int64, {count, shape.rank()});
  if (!places) return places.status();
  PlacesCall call{
      .out = out<int64_t>(*places),
      .flags = static_cast<const bool*>(flags.raw()),
      .before = static_cast<const int64_t*>(before.raw()),
      .count = flags.elements(),
      .rank = shape.rank(),
      .sizes = {},
      .stream = stream_of(launch)};
  std::ranges::copy(shape.sizes(), call.sizes);
  if (places->elements() > 0) launch_places(call);
  return set_launched(launch, 0, *std::move(places), "a search");
}

void start_where(Launch& launch, const Kernel::Done& done) {
  auto flags = flags_of(launch);
  if (!flags) return done(flags.status());
  auto before = count_before_blocks(launch, *flags);
  if (!before) return done(before.status());
  if (auto status = launched("a count"); !status.ok()) return done(status);
  when_known(
      launch, total_of(*before), done,
      [&launch, flags = *flags, before = *before](const Tensor& total) {
        return set_places(launch, flags, before, total.values<int64_t>().front());
      });
}

Result<Kernel> make_where(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (dtype == DType::complex64 || dtype == DType::complex128) return no_kernel(dtype);
  return Kernel{.start = start_where, .awaits = "how many elements are not zero on the card"};
}

}  // namespace

void add_where_kernels(KernelCatalog& catalog) { catalog.add("Where", make_where); }

}  // namespace troupe::cuda
