// What do a step and an op cost besides their work?
#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

constexpr int ops_of_chain = 1000;
const Shape small{16};

/// Microseconds for each of a chain of additions; one addition is a step of its own.
Result<Figure> measure_chain(int ops, bool fuses, double seconds) {
  GpuProgram program({.fuses_elementwise = fuses});
  auto x = program.random("x", small).value(), y = program.random("y", small).value();
  for (int i = 0; i < ops; ++i) x = program.b().add(x, y);
  auto step = program.b().group({x});
  if (auto status = program.initialize(); !status.ok()) return status;
  auto time = program.seconds_of(step, seconds);
  if (!time) return time.status();
  return Figure{*time / ops * 1e6};
}

}  // namespace

void add_small_steps(GpuRows& rows) {
  auto chain = [](bool fuses) {
    return [fuses](double seconds) { return measure_chain(ops_of_chain, fuses, seconds); };
  };
  const std::string what = "an op of 1,000 that each add to the last's float32[16], ";
  rows.push_back(
      {.name = "tiny_ops",
       .what = what + "not fused; PyTorch is eager",
       .unit = "us",
       .measure = chain(false)});
  rows.push_back(
      {.name = "tiny_ops_graph",
       .what = what + "not fused; PyTorch replays a CUDA graph",
       .unit = "us",
       .measure = chain(false)});
  rows.push_back(
      {.name = "tiny_ops_fused",
       .what = what + "fused; PyTorch is eager",
       .unit = "us",
       .measure = chain(true)});
  rows.push_back(
      {.name = "small_step",
       .what = "a step of one addition of float32[16], until its end is known",
       .unit = "us",
       .measure = [](double seconds) { return measure_chain(1, /*fuses=*/true, seconds); }});
}

}  // namespace troupe::bench
