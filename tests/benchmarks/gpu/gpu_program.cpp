#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace troupe::bench {
namespace {

constexpr auto job = "local";
constexpr auto gpu = "/job:local/task:0/device:GPU:0";

/// The card's libraries read it when a device begins to use them. No other thread runs then: each
/// row has ended its cluster.
LocalCluster::Options cluster_options(bool allows_tf32) {
  setenv("TROUPE_TF32", allows_tf32 ? "1" : "0", /*overwrite=*/1);
  return {.gpu = GpuOptions{}};
}

}  // namespace

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::tf32: return "tf32";
    case Precision::bfloat16: return "bfloat16";
    default: return "float32";
  }
}

DType dtype_of(Precision precision) {
  return precision == Precision::bfloat16 ? DType::bfloat16 : DType::float32;
}

GpuProgram::GpuProgram(const Options& options)
    : cluster_({{job, 1}}, cluster_options(options.allows_tf32)),
      session_options_{.fuses_elementwise = options.fuses_elementwise},
      b_(Builder().on(gpu)) {}

Variable GpuProgram::random(const std::string& name, const Shape& shape, DType dtype) {
  auto normal = b_.random_normal(shape, DType::float32, /*seed=*/1, /*seed2=*/2);
  return b_.variable(name, dtype == DType::float32 ? normal : b_.cast(normal, dtype));
}

Status GpuProgram::initialize() {
  auto initializer = b_.initializer();
  auto opened = cluster_.session(job, 0, session_options_);
  if (!opened) return opened.status();
  session_ = *std::move(opened);
  if (auto status = session_->extend(b_); !status.ok()) return status;
  return session_->run({}, {}, {initializer}).status();
}

Result<double> GpuProgram::seconds_of(const Ref& target, double seconds) {
  auto callable = session_->make_callable({}, {}, {target});
  if (!callable) return callable.status();
  return median_seconds([&] { return (*callable)->run({}).status(); }, seconds);
}

Result<double> median_seconds(const std::function<Status()>& step, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int warm_up = 3;
  constexpr size_t least = 3;
  for (int i = 0; i < warm_up; ++i)
    if (auto status = step(); !status.ok()) return status;
  std::vector<double> times;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (times.size() < least || Clock::now() < end) {
    auto start = Clock::now();
    if (auto status = step(); !status.ok()) return status;
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

std::string to_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace troupe::bench
