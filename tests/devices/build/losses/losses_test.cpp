#include "troupe/graph/build/losses/losses.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::losses {

namespace {

struct Compared : testing::Model {
  Value x = floats({2, 3}, {1, -2, 0.5, 3, 0.25, -1});
  Value z = floats({2, 3}, {0, 1, 0, 0.2, 0.3, 0.5});
  Value y = ints({2, 3}, {1, 0, 1, 0, 0, 1});  // cast to the dtype of the predictions
  Value weights = floats({2, 3}, {1, 0, 2, 0.5, 0, 0});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(losses_test, Compared)

BOOST_AUTO_TEST_CASE(weighted_losses_are_reduced_in_five_ways) {
  auto reduced = [&](Reduction reduction) {
    return compute_weighted_loss(b, x, {.weights = weights, .reduction = reduction});
  };
  check(reduced(Reduction::none), {1, -0, 1, 1.5, 0, -0});
  check(reduced(Reduction::sum), {3.5});
  check(reduced(Reduction::mean), {1});
  check(reduced(Reduction::sum_over_batch_size), {0.58333331});
  check(reduced(Reduction::sum_by_nonzero_weights), {1.1666666});
}

BOOST_AUTO_TEST_CASE(weights_of_samples_broadcast) {
  check(compute_weighted_loss(b, x, {.weights = floats({2, 1}, {1, 0})}), {-0.16666667});
}

BOOST_AUTO_TEST_CASE(a_loss_without_weight_is_zero) {
  check(compute_weighted_loss(b, x, {.weights = 0}), {0});
}

BOOST_AUTO_TEST_CASE(differences_are_absolute_squared_or_between) {
  check(absolute_difference(b, y, x, {.weights = weights}), {0.83333331});
  check(mean_squared_error(b, y, x, {.weights = weights}), {1.6666666});
  check(huber_loss(b, y, x, {.delta = 0.75, .weights = weights}), {0.41145834});
}

BOOST_AUTO_TEST_CASE(pairs_of_elements_of_a_sample_are_compared) {
  check(mean_pairwise_squared_error(b, y, x, weights), {6.75});
}

BOOST_AUTO_TEST_CASE(a_hinge_is_open_for_wrong_signs) {
  check(hinge_loss(b, y, x, {.weights = weights}), {1});
}

BOOST_AUTO_TEST_CASE(probabilities_are_compared_by_logarithms) {
  check(log_loss(b, y, z * 0.8 + 0.1, {.weights = weights}), {2.3527682});
}

BOOST_AUTO_TEST_CASE(directions_are_compared_by_cosines) {
  check(cosine_distance(b, y, x, {.axis = 1, .weights = floats({2, 1}, {0.5, 2})}), {1.875});
}

BOOST_AUTO_TEST_CASE(labels_of_cross_entropies_are_smoothed) {
  check(sigmoid_cross_entropy(b, y, x, {.label_smoothing = 0.1, .weights = weights}), {0.93690306});
  check(
      softmax_cross_entropy(b, z, x, {.label_smoothing = 0.1, .weights = floats({2}, {1, 3})}),
      {5.9304361});
}

BOOST_AUTO_TEST_CASE(labels_may_have_a_last_axis_of_one_class) {
  check(
      sparse_softmax_cross_entropy(b, ints({2, 1}, {2, 0}), x, {.weights = floats({2, 1}, {1, 3})}),
      {0.62085283});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::losses
