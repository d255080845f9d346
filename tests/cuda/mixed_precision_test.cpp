#include "troupe/graph/optimize/mixed_precision.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/optimize/choose_precision.hpp"
#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

Tensor to_float16(const Tensor& value) {
  std::vector<float16> numbers;
  for (auto number : value.values<float>()) numbers.emplace_back(number);
  return Tensor::of<float16>(value.shape(), std::span<const float16>(numbers));
}

/// The call with what that attribute gives the dtype of in float16; nothing where no input tells
/// it, or tells another dtype than float32.
std::optional<RecordedCall> in_float16(
    const RecordedCall& call, const Op& op, const std::string& attr) {
  auto changed = call;
  size_t input = 0;
  bool is_told = false;
  for (const auto& argument : op.inputs()) {
    size_t count = 1;
    if (!argument.dtypes_attr.empty()) return std::nullopt;
    if (!argument.count_attr.empty()) {
      auto given = call.attrs.find(argument.count_attr);
      count = given == call.attrs.end() ? call.inputs.size() + 1 - op.inputs().size()
                                        : static_cast<size_t>(*given->second.get<int64_t>());
    }
    for (size_t i = 0; i < count && input < call.inputs.size(); ++i, ++input) {
      if (argument.dtype_attr != attr) continue;
      if (call.inputs[input].dtype() != DType::float32) return std::nullopt;
      is_told = true;
      changed.inputs[input] = to_float16(call.inputs[input]);
    }
  }
  if (!is_told) return std::nullopt;
  if (auto given = changed.attrs.find(attr); given != changed.attrs.end())
    given->second = DType::float16;
  return changed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mixed_precision_on_a_card)

BOOST_AUTO_TEST_CASE(what_may_become_float16_has_a_kernel_that_takes_it) {
  auto lists = *PrecisionLists::from({});
  const auto ops = ops_of_card();
  auto catalog = op_catalog();
  GraphRunner runner(make_gpu());
  std::set<std::pair<std::string, std::string>> with, without;
  for (const auto& call : recorded_calls()) {
    auto is_listed = lists.allow.contains(call.op) || lists.infer.contains(call.op) ||
                     lists.clear.contains(call.op);
    if (!call.succeeds() || !is_listed || !std::ranges::count(ops, call.op)) continue;
    const auto& op = **catalog->find(call.op);
    for (const auto& rule : op.attrs()) {
      const auto& dtypes = rule.allowed_dtypes;
      if (rule.type != AttrType::dtype) continue;
      if (!dtypes.empty() && !std::ranges::count(dtypes, DType::float16)) continue;
      auto changed = in_float16(call, op, rule.name);
      if (!changed) continue;
      if (run_call(call, runner).status.code() == Code::unimplemented) continue;
      auto status = run_call(*changed, runner).status;
      (status.code() == Code::unimplemented ? without : with).emplace(call.op, rule.name);
    }
  }
  for (const auto& [op, attr] : without)
    BOOST_TEST(!has_float16_kernel(op, attr), op << " " << attr);
  for (const auto& found : with)
    if (!without.contains(found))
      BOOST_TEST(has_float16_kernel(found.first, found.second), found.first << " " << found.second);
  BOOST_TEST(with.size() > 80u);
}

BOOST_AUTO_TEST_SUITE_END()
