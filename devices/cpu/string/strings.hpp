#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// 'text' for messages: without its end where it is long, and only with bytes that can be printed.
std::string shown(std::string_view text);

/// True for the white space of C: blank, tab, line ends, vertical tab, form feed.
bool is_space(char c);

/// Without the white space around it.
std::string_view strip(std::string_view text);

/// True for a byte that continues a character of UTF-8.
inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Calls f(i) for each i below count, on several threads where there are many; f returns a Status.
/// Returns the error of the least i that has one.
template <class F>
Status each_element(int64_t count, const F& f) {
  std::mutex mutex;
  int64_t failed = count;
  Status failure;
  constexpr int64_t cost_of_string = 32;  // in elements of a cheap operation
  parallel_ranges(count, cost_of_string, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      Status status = f(i);
      if (status.ok()) continue;
      std::lock_guard lock(mutex);
      if (i < failed) {
        failed = i;
        failure = status;
      }
      return;
    }
  });
  return failure;
}

/// Sets output 0, of the shape of input 0: f(string, element of the output) for each string of it.
template <class Out, class F>
Status map_strings(Launch& launch, const F& f) {
  const auto& in = launch.input(0);
  auto out = launch.allocate(dtype_of<Out>(), in.shape());
  if (!out) return out.status();
  const auto* from = in.data<std::string>();
  auto* to = out->template mutable_data<Out>();
  auto status = each_element(in.elements(), [&](int64_t i) -> Status { return f(from[i], to[i]); });
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

/// A kernel that takes far longer for an element than others do.
Kernel string_kernel(std::function<Status(Launch&)> compute);

/// Adds such a kernel for an op that has no attributes.
void add_string_kernel(KernelCatalog& catalog, const char* op, KernelCatalog::Compute compute);

/// The string of an input that must be a scalar, which `what` names.
Result<std::string> scalar_string(const Launch& launch, int input, const char* what);

}  // namespace troupe::cpu
