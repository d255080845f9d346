#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/function_gradient.hpp"
#include "troupe/graph/build/gradient_function.hpp"
#include "troupe/graph/function_body.hpp"
#include "troupe/graph/ops/functional.hpp"

namespace troupe {
namespace {

/// The loop of a While as one of Enter, Merge and Exit, whose iterations call the functions.
class RepeatedLoop {
 public:
  explicit RepeatedLoop(Gradient& g)
      : g_(g),
        condition_(g.node().attr<FunctionRef>("cond")),
        body_(g.node().attr<FunctionRef>("body")) {
    for (int i = 0; i < g.input_count(); ++i) {
      inputs_.push_back(g.identity(g.in(i)));  // one value may be several inputs
      if (g.in(i).dtype() == DType::resource) continue;
      variables_.push_back(static_cast<size_t>(i));
    }
  }

  /// By input; of a resource, the input itself.
  const Values& inputs() const { return inputs_; }

  Result<Values> add() {
    auto shapes = invariants();
    if (!shapes) return shapes.status();
    Values initial;
    WhileOptions options{
        .parallel_iterations = g_.node().attr<int64_t>("parallel_iterations"),
        .shape_invariants = {}};
    for (auto i : variables_) {
      initial.push_back(inputs_[i]);
      options.shape_invariants.push_back((*shapes)[i]);
    }
    auto exits = while_loop(
        g_, [this](const Builder& b, const Values& v) { return goes_on(b, arguments(v)); },
        [this](const Builder& b, const Values& v) { return own(b.call(body_, arguments(v))); },
        initial, options);
    if (!g_.status().ok()) return g_.status();
    return arguments(exits);
  }

 private:
  Result<Shapes> invariants() const {
    DTypes dtypes;
    Shapes shapes;
    for (const auto& input : inputs_) {
      dtypes.push_back(input.dtype());
      shapes.push_back(input.shape());
    }
    const auto& graph = g_.graph();
    return functional::loop_shapes(
        [&graph](const FunctionRef& body, const DTypes& given, const Shapes& known) {
          return infer_call(body, given, known, graph.shared_catalog(), graph.shared_library());
        },
        body_, dtypes, shapes);
  }

  /// Those of the variables, with the resources, which all iterations share.
  Values arguments(const Values& variables) const {
    auto all = inputs_;
    for (size_t i = 0; i < variables_.size(); ++i) all[variables_[i]] = variables[i];
    return all;
  }

  Values own(const Values& results) const {
    Values own;
    for (auto i : variables_) own.push_back(results[i]);
    return own;
  }

  Value goes_on(const Builder& b, const Values& arguments) const {
    auto condition = b.call(condition_, arguments)[0];
    if (!condition.is_valid() || condition.dtype() == DType::boolean) return condition;
    return b.op("NotEqual", {condition, b.like(condition, 0)});
  }

  Gradient& g_;
  const FunctionRef condition_;
  const FunctionRef body_;
  Values inputs_;
  std::vector<size_t> variables_;  // the inputs that iterations change
};

Status check_repeats(const Gradient& g) {
  for (const auto* attr : {"cond", "body"}) {
    auto function = g.graph().library().find(g.node().attr<FunctionRef>(attr).name());
    if (!function) return function.status();
    if (!can_repeat(g.graph(), (*function)->def))
      return unimplemented(
          "there is no gradient of a loop whose function '" + (*function)->def.name +
          "' draws random numbers or changes state");
  }
  return {};
}

}  // namespace

void add_while_gradient(Gradient& g) {
  if (auto status = check_repeats(g); !status.ok()) return fail_in_function(g, status);
  RepeatedLoop loop(g);
  auto outputs = loop.add();
  if (!outputs) return fail_in_function(g, outputs.status());
  Values ys, xs;
  GradientOptions options{.grad_ys = {}, .allow_unconnected = true};
  for (int i = 0; i < g.input_count(); ++i) {
    if (g.wants(i)) xs.push_back(loop.inputs()[static_cast<size_t>(i)]);
    if (!g.has_dy(i)) continue;
    ys.push_back((*outputs)[static_cast<size_t>(i)]);
    options.grad_ys.push_back(g.dy(i));
  }
  if (xs.empty() || ys.empty()) return;
  auto gradients = troupe::gradients(g, ys, xs, options);
  if (!gradients) return fail_in_function(g, gradients.status());
  auto next = gradients->begin();
  for (int i = 0; i < g.input_count(); ++i) {
    if (!g.wants(i)) continue;
    if (next->is_valid()) g.to_input(i, *next);
    ++next;
  }
}

}  // namespace troupe
