#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/random/shuffled_rows.hpp"

namespace troupe::cpu {
namespace {

int64_t random_cost_ns(const Launch& launch) {
  auto shape = shape_input(launch.input(0));
  return shape ? 8 * shape->elements() : 0;
}

KernelCatalog::Make make_random(Distribution distribution) {
  return [distribution](const Node& node) -> Result<Kernel> {
    auto compute = [distribution, dtype = node.attr<DType>("dtype"),
                    source = make_source(node)](Launch& launch) -> Status {
      auto shape = shape_input(launch.input(0));
      if (!shape) return shape.status();
      auto out = launch.allocate(dtype, *shape);
      if (!out) return out.status();
      fill_random(distribution, source->reserve(out->elements()), *out);
      launch.set(0, *std::move(out));
      return {};
    };
    return Kernel{.compute = compute, .cost_ns = random_cost_ns};
  };
}

Result<Kernel> make_random_ints(const Node& node) {
  auto compute = [dtype = node.attr<DType>("Tout"),
                  source = make_source(node)](Launch& launch) -> Status {
    auto shape = shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto start = source->reserve(out->elements());
    auto status = fill_random_ints(start, launch.input(1), launch.input(2), *out);
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  };
  return Kernel{.compute = compute, .cost_ns = random_cost_ns};
}

template <class C>
Status compute_shuffle(Launch& launch, PhiloxSource& source) {
  const auto& value = launch.input(0);
  const auto& shape = value.shape();
  if (value.elements() <= 1 || shape.rank() == 0 || shape[0] <= 1) {
    launch.set(0, value);
    return {};
  }
  auto out = launch.allocate(value.dtype(), shape);
  if (!out) return out.status();
  auto rows = shuffled_rows(source.reserve_blocks(shuffle_blocks(shape[0])), shape[0]);
  auto row_size = value.elements() / shape[0];
  auto* to = mutable_cells<C>(*out);
  for (auto row : rows) to = std::copy_n(cells<C>(value) + row * row_size, row_size, to);
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_shuffle(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) -> Result<Kernel> {
    return Kernel{.compute = [source = make_source(node)](Launch& launch) {
      return compute_shuffle<decltype(cell)>(launch, *source);
    }};
  });
}

/// Where along an axis a part of that size begins. One that is as large draws no number.
Result<int64_t> draw_begin(const char* axis, int64_t whole, int64_t part, PhiloxNumbers& numbers) {
  if (part > whole || part < 0)
    return failed_precondition(
        std::string(axis) + " must be >= target_" + axis + ": " + axis + " = " +
        std::to_string(whole) + ", target_" + axis + " = " + std::to_string(part));
  if (part == whole) return 0;
  return static_cast<int64_t>(numbers.next() % static_cast<uint64_t>(whole - part + 1));
}

template <class C>
Status compute_random_crop(Launch& launch, PhiloxSource& source) {
  const auto& image = launch.input(0);
  if (image.shape().rank() != 3)
    return invalid_argument(
        "input must be 3-dimensional, but its shape is " + image.shape().to_string());
  auto size = shape_input(launch.input(1));
  if (!size) return size.status();
  if (size->rank() != 2) return invalid_argument("'size' must have two elements");
  PhiloxNumbers numbers(source.reserve_blocks(1));
  auto column = draw_begin("width", image.shape()[1], (*size)[1], numbers);
  if (!column) return column.status();
  auto row = draw_begin("height", image.shape()[0], (*size)[0], numbers);
  if (!row) return row.status();
  auto channels = image.shape()[2], from_row = image.shape()[1] * channels;
  auto out = launch.allocate(image.dtype(), {(*size)[0], (*size)[1], channels});
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  for (int64_t i = 0; i < (*size)[0]; ++i)
    to = std::copy_n(
        cells<C>(image) + (*row + i) * from_row + *column * channels, (*size)[1] * channels, to);
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_random_crop(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) -> Result<Kernel> {
    return Kernel{.compute = [source = make_source(node)](Launch& launch) {
      return compute_random_crop<decltype(cell)>(launch, *source);
    }};
  });
}

}  // namespace

void add_random_kernels(KernelCatalog& catalog) {
  catalog.add("RandomUniform", make_random(Distribution::uniform));
  catalog.add("RandomStandardNormal", make_random(Distribution::normal));
  catalog.add("TruncatedNormal", make_random(Distribution::truncated));
  catalog.add("RandomUniformInt", make_random_ints);
  catalog.add("RandomShuffle", make_shuffle);
  catalog.add("RandomCrop", make_random_crop);
  add_gamma_and_poisson_kernels(catalog);
  add_parameterized_normal_kernels(catalog);
  add_multinomial_kernels(catalog);
  add_stateless_kernels(catalog);
  add_samplers_kernels(catalog);
}

}  // namespace troupe::cpu
