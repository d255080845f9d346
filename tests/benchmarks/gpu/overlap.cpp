// Is the next step's input copied to the card while a step computes?
#include <cstring>
#include <deque>

#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

constexpr int64_t size = 8192;  // of a square matrix: 256 MiB of float32
constexpr int64_t columns = 2048;
constexpr int steps_of_sample = 6;

/// A product of a matrix that is fed, and its parts alone.
struct FedProduct {
  GpuProgram program;
  Value fed = program.b().placeholder(DType::float32, {size, size});
  Variable resident = program.random("resident", {size, size});
  Value factor = program.random("factor", {size, columns}).value();
  Value copied = program.b().group({first_element()});
  Value computed = program.b().group({program.b().matmul(resident.value(), factor)});
  Value both = program.b().group({program.b().matmul(fed, factor)});
  Value fetched = resident.value();

  /// Next to nothing, but it needs the matrix on the card.
  Value first_element() const {
    const auto& b = program.b();
    return b.op("Slice", {fed, b.ints({0, 0}), b.ints({1, 1})});
  }

  /// A matrix in memory of the host: pinned, as what a step has fetched, or any.
  Result<Tensor> make_matrix(bool is_pinned) {
    auto values = program.session().run({}, {fetched});
    if (!values) return values.status();
    if (is_pinned) return (*values)[0];
    auto any = Tensor::allocate(DType::float32, {size, size});
    if (any) std::memcpy(any->mutable_raw(), (*values)[0].raw(), any->bytes());
    return any;
  }
};

/// The seconds of each of several steps, of which three run at a time.
Result<double> seconds_in_turns(Callable& callable, const Tensors& feeds, double seconds) {
  auto sample = [&]() -> Status {
    std::deque<std::unique_ptr<PendingStep>> running;
    for (int i = 0; i < steps_of_sample || !running.empty(); ++i) {
      if (i < steps_of_sample) running.push_back(callable.start(feeds));
      if (i < 2) continue;
      auto status = running.front()->wait().status();
      running.pop_front();
      if (!status.ok()) return status;
    }
    return {};
  };
  auto time = median_seconds(sample, seconds);
  if (!time) return time;
  return *time / steps_of_sample;
}

Result<Figure> measure_overlap(bool is_pinned, double seconds) {
  FedProduct product;
  if (auto status = product.program.initialize(); !status.ok()) return status;
  auto matrix = product.make_matrix(is_pinned);
  if (!matrix) return matrix.status();
  struct Part {
    Refs feeds;
    Value target;
    double seconds = 0;
  };
  Part parts[] = {
      {{product.fed}, product.copied}, {{}, product.computed}, {{product.fed}, product.both}};
  for (auto& part : parts) {
    auto callable = product.program.session().make_callable(part.feeds, {}, {part.target});
    if (!callable) return callable.status();
    auto feeds = part.feeds.empty() ? Tensors() : Tensors{*matrix};
    auto time = seconds_in_turns(**callable, feeds, seconds / 3);
    if (!time) return time.status();
    part.seconds = *time;
  }
  auto ideal = std::max(parts[0].seconds, parts[1].seconds);
  auto ms = [](const Part& part) { return to_text(part.seconds * 1e3) + " ms"; };
  return Figure{
      100 * ideal / parts[2].seconds,
      "copy " + ms(parts[0]) + ", compute " + ms(parts[1]) + ", both " + ms(parts[2])};
}

}  // namespace

void add_overlap(GpuRows& rows) {
  const std::string what =
      "the longer of copy and compute, as part of the time of steps that are fed 256 MiB and "
      "multiply it, three at a time; ";
  for (auto is_pinned : {true, false})
    rows.push_back(
        {.name = is_pinned ? "overlap_pinned" : "overlap_pageable",
         .what = what + (is_pinned ? "of pinned memory" : "of any memory of the host"),
         .unit = "%",
         .measure = [=](double seconds) { return measure_overlap(is_pinned, seconds); }});
}

}  // namespace troupe::bench
