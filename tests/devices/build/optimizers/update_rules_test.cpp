#include <algorithm>
#include <functional>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/nn/embedding.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe {

namespace {

using MakeOptimizer = std::function<Optimizer(const Builder&)>;

/// Some steps of a loss, at the end of which the variable w must have those values, and the global
/// step must have counted them.
void check_steps(
    testing::Model& m, const Value& loss, const MakeOptimizer& make, int64_t step_count,
    const std::vector<double>& expected) {
  auto global_step = get_or_create_global_step(m.b);
  auto step = minimize(m.b, loss, make(m.b), {.global_step = global_step});
  auto w = m.b.variables()[0].value();
  auto counted = global_step.value();
  m.initialize();
  for (int64_t i = 0; i < step_count; ++i) m.run(step);
  m.check(w, expected, {}, 1e-5);
  BOOST_TEST(m.fetch(counted).value<int64_t>() == step_count);
}

/// Compares five steps with a tensor as gradient, three with rows of which one is named twice, and
/// the names of the optimizer's variables.
void check_optimizer(
    const MakeOptimizer& make, const std::vector<std::string>& state,
    const std::vector<double>& with_tensor, const std::vector<double>& with_rows) {
  testing::Model dense;
  auto w = dense.b.variable("w", dense.floats({3}, {3, -2, 0.5}));
  auto distance = dense.b.sub(w, dense.floats({3}, {1, 4, 0.25}));
  check_steps(dense, dense.b.reduce_sum(dense.b.square(distance)), make, 5, with_tensor);

  std::vector<std::string> names;
  for (const auto& variable : dense.b.variables())
    if (variable.name != "w" && variable.name != "global_step") names.push_back(variable.name);
  std::ranges::sort(names);
  BOOST_TEST(names == state, boost::test_tools::per_element());

  testing::Model sparse;
  auto table = sparse.b.variable("w", sparse.floats({4, 2}, {3, -2, 0.5, 1, -1, 2, 4, 0.25}));
  auto rows = nn::embedding_lookup(sparse.b, {table}, sparse.b.ints({2, 0, 2}));
  check_steps(sparse, sparse.b.reduce_sum(sparse.b.square(rows)), make, 3, with_rows);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(update_rules)

BOOST_AUTO_TEST_CASE(gradient_descent_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) { return GradientDescent{.learning_rate = 0.1}; }, {},
      {1.65536, 2.03392, 0.33192}, {1.536, -1.0239999, 0.5, 1, -0.21600002, 0.43200004, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(proximal_gradient_descent_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return ProximalGradientDescent{
            .learning_rate = 0.1,
            .l1_regularization_strength = 0.2,
            .l2_regularization_strength = 0.3};
      },
      {}, {1.4093761, 1.8815333, 0.23489593},
      {1.359445, -0.89089239, 0.5, 1, -0.16035296, 0.35802358, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(momentum_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) { return Momentum{.learning_rate = 0.1, .momentum = 0.8}; },
      {"w/Momentum"}, {0.22175989, 6.3347206, 0.15271999},
      {0.38399994, -0.25599992, 0.5, 1, 0.42400008, -0.84800017, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(nesterovs_momentum_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return Momentum{.learning_rate = 0.1, .momentum = 0.8, .use_nesterov = true};
      },
      {"w/Momentum"}, {0.46921083, 5.5923676, 0.18365134},
      {-0.012288094, 0.008192122, 0.5, 1, 0.326208, -0.65241599, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(adam_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return Adam{.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3};
      },
      {"beta1_power", "beta2_power", "w/Adam", "w/Adam_1"}, {2.5034938, -1.5009695, 0.13990581},
      {2.7005448, -1.7008709, 0.5, 1, -0.70190942, 1.7007772, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(adagrad_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return Adagrad{.learning_rate = 0.1, .initial_accumulator_value = 0.2};
      },
      {"w/Adagrad"}, {2.6878324, -1.6801527, 0.30576178},
      {2.7747841, -1.7767682, 0.5, 1, -0.78138471, 1.7760595, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(proximal_adagrad_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return ProximalAdagrad{
            .learning_rate = 0.1,
            .initial_accumulator_value = 0.2,
            .l1_regularization_strength = 0.2,
            .l2_regularization_strength = 0.3};
      },
      {"w/ProximalAdagrad"}, {2.6044555, -1.6602672, 0.1884969},
      {2.7349558, -1.7342634, 0.5, 1, -0.75587898, 1.7546535, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(adagrad_da_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return AdagradDA{
            .learning_rate = 0.1,
            .global_step = get_or_create_global_step(b),
            .initial_gradient_squared_accumulator_value = 0.2,
            .l1_regularization_strength = 0.02,
            .l2_regularization_strength = 0.3};
      },
      {"w/AdagradDA", "w/AdagradDA_1"}, {0.069310926, 0.21698499, 0.095988207},
      {-0.09083537, 0.086317129, 0.5, 1, 0.077120669, -0.088274449, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(adadelta_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) { return Adadelta{.learning_rate = 0.5, .rho = 0.9, .epsilon = 1e-2}; },
      {"w/Adadelta", "w/Adadelta_1"}, {2.2655106, -1.2059019, 0.25066191},
      {2.5296781, -1.5381572, 0.5, 1, -0.5631299, 1.5370685, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(rmsprop_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return RMSProp{.learning_rate = 0.1, .decay = 0.8, .momentum = 0.5, .epsilon = 1e-3};
      },
      {"w/RMSProp", "w/RMSProp_1"}, {1.8813171, -0.73236966, 0.22726676},
      {2.2638059, -1.3045926, 0.5, 1, -0.34227744, 1.2637792, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(centered_rmsprop_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return RMSProp{
            .learning_rate = 0.1, .decay = 0.8, .momentum = 0.5, .epsilon = 1e-3, .centered = true};
      },
      {"w/RMSProp", "w/RMSProp_1", "w/RMSProp_2"}, {1.6360452, -0.34605172, 0.22540495},
      {2.1264153, -1.1895691, 0.5, 1, -0.25110972, 1.1275384, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(ftrl_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return Ftrl{
            .learning_rate = 0.1,
            .learning_rate_power = -0.6,
            .initial_accumulator_value = 0.2,
            .l1_regularization_strength = 0.1,
            .l2_regularization_strength = 0.3};
      },
      {"w/Ftrl", "w/Ftrl_1"}, {2.537596, -1.7743157, 0.19775416},
      {2.6979184, -1.6761032, 0.5, 1, -0.76026982, 1.7864022, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(ftrl_with_shrinkage_updates_as_in_tensorflow) {
  check_optimizer(
      [](const Builder& b) {
        return Ftrl{
            .learning_rate = 0.1,
            .initial_accumulator_value = 0.2,
            .l1_regularization_strength = 0.1,
            .l2_regularization_strength = 0.3,
            .l2_shrinkage_regularization_strength = 0.05};
      },
      {"w/Ftrl", "w/Ftrl_1"}, {2.3133154, -1.5926378, 0.17940702},
      {2.5190308, -1.5266615, 0.5, 1, -0.66169167, 1.6491688, 4, 0.25});
}

BOOST_AUTO_TEST_CASE(a_learning_rate_may_change_with_each_step) {
  testing::Model m;
  auto w = m.b.variable("w", m.b.constant(1.0f));
  auto rate = m.b.placeholder(DType::float32, {});
  auto step = minimize(m.b, w.value() * 1.0, GradientDescent{.learning_rate = rate});
  auto value = w.value();
  m.initialize();
  m.run(step, {{rate, Tensor::scalar(0.25f)}});
  m.run(step, {{rate, Tensor::scalar(0.5f)}});
  m.check(value, {0.25});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
