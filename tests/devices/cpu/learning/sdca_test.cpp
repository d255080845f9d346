#include <algorithm>
#include <cmath>
#include <set>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {
namespace {

struct Batch {
  Tensors sparse_examples, sparse_features, sparse_values, dense;
  Tensor weights, labels;
  Tensors sparse_indices, sparse_weights, dense_weights;
  Tensor state;

  Tensors inputs() const {
    Tensors all;
    auto add = [&](const Tensors& some) { all.insert(all.end(), some.begin(), some.end()); };
    for (const auto* some : {&sparse_examples, &sparse_features, &sparse_values, &dense})
      add(*some);
    add({weights, labels});
    for (const auto* some : {&sparse_indices, &sparse_weights, &dense_weights}) add(*some);
    all.push_back(state);
    return all;
  }
  Attrs attrs(const std::string& loss, float l1, float l2, int64_t partitions) const {
    auto count = [](const Tensors& some) { return static_cast<int64_t>(some.size()); };
    return {
        {"loss_type", loss},
        {"l1", l1},
        {"l2", l2},
        {"num_loss_partitions", partitions},
        {"num_inner_iterations", 1},
        {"num_sparse_features", count(sparse_features)},
        {"num_sparse_features_with_values", count(sparse_values)},
        {"num_dense_features", count(dense)}};
  }
};

/// One example, with a group of sparse features that has values, one that has none, and a dense
/// one.
Batch one_example(float label) {
  return {
      .sparse_examples = {vec<int64_t>({0, 0}), vec<int64_t>({0, 0, 0})},
      .sparse_features = {vec<int64_t>({7, 5}), vec<int64_t>({1, 0, 2})},
      .sparse_values = {vec({0.5f, -1.5f})},
      .dense = {vec({1, 2}, {2, -1})},
      .weights = vec({3}),
      .labels = vec({label}),
      .sparse_indices = {vec<int64_t>({5, 6, 7}), vec<int64_t>({2, 1, 0, 9})},
      .sparse_weights = {vec({0.3f, -0.8f, 0}), vec({0.1f, 0.2f, -0.3f, 0.4f})},
      .dense_weights = {vec({0.9f, -0.2f})},
      .state = vec({1, 4}, {0, 0, 0, 0})};
}

Tensor sum(const Tensor& a, const Tensor& b) {
  auto total = *Tensor::allocate(DType::float32, a.shape());
  std::ranges::transform(
      a.values<float>(), b.values<float>(), total.mutable_data<float>(), std::plus<>());
  return total;
}

/// The state of the examples after some passes.
Tensor learn(Batch batch, const std::string& loss, int passes, Attrs more = {}) {
  auto attrs = batch.attrs(loss, 0.5f, 2, 2);
  for (const auto& [name, value] : more) attrs.insert_or_assign(name, value);
  for (int pass = 0; pass < passes; ++pass) {
    auto found = run_op("SdcaOptimizerV2", batch.inputs(), attrs);
    BOOST_TEST_REQUIRE(found.ok(), found.status().to_string());
    batch.state = (*found)[0];
    size_t next = 1;
    for (auto* weights : {&batch.sparse_weights, &batch.dense_weights})
      for (auto& each : *weights) each = sum(each, (*found)[next++]);
  }
  return batch.state;
}

void check_near(const Tensor& found, std::vector<double> expected) {
  BOOST_TEST_REQUIRE(found.elements() == std::ssize(expected));
  for (size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(
        std::abs(found.values<float>()[i] - expected[i]) < 1e-5,
        i << ": " << found.values<float>()[i] << " is not " << expected[i]);
}

std::string error_of(const Batch& batch, const std::string& loss = "squared_loss") {
  return show(run_op("SdcaOptimizer", batch.inputs(), batch.attrs(loss, 0, 1, 1)));
}

/// So many examples, each with a dense feature of its own.
Batch examples_apart(int64_t count) {
  auto ones = [](const Shape& shape) {
    auto tensor = *Tensor::allocate(DType::float32, shape);
    std::fill_n(tensor.mutable_data<float>(), tensor.elements(), 1.0f);
    return tensor;
  };
  auto zeros = [](const Shape& shape) {
    auto tensor = *Tensor::allocate(DType::float32, shape);
    std::fill_n(tensor.mutable_data<float>(), tensor.elements(), 0.0f);
    return tensor;
  };
  auto features = zeros({count, count});
  for (int64_t i = 0; i < count; ++i) features.mutable_data<float>()[i * count + i] = 1;
  return {
      .dense = {features},
      .weights = ones({count}),
      .labels = ones({count}),
      .dense_weights = {zeros({count})},
      .state = zeros({count, 4})};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sdca)

BOOST_AUTO_TEST_CASE(four_passes_leave_the_state_that_tensorflow_computes) {
  auto state = [](const char* loss, float label) { return learn(one_example(label), loss, 4); };
  check_near(state("logistic_loss", 0), {-0.2036371, 1.0509676, -1.4495791, 3});
  check_near(state("logistic_loss", 1), {0.0975487, 0.3739727, -0.9146962, 3});
  check_near(state("squared_loss", 0), {-0.0828984, 0.2097781, 0.0081383, 3});
  check_near(state("squared_loss", 2.5f), {0.1003918, 0.3976937, -0.6428303, 3});
  check_near(state("hinge_loss", 0), {-0.1632410, 1.8316004, -0.4315770, 3});
  check_near(state("hinge_loss", 1), {0, 0, 0, 3});
  check_near(state("smooth_hinge_loss", 0), {-0.1534503, 0.7187914, -0.3811523, 3});
  check_near(state("poisson_loss", 0), {-0.2150842, 1.1400572, -1.5511811, 3});
  check_near(state("poisson_loss", 2.5f), {-0.0189373, 0.6504011, -0.5816223, 3});
}

BOOST_AUTO_TEST_CASE(one_example_is_learned_alike_with_adaptive_probabilities) {
  auto state = learn(one_example(1), "logistic_loss", 4, {{"adaptive", true}});
  check_near(state, {0.0975487, 0.3739727, -0.9146962, 3});
}

BOOST_AUTO_TEST_CASE(deltas_are_what_the_pass_adds_to_the_weights) {
  auto batch = one_example(1);
  auto found = run_op("SdcaOptimizer", batch.inputs(), batch.attrs("squared_loss", 0, 1, 1));
  BOOST_TEST_REQUIRE(found.ok());
  // The score is 1.55, the norm 10.5, so the dual variable -0.55 / (1 + 10.5 * 3).
  auto dual = -0.55 / 32.5;
  check_near((*found)[0], {dual, 3 * 0.5 * 0.55 * 0.55, 0, 3});
  check_near((*found)[1], {-1.5 * 3 * dual, 0, 0.5 * 3 * dual});
  check_near((*found)[2], {3 * dual, 3 * dual, 3 * dual, 0});
  check_near((*found)[3], {6 * dual, -3 * dual});
}

BOOST_AUTO_TEST_CASE(each_example_is_taken_once) {
  auto batch = examples_apart(100);
  for (auto adaptive : {false, true}) {
    auto attrs = batch.attrs("squared_loss", 0, 1, 1);
    attrs["adaptive"] = adaptive;
    auto found = run_op("SdcaOptimizerV2", batch.inputs(), attrs);
    BOOST_TEST_REQUIRE(found.ok());
    // Where the same example is taken again, it stays as it is.
    auto deltas = (*found)[1].values<float>();
    auto learned = std::ranges::count_if(deltas, [](float x) { return std::abs(x - 0.5f) < 1e-6; });
    BOOST_TEST(learned >= (adaptive ? 70 : 100));
    BOOST_TEST(learned + std::ranges::count(deltas, 0.0f) == 100);
  }
}

BOOST_AUTO_TEST_CASE(likelier_examples_are_those_that_are_farther_from_their_labels) {
  auto batch = examples_apart(8);
  batch.labels = vec({0, 0, 0, 5, 0, 0, 0, 0});
  auto attrs = batch.attrs("squared_loss", 0, 1, 1);
  attrs["adaptive"] = true;
  auto found = run_op("SdcaOptimizerV2", batch.inputs(), attrs);
  BOOST_TEST_REQUIRE(found.ok());
  check_near((*found)[1], {0, 0, 0, 2.5, 0, 0, 0, 0});
}

BOOST_AUTO_TEST_CASE(an_example_that_is_best_comes_after_one_that_is_not) {
  struct Case {
    const char* loss;
    float weight, label, best_label, best_dual;
  };
  for (auto [loss, weight, label, best_label, best_dual] :
       {Case{"hinge_loss", 1, 0, 1, 0}, Case{"smooth_hinge_loss", 1, 0, 1, 0},
        Case{"logistic_loss", 0, 0, 1, 0.5f}, Case{"logistic_loss", 1e-4f, 0, 1, 0.499975f},
        Case{"squared_loss", 2, 5, 2, 0}, Case{"poisson_loss", 0, 3, 1, 0}}) {
    Batch batch = {
        .dense = {vec({2, 1}, {1, 1})},
        .weights = vec({1, 1}),
        .labels = vec({label, best_label}),
        .dense_weights = {vec({weight})},
        .state = vec({2, 4}, {0, 0, 0, 0, best_dual, 0, 0, 0})};
    auto attrs = batch.attrs(loss, 0, 1, 1);
    attrs["adaptive"] = true;
    for (int i = 0; i < 20; ++i) {
      auto found = run_op("SdcaOptimizerV2", batch.inputs(), attrs);
      BOOST_TEST_REQUIRE(found.ok());
      const auto* state = (*found)[0].data<float>();
      auto is_taken = state[7] == 1;  // or the first one twice
      BOOST_TEST((!is_taken || std::abs(state[4] - best_dual) > 1e-3), loss);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pass_learns_from_what_it_has_changed_before) {
  // Of two examples that are alike, the order does not matter.
  auto zeros = vec({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  Batch dense = {
      .dense = {vec({2, 1}, {1, 1})},
      .weights = vec({1, 1}),
      .labels = vec({1, 1}),
      .dense_weights = {vec({0})},
      .state = zeros};
  Batch sparse = {
      .sparse_examples = {vec<int64_t>({0, 1})},
      .sparse_features = {vec<int64_t>({8, 8})},
      .weights = vec({1, 1}),
      .labels = vec({1, 1}),
      .sparse_indices = {vec<int64_t>({8})},
      .sparse_weights = {vec({0})},
      .state = zeros};
  for (const auto& batch : {dense, sparse})
    for (float l1 : {0.0f, 0.3f}) {
      auto found = run_op("SdcaOptimizer", batch.inputs(), batch.attrs("squared_loss", l1, 1, 2));
      BOOST_TEST_REQUIRE(found.ok());
      // The weight counts twice, for two partitions, and less l1 / l2.
      auto second = (1 - (2.0 / 3 - l1)) / 3;
      check_near((*found)[1], {1.0 / 3 + second});
    }
}

BOOST_AUTO_TEST_CASE(dual_variables_of_two_classes_are_between_zero_and_the_label) {
  auto batch = examples_apart(1);
  for (auto loss : {"hinge_loss", "smooth_hinge_loss"}) {
    auto attrs = batch.attrs(loss, 0, 0.25f, 1);
    batch.weights = vec({0.1f});
    batch.dense_weights = {vec({loss == std::string("hinge_loss") ? 0.0f : -9.0f})};
    auto found = run_op("SdcaOptimizer", batch.inputs(), attrs);
    BOOST_TEST_REQUIRE(found.ok());
    BOOST_TEST((*found)[0].data<float>()[0] == 1.0f);
    check_near((*found)[1], {0.4});
    batch.dense_weights = {vec({9})};
    found = run_op("SdcaOptimizer", batch.inputs(), attrs);
    BOOST_TEST_REQUIRE(found.ok());
    check_near((*found)[0], {0, 0, 0, 0.1});
  }
}

BOOST_AUTO_TEST_CASE(probabilities_that_are_no_numbers_are_alike) {
  for (float label : {0.0f, float(nan), float(inf)}) {
    auto batch = examples_apart(5);
    std::fill_n(batch.labels.mutable_data<float>(), 5, label);
    std::fill_n(batch.weights.mutable_data<float>(), 5, -1.0f);
    auto attrs = batch.attrs("squared_loss", 0, 1, 1);
    attrs["adaptive"] = true;
    BOOST_TEST(run_op("SdcaOptimizerV2", batch.inputs(), attrs).ok());
  }
}

BOOST_AUTO_TEST_CASE(a_batch_without_examples_changes_nothing) {
  for (auto adaptive : {false, true}) {
    Batch batch = {
        .sparse_examples = {vec<int64_t>({})},
        .sparse_features = {vec<int64_t>({})},
        .weights = vec({}),
        .labels = vec({}),
        .sparse_indices = {vec<int64_t>({})},
        .sparse_weights = {vec({})},
        .state = vec({0, 4}, {})};
    auto attrs = batch.attrs("hinge_loss", 0, 1, 1);
    attrs["adaptive"] = adaptive;
    BOOST_TEST(show("SdcaOptimizerV2", batch.inputs(), attrs) == "float32[0,4] []; float32[0] []");
  }
}

BOOST_AUTO_TEST_CASE(entries_from_the_first_that_is_out_of_order_are_left_out) {
  Batch batch = {
      .sparse_examples = {vec<int64_t>({1, 0, 7})},
      .sparse_features = {vec<int64_t>({0, 1, 99})},
      .weights = vec({1, 1}),
      .labels = vec({1, 1}),
      .sparse_indices = {vec<int64_t>({0, 1})},
      .sparse_weights = {vec({0, 0})},
      .state = vec({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})};
  auto found = run_op("SdcaOptimizer", batch.inputs(), batch.attrs("squared_loss", 0, 1, 1));
  BOOST_TEST_REQUIRE(found.ok());
  check_near((*found)[1], {0.5, 0});
}

BOOST_AUTO_TEST_CASE(labels_must_fit_the_loss) {
  const std::string binary =
      "InvalidArgument: Only labels of 0.0 or 1.0 are supported right now. Found example with "
      "label: ";
  for (auto loss : {"logistic_loss", "hinge_loss", "smooth_hinge_loss"})
    BOOST_TEST(starts_with(error_of(one_example(2), loss), binary));
  BOOST_TEST(starts_with(
      error_of(one_example(-1), "poisson_loss"),
      "InvalidArgument: Only non-negative labels can be used with the Poisson log loss."));
}

BOOST_AUTO_TEST_CASE(inputs_that_do_not_fit_are_refused) {
  auto refused = [](auto change, const std::string& error) {
    auto batch = one_example(1);
    change(batch);
    BOOST_TEST(starts_with(error_of(batch), "InvalidArgument: " + error));
  };
  refused([](Batch& b) { b.labels = vec({1, 0}); }, "Expected 1 example labels but got 2");
  refused(
      [](Batch& b) {
        b.state = vec({4}, {0, 0, 0, 0});
      },
      "Expected shape [1,4] for example_state_data, got [4]");
  refused(
      [](Batch& b) { b.sparse_features[0] = vec<int64_t>({7}); },
      "there must be as many sparse feature indices as sparse example indices");
  refused(
      [](Batch& b) { b.sparse_values[0] = vec({1}); },
      "there must be as many sparse feature values as indices");
  refused(
      [](Batch& b) { b.sparse_weights[1] = vec({1}); },
      "there must be as many sparse weights as indices");
  refused(
      [](Batch& b) {
        b.sparse_features[0] = vec<int64_t>({7, 4});
      },
      "Found sparse feature indices out of valid range: 4");
  refused(
      [](Batch& b) {
        b.sparse_features[0] = vec<int64_t>({7, 7});
      },
      "Duplicate index in sparse vector.");
  refused([](Batch& b) { b.dense[0] = vec({2}, {1, 1}); }, "dense features must be a matrix");
  refused([](Batch& b) { b.dense[0] = vec({0, 2}, {}); }, "dense features must be a matrix");
  refused(
      [](Batch& b) {
        b.dense[0] = vec({1, 3}, {1, 1, 1});
      },
      "More dense features than we have parameters for: 3");
  refused(
      [](Batch& b) {
        b.dense[0] = vec({1, 1}, {1});
      },
      "there are 1 dense features, but 2 weights");
}

BOOST_AUTO_TEST_CASE(a_model_needs_a_loss_and_a_feature) {
  auto batch = one_example(1);
  BOOST_TEST(starts_with(error_of(batch, "no_loss"), "InvalidArgument: "));
  Batch none = {.weights = vec({1}), .labels = vec({1}), .state = vec({1, 4}, {0, 0, 0, 0})};
  BOOST_TEST(error_of(none).find("Requires at least one feature to train.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fingerprints_are_those_of_tensorflow) {
  auto texts = vec<std::string>({"", "a", "abcabcabcabcabc", std::string(300, 'z')});
  BOOST_TEST(
      show("SdcaFprint", {texts}) ==
      "int64[4,2] [4463240938071824939 4374473821787594281 7969074168056553668 "
      "5955762262185338209 -9072450112038581917 7776541700551346215 -9086581429888399439 "
      "-4962928450288899389]");
  BOOST_TEST(starts_with(
      show("SdcaFprint", {Tensor::string("a")}),
      "InvalidArgument: Input must be a vector, got shape []"));
}

BOOST_FIXTURE_TEST_CASE(weights_shrink_towards_zero, KernelFixture) {
  auto shrunk = [&](const Attrs& attrs, const std::vector<std::shared_ptr<Resource>>& variables) {
    Builder b;
    Values references;
    Tensors handles;
    for (const auto& each : variables) {
      references.push_back(b.op("VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::float32}}));
      handles.push_back(Tensor::scalar(ResourceHandle{"", "w", each}));
    }
    auto node = b.op("SdcaShrinkL1", references, attrs);
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    auto kernel = device->kernels().make(b.graph().node(node.output().node));
    BOOST_TEST_REQUIRE(kernel.ok());
    Tensors outputs;
    Launch launch(*device, {}, handles, outputs);
    return kernel->compute(launch).to_string();
  };
  Attrs attrs = {{"num_features", 2}, {"l1", 0.5f}, {"l2", 2.0f}};
  auto v = variable(vec({1, -2, 0.25f, 0, -0.125f})), w = variable(vec({1, 1}, {-5}));
  auto before = *v->read();
  BOOST_TEST(shrunk(attrs, {v, w}) == "Ok");
  BOOST_TEST(v->read()->to_string() == "float32[5] [0.75 -1.75 0 0 -0]");
  BOOST_TEST(w->read()->to_string() == "float32[1,1] [-4.75]");
  BOOST_TEST(before.to_string() == "float32[5] [1 -2 0.25 0 -0.125]");  // a reader has it still
  BOOST_TEST(shrunk(attrs, {w, w}) == "Ok");
  BOOST_TEST(w->read()->to_string() == "float32[1,1] [-4.25]");
  auto empty = std::make_shared<VariableResource>(DType::float32, Shape());
  auto ints = variable(vec<int32_t>({1}));
  for (auto wrong : {empty, ints}) {
    const std::string error = wrong == empty
                                  ? "FailedPrecondition"
                                  : "InvalidArgument: weights must be float32, but a variable is";
    BOOST_TEST(starts_with(shrunk(attrs, {v, wrong}), error));
    BOOST_TEST(starts_with(shrunk(attrs, {wrong, v}), error));
  }
  BOOST_TEST(v->read()->to_string() == "float32[5] [0.75 -1.75 0 0 -0]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
