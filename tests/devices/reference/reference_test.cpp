#include <cmath>

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/reference/recorded_call.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

/// A graph with one call, whose inputs are constants, or fed and of unknown shape. Its variables
/// get their values in a step before that.
struct CallGraph {
  Builder b;
  std::vector<Feed> feeds;
  std::vector<Feed> initial_values;
  std::vector<Ref> initializers;
  std::vector<Ref> reads;
  std::vector<Ref> outputs;
  Shapes shapes;  // of the outputs, as inferred

  CallGraph(const RecordedCall& call, bool are_constants) {
    Values inputs;
    for (const auto& variable : call.variables)
      inputs.push_back(add_variable(call.where, variable, are_constants));
    for (const auto& input : call.inputs) {
      inputs.push_back(are_constants ? b.constant(input) : b.placeholder(input.dtype()));
      if (!are_constants) feeds.push_back({inputs.back(), input});
    }
    node_ = b.op(call.op, inputs, call.attrs);
    if (!b.status().ok()) return;
    const auto& node = b.graph().node(node_.output().node);
    for (size_t i = 0; i < node.output_dtypes.size(); ++i) {
      outputs.push_back(node_.output(static_cast<int>(i)));
      shapes.push_back(node.output_shapes[i]);
    }
  }
  Result<Tensors> run(GraphRunner& runner) { return runner.run(b, feeds, outputs, {node_}); }
  Status initialize(GraphRunner& runner) {
    return runner.run(b, initial_values, {}, initializers).status();
  }
  Result<Tensors> read(GraphRunner& runner) { return runner.run(b, {}, reads); }

 private:
  Value add_variable(const std::string& where, const Tensor& value, bool is_declared) {
    auto shape = is_declared ? value.shape() : Shape::unknown_rank();
    auto name = "variable " + std::to_string(reads.size()) + " of " + where;
    Attrs attrs = {{"dtype", value.dtype()}, {"shape", shape}, {"shared_name", name}};
    auto handle = b.op("VarHandleOp", {}, attrs);
    auto initial = b.placeholder(value.dtype());
    initial_values.push_back({initial, value});
    initializers.push_back(b.op("AssignVariableOp", {handle, initial}));
    reads.push_back(b.op("ReadVariableOp", {handle}, {{"dtype", value.dtype()}}));
    return handle;
  }

  Value node_;
};

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return 2e-3;
    case DType::bfloat16: return 1.6e-2;
    case DType::float32: return 2e-6;
    case DType::complex64: return 4e-6;
    default: return 1e-12;
  }
}

template <class T>
bool is_near(T got, T expected, double tolerance) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    auto size = std::max(1.0, double(std::abs(expected)));
    return (std::isnan(std::abs(got)) && std::isnan(std::abs(expected))) || got == expected ||
           double(std::abs(got - expected)) <= tolerance * size;
  } else if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) {
    return got == expected;
  } else {
    auto a = static_cast<double>(got), b = static_cast<double>(expected);
    if (std::isnan(b)) return std::isnan(a);
    return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
  }
}

/// Empty, or the first difference.
std::string difference(const Tensor& got, const Tensor& expected, std::optional<double> tolerance) {
  if (!got.is_set()) return "is not set";
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
    return got.to_string() + " instead of " + expected.to_string();
  std::string found;
  using Types = decltype(cpu::AllPlain{} + cpu::Types<std::string>{});
  cpu::for_dtype(Types{}, got.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < got.elements() && found.empty(); ++i) {
      const auto &a = got.data<T>()[i], &b = expected.data<T>()[i];
      if (is_near<T>(a, b, tolerance.value_or(tolerance_of(got.dtype())))) continue;
      found = "element " + std::to_string(i) + " is " + Tensor::scalar<T>(a).to_string() +
              " instead of " + Tensor::scalar<T>(b).to_string();
    }
  });
  return found;
}

void check_updated(const RecordedCall& call, CallGraph& graph, GraphRunner& runner) {
  auto got = graph.read(runner);
  BOOST_TEST(got.ok(), call.where << ": " << got.status().to_string());
  for (size_t i = 0; got && i < got->size(); ++i) {
    auto found = difference((*got)[i], call.updated[i], call.tolerance);
    BOOST_TEST(found.empty(), call.where << ", variable " << i << ": " << found);
  }
}

void check_results(const RecordedCall& call, GraphRunner& runner) {
  CallGraph graph(call, /*are_constants=*/false);
  if (!call.variables.empty()) BOOST_TEST(graph.initialize(runner).ok(), call.where);
  auto got = graph.run(runner);
  BOOST_TEST(got.ok(), call.where << ": " << got.status().to_string());
  if (!got) return;
  BOOST_TEST(got->size() == call.outputs.size(), call.where);
  for (size_t i = 0; i < std::min(got->size(), call.outputs.size()); ++i) {
    auto found = difference((*got)[i], call.outputs[i], call.tolerance);
    BOOST_TEST(found.empty(), call.where << ", output " << i << ": " << found);
    BOOST_TEST(
        graph.shapes[i].is_compatible_with(call.outputs[i].shape()),
        call.where << ", output " << i << " of unknown inputs: " << graph.shapes[i].to_string());
  }
  if (!call.variables.empty()) check_updated(call, graph, runner);
}

void check_shapes(const RecordedCall& call) {
  CallGraph graph(call, /*are_constants=*/true);
  BOOST_TEST(graph.b.status().ok(), call.where << ": " << graph.b.status().to_string());
  for (size_t i = 0; i < std::min(graph.shapes.size(), call.outputs.size()); ++i) {
    const auto &got = graph.shapes[i], &expected = call.outputs[i].shape();
    BOOST_TEST(
        (call.has_known_shape ? got == expected : got.is_compatible_with(expected)),
        call.where << ", output " << i << ": " << got.to_string() << " instead of "
                   << expected.to_string());
  }
}

void check_error(const RecordedCall& call, const Status& status) {
  BOOST_TEST(
      to_string(status.code()) == call.error,
      call.where << ": " << status.to_string() << " instead of " << call.error);
  BOOST_TEST(
      status.message().find(call.says) != std::string::npos,
      call.where << ": " << status.to_string() << " does not say " << call.says);
}

/// A call that fails leaves its variables as they are.
void check_refused(const RecordedCall& call, GraphRunner& runner, bool are_constants) {
  CallGraph graph(call, are_constants);
  auto changes = !call.variables.empty() && graph.b.status().ok();
  if (changes) BOOST_TEST(graph.initialize(runner).ok(), call.where);
  check_error(call, graph.run(runner).status());
  if (changes) check_updated(call, graph, runner);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference)

BOOST_AUTO_TEST_CASE(calls_have_the_recorded_results) {
  GraphRunner runner;
  for (const auto& call : recorded_calls())
    if (call.succeeds()) check_results(call, runner);
}

BOOST_AUTO_TEST_CASE(shapes_of_constants_are_inferred_as_recorded) {
  for (const auto& call : recorded_calls())
    if (call.succeeds()) check_shapes(call);
}

BOOST_AUTO_TEST_CASE(wrong_calls_have_the_recorded_errors) {
  GraphRunner runner;
  for (const auto& call : recorded_calls()) {
    if (call.succeeds()) continue;
    for (bool are_constants : {false, true}) check_refused(call, runner, are_constants);
  }
}

BOOST_AUTO_TEST_CASE(derivatives_are_those_of_central_differences) {
  auto catalog = make_op_catalog();
  for (const auto& call : recorded_calls()) {
    auto differentiated = call.differentiated();
    if (differentiated.empty() || !has_derivatives(**catalog->find(call.op))) continue;
    GradientCase c{.op = call.op, .inputs = {}, .attrs = call.attrs};
    for (size_t i = 0; i < call.inputs.size(); ++i)
      c.inputs.push_back({call.inputs[i], differentiated.contains(i)});
    BOOST_TEST_CONTEXT(call.where)
    for (auto known : {KnownShapes::constants, KnownShapes::nothing}) check_gradient(c, known);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
