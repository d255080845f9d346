#include "troupe/devices/cuda/array/checks.hpp"

#include <string>

#include "troupe/devices/cpu/array/checks.hpp"
#include "troupe/devices/cpu/math/selection.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

void start_check(
    Launch& launch, LaunchFindNotFinite find, const std::string& message,
    const Kernel::Done& done) {
  auto kinds = launch.allocate(DType::int32, {});
  if (!kinds) return done(kinds.status());
  if (auto status = set_zeros(launch, *kinds); !status.ok()) return done(status);
  const auto& x = launch.input(0);
  find(out<int32_t>(*kinds), x.raw(), x.elements(), stream_of(launch));
  if (auto status = launched("a check"); !status.ok()) return done(status);
  when_known(launch, *kinds, done, [&launch, message](const Tensor& found) {
    auto bits = found.value<int32_t>();
    if (bits != 0) return cpu::not_finite(message, bits & has_nan, bits & has_infinity);
    launch.set(0, launch.take_input(0));
    return Status();
  });
}

Result<Kernel> make_check_numerics(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto find = find_not_finite(element_of(dtype));
  if (!find) return no_kernel(dtype);
  return Kernel{
      .start = [find, message = node.attr<std::string>("message")](
                   Launch& launch,
                   const Kernel::Done& done) { start_check(launch, find, message, done); },
      .awaits = "what the card finds among the numbers"};
}

/// The input in memory of its own, which it has already where nobody else holds it. What is not
/// plain lies on the host, where nobody writes over it.
Status compute_copy(Launch& launch) {
  const auto& in = launch.input(0);
  if (!is_plain(in.dtype())) {
    launch.set(0, launch.take_input(0));
    return {};
  }
  auto copy = launch.reuse_or_allocate({0}, in.dtype(), in.shape());
  if (!copy) return copy.status();
  if (auto status = copy_all(launch, *copy, in); !status.ok()) return status;
  launch.set(0, *std::move(copy));
  return {};
}

/// Copies: the input's memory may be aligned for smaller elements only.
Status compute_bitcast(Launch& launch, DType to) {
  const auto& in = launch.input(0);
  auto shape = cpu::bitcast_shape(in.shape(), in.dtype(), to);
  if (!shape) return shape.status();
  auto copy = launch.allocate(to, *shape);
  if (!copy) return copy.status();
  if (auto status = copy_all(launch, *copy, in); !status.ok()) return status;
  launch.set(0, *std::move(copy));
  return {};
}

Result<Kernel> make_bitcast(const Node& node) {
  auto to = node.attr<DType>("type");
  return Kernel{.compute = [to](Launch& launch) { return compute_bitcast(launch, to); }};
}

}  // namespace

void add_checks_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"Copy", "DeepCopy"}) catalog.add_compute(op, compute_copy);
  catalog.add("Bitcast", make_bitcast);
  catalog.add("CheckNumerics", make_check_numerics);
}

}  // namespace troupe::cuda
