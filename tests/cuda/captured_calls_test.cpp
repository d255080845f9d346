#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/cuda/card_calls.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/plan_steps.hpp"
#include "troupe/tests/fuzz/calls/random_call.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr int calls_max = 2;
constexpr uint64_t seeds = 60;
/// Launches behind the call's, so that a capture is worth its copies. A piece has to have more, so
/// none is made of these alone.
constexpr int other_launches = 64;

std::shared_ptr<const Graph> graph_of(const RecordedCall& call) {
  auto graph = std::make_shared<Graph>(op_catalog());
  auto is_added = true;
  auto add = [&](const std::string& name, const std::string& op, std::vector<std::string> inputs,
                 Attrs attrs) {
    auto id = graph->add({.name = name, .op = op, .inputs = std::move(inputs), .attrs = attrs});
    is_added = is_added && id.ok();
    return id.ok() ? &graph->node(*id) : nullptr;
  };
  auto add_arg = [&](size_t index, DType dtype) {
    auto name = "arg" + std::to_string(index);
    add(name, std::string(transfer::arg), {},
        {{"T", dtype}, {"index", static_cast<int64_t>(index)}, {"shape", Shape::unknown_rank()}});
    return name;
  };
  auto add_retval = [&](int64_t index, const std::string& value) {
    add("result" + std::to_string(index), std::string(transfer::retval), {value},
        {{"index", index}});
  };
  std::vector<std::string> inputs;
  for (const auto& input : call.inputs) inputs.push_back(add_arg(inputs.size(), input.dtype()));
  const auto* node = add("call", call.op, inputs, call.attrs);
  if (!node) return nullptr;
  auto outputs = std::ssize(node->output_dtypes);
  for (int64_t i = 0; i < outputs; ++i) add_retval(i, "call:" + std::to_string(i));
  // They hang on what the call hangs on, and on nothing else: all are one piece.
  std::string last = "one";
  add(last, "Const", {}, {{"dtype", DType::float32}, {"value", Tensor::scalar(1.0f)}});
  for (int i = 0; i < other_launches; ++i) {
    auto name = "other" + std::to_string(i);
    add(name, "Neg", i == 0 ? std::vector<std::string>{last, "^call"} : std::vector{last}, {});
    last = name;
  }
  add_retval(outputs, last);
  return is_added ? graph : nullptr;
}

/// With the elements of each in another order.
Tensors reordered(const Tensors& inputs) {
  Tensors made;
  for (const auto& input : inputs) {
    made.push_back(*Tensor::allocate(input.dtype(), input.shape()));
    auto* to = static_cast<char*>(made.back().mutable_raw());
    std::memcpy(to, input.raw(), input.bytes());
    if (input.elements() > 1) std::rotate(to, to + size_of(input.dtype()), to + input.bytes());
  }
  return made;
}

/// The calls of an op whose inputs are all values of plain dtypes.
std::vector<RecordedCall> calls_of_values(const std::string& op) {
  std::vector<RecordedCall> calls;
  auto add = [&](RecordedCall call) {
    if (std::ranges::all_of(call.inputs, [](const Tensor& input) {
          return input.is_set() && is_plain(input.dtype());
        }))
      calls.push_back(std::move(call));
  };
  for (const auto& call : recorded_calls())
    if (call.op == op && call.succeeds() && call.variables.empty()) add(call);
  fuzz::CallSource source(*op_catalog(), op);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    auto drawn = source.draw(seed);
    RecordedCall call{.where = drawn.to_string(), .op = op, .attrs = drawn.attrs};
    for (const auto& input : drawn.inputs)
      call.inputs.push_back(input.maker.empty() ? input.value : Tensor());
    add(std::move(call));
  }
  return calls;
}

struct Answer {
  int captured = 0;   // calls
  std::string fault;  // the first difference, or reason for which a call was not captured
};

/// Calls of an op, each in steps that are replayed, beside steps that are not.
class CapturedCalls {
 public:
  explicit CapturedCalls(const std::string& op, bool is_said_to_repeat = false)
      : op_(op),
        captures_(make_gpu(
            {.graphs =
                 {.launches_min = other_launches + 1,
                  .log = [this](const std::string& why) { refusal_ = why; }},
             .said_to_repeat = is_said_to_repeat ? op : ""})) {}

  Answer run() {
    Answer answer;
    for (const auto& call : calls_of_values(op_)) {
      if (answer.captured == calls_max || !answer.fault.empty()) break;
      auto graph = graph_of(call);
      if (!graph || !repeats(*graph)) continue;
      answer.fault = run(call, graph, answer.captured);
      if (!answer.fault.empty()) answer.fault = call.where + ": " + answer.fault;
    }
    return answer;
  }

 private:
  bool repeats(const Graph& graph) const {
    auto kernel = captures_->kernels().make(graph.node(*graph.find("call")));
    return kernel.ok() && kernel->compute && kernel->repeats == Repeats::as_work;
  }

  std::string run(
      const RecordedCall& call, const std::shared_ptr<const Graph>& graph, int& captured) {
    PlanSteps got(graph, *captures_), as(graph, *plain_);
    auto before = replays();
    int step = 0;
    // The first is one of node by node, the second captures.
    for (const auto& inputs : {call.inputs, call.inputs, reordered(call.inputs), call.inputs}) {
      auto expected = as.run(inputs);
      if (++step == 1 && !expected.ok()) return {};
      if (!expected.ok()) continue;
      auto values = got.run(inputs);
      auto where = " in step " + std::to_string(step);
      if (!values.ok()) return values.status().to_string() + where;
      auto found = first_difference(
          {.where = call.where, .op = call.op, .attrs = call.attrs, .inputs = inputs},
          {.outputs = *std::move(values)}, *expected, {});
      if (!found.empty()) return found + where;
    }
    captured += replays() > before;
    return refusal_;
  }

  uint64_t replays() const {
    auto text = captures_->describe_graphs();  // "1 graph of 3 bytes: 120 replays, ..."
    return std::strtoull(text.c_str() + text.find(": ") + 2, nullptr, 10);
  }

  const std::string op_;
  std::string refusal_;
  const std::shared_ptr<accelerator::AcceleratorDevice> captures_;
  const std::shared_ptr<accelerator::AcceleratorDevice> plain_ =
      make_gpu({.graphs = {.are_kept = false}});
};

void check_op(const std::string& op) {
  auto answer = CapturedCalls(op).run();
  BOOST_TEST(answer.fault.empty(), op << ": " << answer.fault);
  BOOST_TEST_MESSAGE(op << ": " << answer.captured << " calls captured");
}

/// That work which is not the same in each run is found where its kernel says that it is: numbers
/// of a generator of the host, a copy from the host, and a library that waits.
void check_that_faults_are_found() {
  for (const auto* op : {"RandomUniform", "CropAndResize", "Svd"}) {
    auto answer = CapturedCalls(op, /*is_said_to_repeat=*/true).run();
    BOOST_TEST(!answer.fault.empty(), op << " is captured without a fault");
    BOOST_TEST_MESSAGE(op << ": " << answer.fault);
  }
}

/// Names the ops whose kernels are not said to repeat, but would.
void name_ops_that_could() {
  for (const auto& op : ops_of_card()) {
    if (CapturedCalls(op).run().captured > 0) continue;
    auto answer = CapturedCalls(op, /*is_said_to_repeat=*/true).run();
    if (answer.fault.empty() && answer.captured > 0)
      BOOST_TEST_MESSAGE(op << " could be captured: " << answer.captured << " calls were");
  }
}

}  // namespace

namespace troupe::testing {

void add_captured_calls() {
  namespace unit_test = boost::unit_test;
  auto* suite = BOOST_TEST_SUITE("captured_calls_on_a_card");
  auto add = [&](const std::string& name, const std::function<void()>& test) {
    suite->add(unit_test::make_test_case(test, name, __FILE__, __LINE__));
  };
  for (const auto& op : ops_of_card()) add(op, [op] { check_op(op); });
  add("work_that_does_not_repeat_is_found", check_that_faults_are_found);
  add("ops_that_could_be_captured_are_named", name_ops_that_could);
  unit_test::framework::master_test_suite().add(suite);
}

}  // namespace troupe::testing
