#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/cuda/matrix_results.hpp"
#include "troupe/tests/fuzz/calls/guarded_device.hpp"
#include "troupe/tests/fuzz/calls/random_call.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The tensor with 0 for all numbers that are nearer to it than normal ones, which CPUs take for 0,
/// and quiet NaNs for those that signal, which functions of C treat unlike others beside an
/// infinity. Complex numbers are two each.
Tensor as_taken(const Tensor& tensor) {
  auto flushed = [&]<class T, class Wide>(T, Wide) {
    auto copy = *Tensor::allocate(tensor.dtype(), tensor.shape());
    const auto* from = static_cast<const T*>(tensor.raw());
    auto count = static_cast<int64_t>(tensor.bytes() / sizeof(T));
    std::transform(from, from + count, static_cast<T*>(copy.mutable_raw()), [](T value) {
      switch (std::fpclassify(static_cast<Wide>(value))) {
        case FP_SUBNORMAL: return T(0);
        case FP_NAN: return static_cast<T>(std::numeric_limits<Wide>::quiet_NaN());
        default: return value;
      }
    });
    return copy;
  };
  switch (tensor.dtype()) {
    case DType::float32:
    case DType::complex64: return flushed(float(), float());
    case DType::float64:
    case DType::complex128: return flushed(double(), double());
    case DType::bfloat16: return flushed(bfloat16(), float());
    default: return tensor;
  }
}

/// The call with variables for the handles that it takes first. Nothing where its other inputs are
/// handles, too, or where it could use a variable that has no value.
std::optional<RecordedCall> recorded(const fuzz::Call& call) {
  RecordedCall made{.where = call.to_string(), .op = call.op, .attrs = call.attrs};
  for (const auto& input : call.inputs) {
    if (input.maker.empty()) {
      made.inputs.push_back(as_taken(input.value));
      continue;
    }
    if (input.maker.front().op != "VarHandleOp" || !input.value.is_set() || !made.inputs.empty())
      return std::nullopt;
    made.variables.push_back(as_taken(input.value));
  }
  return made;
}

/// Whether the CPU refuses a value that a card does not look at, as it lies in the card's memory:
/// an index, or a factor of an optimizer.
bool is_about_a_value(const Status& refused) {
  const auto& message = refused.message();
  for (const auto* words :
       {"index ", "label ", "segment id ", "of 'argmax' must", "must not be negative",
        "must be positive", "the number -", "a value is NaN"})
    if (message.find(words) != message.npos) return true;
  return false;
}

/// Whether its numbers are others in each run.
bool is_random(const RecordedCall& call) {
  auto is_zero = [&](const char* attr) {
    auto found = call.attrs.find(attr);
    return found == call.attrs.end() || found->second == AttrValue(int64_t{0});
  };
  auto draws = (call.op.starts_with("Random") && call.op != "RandomGammaGrad") ||
               call.op == "TruncatedNormal" || call.op == "Multinomial";
  return draws && is_zero("seed") && is_zero("seed2");
}

/// Whether its results depend on the way it is computed: Fourier transforms and normalizations of
/// numbers that are infinite, or so large that sums of them are; and inverses of matrices that
/// hardly have one.
bool is_of_one_way(const RecordedCall& call) {
  if (decomposes_matrices(call.op)) return !is_well_conditioned(call);
  if (call.op.find("FFT") == call.op.npos && !call.op.starts_with("FusedBatchNorm")) return false;
  auto is_large = [](const Tensor& tensor) {
    auto any = [&]<class T>(T) {
      const auto* numbers = static_cast<const T*>(tensor.raw());
      return !std::all_of(numbers, numbers + tensor.bytes() / sizeof(T), [](T value) {
        return std::abs(value) < T(1e30);  // NaN is not
      });
    };
    switch (tensor.dtype()) {
      case DType::float32:
      case DType::complex64: return any(float());
      case DType::float64:
      case DType::complex128: return any(double());
      default: return false;
    }
  };
  return std::ranges::any_of(call.inputs, is_large);
}

/// Whether its results may come in any order.
bool is_unordered(const RecordedCall& call) {
  auto sorted = call.attrs.find("sorted");
  return sorted != call.attrs.end() && sorted->second == AttrValue(false);
}

bool is_finite(const Tensor& tensor) {
  auto finite = true;
  cpu::for_dtype(cpu::Floating{}, tensor.dtype(), [&](auto zero) {
    for (auto value : tensor.values<decltype(zero)>())
      finite = finite && std::isfinite(static_cast<double>(value));
  });
  return finite;
}

/// Whether it convolves with numbers that the library also multiplies by the zeros of padding,
/// which the CPU leaves out, so that NaN comes of them.
bool multiplies_padding(const RecordedCall& call) {
  return call.op.starts_with("Conv") && !std::ranges::all_of(call.inputs, is_finite);
}

/// Calls of an op that the card answers otherwise than the CPU does.
void compare_calls(const std::string& op, uint64_t calls) {
  fuzz::CallSource source(*op_catalog(), op);
  constexpr uint64_t limit = 64 << 20;
  GraphRunner on_card(make_gpu({.memory = {.limit_bytes = limit, .keeps = false}}));
  auto cpu = make_cpu_device({.threads = 1});
  fuzz::GuardedAllocator allocator(limit, 0x5a);
  GraphRunner on_cpu(std::make_unique<fuzz::GuardedDevice>(*cpu, allocator));
  uint64_t compared = 0;
  for (uint64_t seed = 0; seed < calls; ++seed) {
    auto call = recorded(source.draw(seed));
    if (!call || is_random(*call) || is_unordered(*call)) continue;
    if (is_of_one_way(*call) || multiplies_padding(*call)) continue;
    auto expected = run_call(*call, on_cpu), got = run_call(*call, on_card);
    if (got.status.code() == Code::unimplemented || expected.status.code() == Code::unimplemented ||
        expected.status.code() == Code::resource_exhausted)
      continue;
    // Where the value is refused, the CPU takes no memory for the result.
    auto goes_on = got.status.ok() || got.status.code() == Code::resource_exhausted;
    if (goes_on && is_about_a_value(expected.status)) continue;
    auto where = "seed " + std::to_string(seed) + ": " + call->where + ", ";
    auto is_same = got.status.code() == expected.status.code();
    BOOST_TEST(
        is_same, where << got.status.to_string() << " instead of " << expected.status.to_string());
    if (!got.status.ok() || !expected.status.ok()) continue;
    ++compared;
    auto found = first_difference(*call, got, expected.outputs, expected.variables);
    BOOST_TEST(found.empty(), where << found);
  }
  BOOST_TEST_MESSAGE(op << ": the results of " << compared << " calls compared");
}

}  // namespace

namespace troupe::testing {

void add_random_calls() {
  namespace unit_test = boost::unit_test;
  const auto* given = std::getenv("TROUPE_CARD_CALLS");
  auto calls = given ? std::strtoull(given, nullptr, 10) : 30;
  auto* suite = BOOST_TEST_SUITE("random_calls_on_a_card");
  for (const auto& op : ops_of_card())
    suite->add(unit_test::make_test_case(
        [op, calls] { compare_calls(op, calls); }, op, __FILE__, __LINE__));
  unit_test::framework::master_test_suite().add(suite);
}

}  // namespace troupe::testing
