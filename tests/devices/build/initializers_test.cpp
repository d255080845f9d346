#include "troupe/graph/build/initializers.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe {

namespace {

struct Initialized : testing::Model {
  Value made(const Initializer& initializer, const Shape& shape = {3, 4}) const {
    return initializer(b, shape, DType::float32);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(initializers, Initialized)

BOOST_AUTO_TEST_CASE(constants_fill_the_shape) {
  check(made(zeros_initializer(), {2}), {0, 0});
  check(made(ones_initializer(), {2}), {1, 1});
  check(made(constant_initializer(2.5), {2}), {2.5, 2.5});
  check(made(constant_initializer(Tensor::of<double>({4}, {1, 2, 3, 4})), {2, 2}), {1, 2, 3, 4});
  check(made(identity_initializer(2)), {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0});
}

BOOST_AUTO_TEST_CASE(a_seed_draws_what_it_draws_in_tensorflow) {
  check(
      made(random_normal_initializer({.mean = 1, .stddev = 0.5, .seed = 3})),
      {1.5308311, 0.56071085, 1.0559361, 1.0925586, 1.4546129, 0.63106382, 1.1500751, 1.8714435,
       0.96841723, 0.34613431, 1.0800681, 0.27462935});
  check(
      made(truncated_normal_initializer({.stddev = 2, .seed = 3})),
      {2.1233242, -1.7571566, 0.22374432, 0.37023434, -0.32466957, -1.7827719, -1.6332791,
       1.2298537, 1.6542343, 3.2110436, 0.83391845, -2.137239});
  check(
      made(random_uniform_initializer({.minval = -1, .maxval = 3, .seed = 3})),
      {0.54771757, 0.44010496, 2.9075184, -0.65393448, 1.0152049, 0.43400764, -0.16270447,
       -0.8914299, 0.69760561, 1.030726, 0.37870884, 0.93001175});
}

BOOST_AUTO_TEST_CASE(a_variance_is_scaled_by_the_units_of_a_layer) {
  check(
      made(glorot_uniform_initializer(3)),
      {-0.20936608, -0.25918102, 0.88300943, -0.76562291, 0.0070385337, -0.26200354, -0.53822756,
       -0.87556195, -0.13998139, 0.014223337, -0.28760195, -0.032398283});
  check(
      made(glorot_normal_initializer(3)),
      {0.64514065, -0.53388608, 0.0679814, 0.11249023, -0.098646045, -0.54166889, -0.49624771,
       0.37367287, 0.50261462, 0.97562814, 0.2533738, -0.64936846});
  check(
      made(variance_scaling_initializer(
          {.scale = 2, .mode = "fan_out", .distribution = "untruncated_normal", .seed = 3})),
      {0.75070846, -0.62124866, 0.079105563, 0.13089761, 0.6429196, -0.52175456, 0.21223819,
       1.2324072, -0.044664785, -0.92470574, 0.11323347, -1.025829});
  check(
      made(he_normal_initializer(3), {2, 2, 1, 2}),
      {0.85344082, -0.70626485, 0.089930944, 0.14881058, -0.13049646, -0.7165606, -0.65647399,
       0.49432275});
}

BOOST_AUTO_TEST_CASE(fewer_rows_or_columns_are_orthonormal) {
  check(
      made(orthogonal_initializer({.gain = 1.5, .seed = 3})),
      {0.9253605, 0.16135091, 0.26161534, -1.1398382, -0.5018245, 0.65607464, 1.2517978,
       -0.027215123, -0.88428837, -0.88524324, 0.091589883, -0.82218593},
      {}, 1e-5);
  check(
      made(orthogonal_initializer({.seed = 3}), {2, 2, 3}),
      {0.616907, -0.33454967, -0.58952558, 0.10756727, 0.43738312, -0.59016216, 0.17441022,
       0.83453184, 0.061059922, -0.75989217, -0.018143415, -0.54812396},
      {}, 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
