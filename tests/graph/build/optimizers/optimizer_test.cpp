#include "troupe/graph/build/optimizers/optimizer.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"

namespace troupe {

namespace {

constexpr const char* ps = "/job:ps/task:0";
constexpr const char* worker = "/job:worker/task:0";

/// A line through the origin, fitted on a worker: one variable, read where `reads` says.
struct Line {
  Builder b = Builder().on(worker);
  Variable slope = b.on(ps).container("lines").variable("slope", b.zeros(DType::float32, {3}));
  Value loss = b.reduce_sum(b.square(slope.value() * slope.value()));
};

Result<const Node*> find_op(const Graph& graph, std::string_view op_name) {
  for (const auto& node : graph.nodes())
    if (node.op->name() == op_name) return &node;
  return not_found(std::string(op_name));
}

/// The names of a node's inputs' nodes; for reads and casts of variables, those of the handles.
std::vector<std::string> input_names(const Graph& graph, const Node& node) {
  std::vector<std::string> names;
  for (auto input : node.inputs) {
    const auto* source = &graph.node(input.node);
    while (source->op->name() == "ReadVariableOp" || source->op->name() == "Cast")
      source = &graph.node(source->inputs[0].node);
    names.push_back(source->name);
  }
  return names;
}

bool runs_after(const Graph& graph, const Node& late, std::string_view early) {
  return std::ranges::any_of(
      late.control_inputs, [&](NodeId id) { return graph.node(id).name == early; });
}

float number(const Graph& graph, Output output) {
  return graph.constant_value(output)->value<float>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimizer)

BOOST_AUTO_TEST_CASE(an_update_runs_where_its_variable_lives) {
  Line line;
  auto step = minimize(line.b, line.loss, GradientDescent{.learning_rate = 0.5});
  BOOST_TEST(line.b.status().to_string() == "Ok");
  BOOST_TEST(step.name() == "GradientDescent/step");

  const auto& graph = line.b.graph();
  auto update = find_op(graph, "ResourceApplyGradientDescent");
  BOOST_REQUIRE(update.ok());
  BOOST_TEST((*update)->name == "GradientDescent/update_slope/ResourceApplyGradientDescent");
  BOOST_TEST((*update)->device == ps);
  BOOST_TEST(input_names(graph, **update)[0] == "slope/handle");
  BOOST_TEST(number(graph, (*update)->inputs[1]) == 0.5f);
  BOOST_TEST(graph.node((*update)->inputs[1].node).device == ps);
  BOOST_TEST(runs_after(graph, graph.node(step.output().node), (*update)->name));
  BOOST_TEST(graph.node(step.output().node).device == ps);
}

BOOST_AUTO_TEST_CASE(the_gradients_of_all_reads_of_a_variable_are_summed) {
  Line line;
  auto slopes = gradients(line.b, {line.loss}, {line.slope.handle});
  BOOST_REQUIRE(slopes.ok());
  BOOST_TEST(((*slopes)[0].dtype() == DType::float32));
  const auto& sum = line.b.graph().node((*slopes)[0].output().node);
  BOOST_TEST(sum.op->name() == "AddN");
  BOOST_TEST(sum.inputs.size() == 2);
}

BOOST_AUTO_TEST_CASE(a_slot_lives_beside_its_variable_and_is_initialized_with_it) {
  Line line;
  minimize(
      line.b, line.loss, Momentum{.learning_rate = 0.5, .momentum = 0.25, .use_nesterov = true});
  BOOST_TEST(line.b.status().to_string() == "Ok");

  const auto& graph = line.b.graph();
  auto slot = graph.find("slope/Momentum/handle");
  BOOST_REQUIRE(slot.ok());
  BOOST_TEST(graph.node(*slot).device == ps);
  BOOST_TEST(graph.node(*slot).attr<std::string>("container") == "lines");
  BOOST_TEST((graph.node(*slot).attr<Shape>("shape") == Shape{3}));

  auto update = find_op(graph, "ResourceApplyMomentum");
  BOOST_REQUIRE(update.ok());
  auto names = input_names(graph, **update);
  BOOST_TEST(names[0] == "slope/handle");
  BOOST_TEST(names[1] == "slope/Momentum/handle");
  BOOST_TEST(number(graph, (*update)->inputs[2]) == 0.5f);
  BOOST_TEST(number(graph, (*update)->inputs[4]) == 0.25f);
  BOOST_TEST((*update)->attr<bool>("use_nesterov"));

  auto initializer = line.b.initializer();
  BOOST_TEST(runs_after(graph, graph.node(initializer.output().node), "slope/Momentum/assign"));
}

/// A table of rows, of which some are gathered from the variable itself.
struct Rows {
  Builder b = Builder().on(worker);
  Variable table = b.on(ps).variable("table", b.zeros(DType::float32, {5, 3}));
  Value gathered =
      b.op("ResourceGather", {table.handle, b.ints({4, 1, 4})}, {{"dtype", DType::float32}});
  Value loss = b.reduce_sum(b.square(gathered));
};

BOOST_AUTO_TEST_CASE(gradient_descent_changes_only_the_rows_that_were_gathered) {
  Rows rows;
  minimize(rows.b, rows.loss, GradientDescent{});
  BOOST_TEST(rows.b.status().to_string() == "Ok");
  auto update = find_op(rows.b.graph(), "ResourceScatterAdd");
  BOOST_REQUIRE(update.ok());
  BOOST_TEST(input_names(rows.b.graph(), **update)[0] == "table/handle");
  BOOST_TEST((*update)->device == ps);
  BOOST_TEST(!find_op(rows.b.graph(), "ScatterNd").ok());
}

BOOST_AUTO_TEST_CASE(momentum_sums_the_rows_of_one_index_and_changes_only_those) {
  Rows rows;
  minimize(rows.b, rows.loss, Momentum{});
  BOOST_TEST(rows.b.status().to_string() == "Ok");
  auto update = find_op(rows.b.graph(), "ResourceSparseApplyMomentum");
  BOOST_REQUIRE(update.ok());
  const auto& graph = rows.b.graph();
  BOOST_TEST(graph.node((*update)->inputs[3].node).op->name() == "UnsortedSegmentSum");
  BOOST_TEST(graph.node((*update)->inputs[4].node).op->name() == "Unique");
}

BOOST_AUTO_TEST_CASE(adam_decays_its_averages_before_it_adds_rows_to_them) {
  Rows rows;
  minimize(rows.b, rows.loss, Adam{});
  BOOST_TEST(rows.b.status().to_string() == "Ok");
  const auto& graph = rows.b.graph();
  BOOST_TEST(!find_op(graph, "ResourceApplyAdam").ok());
  BOOST_TEST(!find_op(graph, "ScatterNd").ok());
  auto added = find_op(graph, "ResourceScatterAdd");
  BOOST_REQUIRE(added.ok());
  BOOST_REQUIRE_EQUAL((*added)->control_inputs.size(), 1);
  BOOST_TEST(graph.node((*added)->control_inputs[0]).op->name() == "AssignVariableOp");
}

BOOST_AUTO_TEST_CASE(adam_raises_its_powers_after_all_updates) {
  Line line;
  auto step = minimize(line.b, line.loss, Adam{});
  BOOST_TEST(line.b.status().to_string() == "Ok");

  const auto& graph = line.b.graph();
  auto update = find_op(graph, "ResourceApplyAdam");
  BOOST_REQUIRE(update.ok());
  auto names = input_names(graph, **update);
  BOOST_REQUIRE(names.size() == 10);
  names.resize(5);
  BOOST_TEST(
      names == std::vector<std::string>(
                   {"slope/handle", "slope/Adam/handle", "slope/Adam_1/handle",
                    "beta1_power/handle", "beta2_power/handle"}),
      boost::test_tools::per_element());

  int raised = 0;
  for (const auto& node : graph.nodes()) {
    if (node.op->name() != "AssignVariableOp" || !node.name.starts_with("Adam/")) continue;
    ++raised;
    BOOST_TEST(node.device == ps);
    BOOST_TEST(runs_after(graph, node, (*update)->name));
    BOOST_TEST(runs_after(graph, graph.node(step.output().node), node.name));
  }
  BOOST_TEST(raised == 2);
}

BOOST_AUTO_TEST_CASE(one_pair_of_powers_serves_variables_of_two_dtypes) {
  Builder b;
  auto single = b.variable("single", b.zeros(DType::float32, {2}));
  auto twofold = b.variable("twofold", b.zeros(DType::float64, {2}));
  auto loss = b.reduce_sum(b.square(b.cast(single, DType::float64) + twofold));
  minimize(b, loss, Adam{});
  BOOST_TEST(b.status().to_string() == "Ok");
  BOOST_TEST(b.variables().size() == 2 + 2 * 2 + 2);
}

BOOST_AUTO_TEST_CASE(a_rate_may_be_a_value_and_is_cast_to_the_dtype_of_each_variable) {
  Builder b;
  auto rate = b.named("rate").placeholder(DType::float32, {});
  auto same = b.variable("same", b.constant(1.0f));
  auto wide = b.variable("wide", b.constant(1.0));
  auto loss = b.cast(same, DType::float64) * wide;
  minimize(b, loss, GradientDescent{.learning_rate = rate}, {.var_list = {same, wide}});
  BOOST_TEST(b.status().to_string() == "Ok");
  std::vector<std::string> rates;
  for (const auto& node : b.graph().nodes())
    if (node.op->name() == "ResourceApplyGradientDescent")
      rates.push_back(input_names(b.graph(), node)[1]);
  BOOST_TEST((rates == std::vector<std::string>{"rate", "rate"}));
}

BOOST_AUTO_TEST_CASE(gradients_of_the_callers_own_are_applied) {
  Line line;
  auto gradient = line.b.named("mine").zeros(DType::float32, {3});
  apply_gradients(line.b, GradientDescent{}, {{{.tensor = gradient}, line.slope}});
  BOOST_TEST(line.b.status().to_string() == "Ok");
  auto update = find_op(line.b.graph(), "ResourceApplyGradientDescent");
  BOOST_REQUIRE(update.ok());
  BOOST_TEST(line.b.graph().name_of((*update)->inputs[2]) == gradient.name());
}

BOOST_AUTO_TEST_CASE(variables_without_a_gradient_are_left_alone) {
  Line line;
  auto other = line.b.variable("other", line.b.constant(1.0f));
  auto gradient = line.b.zeros(DType::float32, {3});
  apply_gradients(line.b, Momentum{}, {{{}, other}, {{.tensor = gradient}, line.slope}});
  BOOST_TEST(line.b.status().to_string() == "Ok");
  BOOST_TEST(!line.b.graph().contains("other/Momentum/handle"));

  apply_gradients(line.b, Momentum{}, {{{}, other}, {{}, line.slope}});
  BOOST_TEST(
      line.b.take_status().to_string() ==
      "InvalidArgument: No gradients provided for any variable: [other, slope]");
  apply_gradients(line.b, Momentum{}, {});
  BOOST_TEST((line.b.take_status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_global_step_is_incremented_after_the_updates) {
  Line line;
  auto global_step = create_global_step(line.b.on(ps));
  auto step = minimize(line.b, line.loss, GradientDescent{}, {.global_step = global_step});
  BOOST_TEST(line.b.status().to_string() == "Ok");
  const auto& graph = line.b.graph();
  auto count = find_op(graph, "AssignAddVariableOp");
  BOOST_REQUIRE(count.ok());
  BOOST_TEST((*count)->device == ps);
  BOOST_TEST(input_names(graph, **count)[0] == "global_step/handle");
  auto update = find_op(graph, "ResourceApplyGradientDescent");
  BOOST_REQUIRE(update.ok());
  BOOST_TEST(runs_after(graph, **count, (*update)->name));
  BOOST_TEST(runs_after(graph, graph.node(step.output().node), (*count)->name));
}

BOOST_AUTO_TEST_CASE(a_graph_has_one_global_step_whatever_the_scope) {
  Builder b;
  BOOST_TEST(!get_global_step(b).has_value());
  auto made = get_or_create_global_step(b.scope("model"));
  BOOST_TEST(made.name == "global_step");
  BOOST_TEST((made.dtype == DType::int64));
  BOOST_TEST(get_or_create_global_step(b).name == "global_step");
  BOOST_TEST(b.variables().size() == 1);
  create_global_step(b);
  BOOST_TEST((b.status().code() == Code::already_exists));
}

BOOST_AUTO_TEST_CASE(updates_wait_for_what_the_builder_waits_for_but_initializers_do_not) {
  for (const Optimizer& optimizer : {Optimizer(Adam{}), Optimizer(Momentum{})}) {
    Line line;
    auto first = line.b.named("first").constant(1.0f);
    minimize(line.b.after({first}), line.loss, optimizer);
    BOOST_TEST(line.b.status().to_string() == "Ok");
    const auto& graph = line.b.graph();
    int updates = 0;
    for (const auto& node : graph.nodes()) {
      if (node.op->name().starts_with("ResourceApply")) updates += runs_after(graph, node, "first");
      if (node.name.starts_with("slope/") || node.name.starts_with("beta"))
        BOOST_TEST(!runs_after(graph, node, "first"), node.name);
    }
    BOOST_TEST(updates == 1);
  }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_the_loss_may_be_given) {
  Line line;
  auto half = line.b.named("half").constant(0.5f);
  auto pairs = compute_gradients(line.b, line.loss, {}, half);
  BOOST_REQUIRE_EQUAL(pairs.size(), 1);
  BOOST_TEST(pairs[0].variable.name == "slope");
  auto is_used = std::ranges::any_of(line.b.graph().nodes(), [&](const Node& node) {
    return std::ranges::count(node.inputs, half.output()) > 0;
  });
  BOOST_TEST(is_used);
}

BOOST_AUTO_TEST_CASE(options_of_optimizers_are_checked) {
  auto refused = [](const Optimizer& optimizer) {
    Line line;
    minimize(line.b, line.loss, optimizer);
    return line.b.status().to_string();
  };
  BOOST_TEST(
      refused(Adagrad{.initial_accumulator_value = 0}) ==
      "InvalidArgument: initial_accumulator_value must be > 0: 0.000000");
  BOOST_TEST(refused(AdagradDA{}) == "InvalidArgument: AdagradDA needs a global_step");
  BOOST_TEST(
      refused(Ftrl{.learning_rate_power = 0.5}) ==
      "InvalidArgument: learning_rate_power needs to be <= 0");
  BOOST_TEST(
      refused(Ftrl{.l1_regularization_strength = -1}) ==
      "InvalidArgument: regularization strengths need to be >= 0");
  BOOST_TEST(refused(Momentum{.name = ""}) == "InvalidArgument: an optimizer needs a name");
}

BOOST_AUTO_TEST_CASE(numbers_of_an_optimizer_belong_to_its_graph) {
  Line line;
  Builder other;
  minimize(line.b, line.loss, GradientDescent{.learning_rate = other.constant(1.0f)});
  BOOST_TEST((line.b.status().code() == Code::invalid_argument));
  BOOST_TEST(line.b.status().message() == "an operand belongs to no node of this graph");
}

BOOST_AUTO_TEST_CASE(a_loss_of_another_graph_is_refused) {
  Line line;
  Builder other;
  minimize(other, line.loss, GradientDescent{});
  BOOST_TEST((other.status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(only_the_variables_given_are_trained) {
  Builder b;
  auto trained = b.variable("trained", b.zeros(DType::float32, {2}));
  auto fixed = b.variable("fixed", b.zeros(DType::float32, {2}));
  minimize(b, b.reduce_sum(trained * fixed), Momentum{}, {.var_list = {trained}});
  BOOST_TEST(b.status().to_string() == "Ok");
  BOOST_TEST(b.graph().contains("trained/Momentum/handle"));
  BOOST_TEST(!b.graph().contains("fixed/Momentum/handle"));
}

BOOST_AUTO_TEST_CASE(variables_that_the_loss_does_not_need_are_left_alone) {
  Builder b;
  auto used = b.variable("used", b.zeros(DType::float32, {2}));
  b.variable("unused", b.zeros(DType::float32, {2}));
  b.variable("counter", b.zeros(DType::int64, {}));
  minimize(b, b.reduce_sum(b.square(used)), Momentum{});
  BOOST_TEST(b.status().to_string() == "Ok");
  BOOST_TEST(b.graph().contains("used/Momentum/handle"));
  BOOST_TEST(!b.graph().contains("unused/Momentum/handle"));
}

BOOST_AUTO_TEST_CASE(a_second_optimizer_has_its_own_slots) {
  Line line;
  minimize(line.b, line.loss, Momentum{});
  auto second = minimize(line.b, line.loss, Momentum{});
  BOOST_TEST(line.b.status().to_string() == "Ok");
  BOOST_TEST(second.name() == "Momentum_1/step");
  BOOST_TEST(line.b.graph().contains("slope/Momentum_1/handle"));
}

BOOST_AUTO_TEST_CASE(a_loss_without_variables_cannot_be_minimized) {
  Builder b;
  auto step = minimize(b, b.named("loss").constant(1.0f), GradientDescent{});
  BOOST_TEST(!step.is_valid());
  BOOST_TEST((b.status().code() == Code::invalid_argument));
  BOOST_TEST(b.status().where().node == "loss");
}

BOOST_AUTO_TEST_CASE(a_given_variable_must_lead_to_the_loss) {
  Builder b;
  auto used = b.variable("used", b.zeros(DType::float32, {2}));
  auto other = b.variable("other", b.zeros(DType::float32, {2}));
  minimize(b, b.reduce_sum(b.square(used)), GradientDescent{}, {.var_list = {other}});
  BOOST_TEST(
      b.status().to_string() == "InvalidArgument: No gradients provided for any variable: [other]");
}

BOOST_AUTO_TEST_CASE(a_slot_needs_the_shape_of_its_variable) {
  Builder b;
  auto w = b.variable("w", b.placeholder(DType::float32, {Shape::unknown}));
  minimize(b, b.reduce_sum(b.square(w)), Momentum{});
  BOOST_TEST((b.status().code() == Code::invalid_argument));
  BOOST_TEST(b.status().where().node == "w");
  BOOST_TEST(b.status().message().find("[?]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_earlier_error_is_kept) {
  Builder b;
  auto nonsense = b.op("Nonsense");
  minimize(b, nonsense, GradientDescent{});
  BOOST_TEST((b.status().code() == Code::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
