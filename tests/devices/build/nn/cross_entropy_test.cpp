#include "troupe/graph/build/nn/cross_entropy.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

struct ToCompare : testing::Model {
  Value x = floats({2, 3}, {1, -2, 0.5, 3, 0.25, -1});
  Value z = floats({2, 3}, {0, 1, 0, 0.2, 0.3, 0.5});
  Value cube = linspace({2, 3, 4}, -1.5, 2);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cross_entropy, ToCompare)

BOOST_AUTO_TEST_CASE(softmax_cross_entropy_is_that_of_rows) {
  check(softmax_cross_entropy_with_logits(b, z, x), {3.5045969, 2.9040363});
}

BOOST_AUTO_TEST_CASE(softmax_cross_entropy_runs_along_any_axis) {
  auto swapped = b.op("Transpose", {cube, b.ints({0, 2, 1})});
  auto labels = b.op("Transpose", {b.softmax(swapped), b.ints({0, 2, 1})});
  check(
      softmax_cross_entropy_with_logits_v2(b, labels, cube, 1),
      {0.9856106, 0.9856106, 0.9856106, 0.9856106, 0.98561049, 0.9856106, 0.98561054, 0.9856106});
}

BOOST_AUTO_TEST_CASE(only_the_second_version_passes_a_gradient_to_the_labels) {
  for (bool is_second : {false, true}) {
    auto loss = is_second ? softmax_cross_entropy_with_logits_v2(b, z, x)
                          : softmax_cross_entropy_with_logits(b, z, x);
    auto grads = gradients(b, {loss}, {z}, {.allow_unconnected = true});
    BOOST_REQUIRE(grads.ok());
    BOOST_TEST((*grads)[0].is_valid() == is_second);
  }
}

BOOST_AUTO_TEST_CASE(labels_may_be_indices_of_classes_for_logits_of_any_rank) {
  auto labels = ints({2, 3}, {0, 3, 1, 2, 2, 0});
  check(
      sparse_softmax_cross_entropy_with_logits(b, labels, cube),
      {1.6289811, 1.1724594, 1.4768071, 1.3246332, 1.3246334, 1.6289811});
}

BOOST_AUTO_TEST_CASE(shapes_may_be_known_only_by_the_step) {
  auto logits = b.placeholder(DType::float32);
  auto labels = b.placeholder(DType::int64);
  auto loss = sparse_softmax_cross_entropy_with_logits(b, labels, logits);
  check(
      loss, {1.6289811, 1.1724594, 1.4768071, 1.3246332, 1.3246334, 1.6289811},
      {{logits, fetch(cube)}, {labels, Tensor::of<int64_t>({2, 3}, {0, 3, 1, 2, 2, 0})}});
}

BOOST_AUTO_TEST_CASE(half_precision_is_computed_in_single_precision) {
  auto loss =
      softmax_cross_entropy_with_logits(b, b.cast(z, DType::float16), b.cast(x, DType::float16));
  BOOST_TEST((loss.dtype() == DType::float16));
  check(b.cast(loss, DType::float32), {3.5045969, 2.9040363}, {}, 1e-3);
}

BOOST_AUTO_TEST_CASE(sigmoid_cross_entropies_are_of_each_element) {
  check(
      sigmoid_cross_entropy_with_logits(b, z, x),
      {1.3132617, 2.1269281, 0.97407699, 2.4485874, 0.75093943, 0.81326169});
  check(
      weighted_cross_entropy_with_logits(b, z, x, 3),
      {1.3132617, 6.380784, 0.97407699, 2.4680223, 1.096503, 2.1265235});
}

BOOST_AUTO_TEST_CASE(the_loss_of_counts_has_stirlings_approximation) {
  auto counts = floats({2, 3}, {0, 1, 2, 5, 3, 0.5});
  check(
      log_poisson_loss(b, counts, x, /*compute_full_loss=*/true),
      {2.7182817, 2.1353352, 1.3005277, 9.8563843, 2.2981071, 0.86787945});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
