#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

/// A variable of 1, 2, 3, ... and what a loss of parts of it says of all of it.
struct Gathered {
  Builder b;
  GraphRunner runner;
  Variable w;

  explicit Gathered(const Shape& shape) {
    auto size = static_cast<int32_t>(shape.elements());
    auto numbers = b.op("Range", {b.constant(1), b.constant(size + 1), b.constant(1)});
    std::vector<int32_t> sizes(shape.sizes().begin(), shape.sizes().end());
    w = b.variable("w", b.cast(b.reshape(numbers, b.ints(sizes)), DType::float64));
    BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
    BOOST_REQUIRE(runner.run(b, {}, {}, {w.initializer}).ok());
  }

  Value gather(const Value& indices, int64_t batch_dims = 0) {
    return b.op(
        "ResourceGather", {w.handle, indices},
        {{"dtype", DType::float64}, {"batch_dims", batch_dims}});
  }
  Value gather_nd(const Value& indices) {
    return b.op("ResourceGatherNd", {w.handle, indices}, {{"dtype", DType::float64}});
  }

  Result<GradientValue> gradient(const Value& parts) {
    auto made = sparse_gradients(b, {b.reduce_sum(b.square(parts))}, {w.handle});
    if (!made) return made.status();
    return (*made)[0];
  }

  std::string show(const Value& value) {
    auto got = runner.run(b, {}, {value});
    return got ? (*got)[0].to_string(64) : got.status().to_string();
  }
  std::string dense_gradient(const Value& parts) {
    auto made = gradients(b, {b.reduce_sum(b.square(parts))}, {w.handle});
    return made ? show((*made)[0]) : made.status().to_string();
  }
};

Tensor column(std::vector<int64_t> values) {
  return Tensor::of<int64_t>({std::ssize(values), 1}, std::span<const int64_t>(values));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gather_gradient)

BOOST_AUTO_TEST_CASE(the_gradient_of_gathered_rows_is_of_those_rows) {
  Gathered g({3, 2});
  auto gradient = g.gradient(g.gather(g.b.ints({2, 0, 2})));
  BOOST_REQUIRE_MESSAGE(gradient.ok(), gradient.status().to_string());
  BOOST_REQUIRE(gradient->rows.has_value());
  BOOST_TEST(g.show(gradient->rows->values) == "float64[3,2] [10 12 2 4 10 12]");
  BOOST_TEST(g.show(gradient->rows->indices) == "int32[3] [2 0 2]");
  BOOST_TEST(g.show(gradient->rows->dense_shape) == "int32[2] [3 2]");
  BOOST_TEST(g.dense_gradient(g.gather(g.b.ints({2, 0, 2}))) == "float64[3,2] [2 4 0 0 20 24]");
}

BOOST_AUTO_TEST_CASE(indices_of_any_shape_name_rows) {
  Gathered g({3, 2});
  auto indices = g.b.reshape(g.b.ints({1, 1, 0, 1}), g.b.ints({2, 2}));
  BOOST_TEST(g.dense_gradient(g.gather(indices)) == "float64[3,2] [2 4 18 24 0 0]");
  BOOST_TEST(g.dense_gradient(g.gather(g.b.constant(1))) == "float64[3,2] [0 0 6 8 0 0]");
  auto none = g.b.constant(Tensor::of<int32_t>({0}, {}));
  BOOST_TEST(g.dense_gradient(g.gather(none)) == "float64[3,2] [0 0 0 0 0 0]");
}

BOOST_AUTO_TEST_CASE(the_gradient_of_batches_is_a_tensor) {
  Gathered g({2, 3, 2});
  auto indices = g.b.reshape(g.b.ints({2, 2, 0, 1}), g.b.ints({2, 2}));
  BOOST_TEST(
      g.dense_gradient(g.gather(indices, 1)) == "float64[2,3,2] [0 0 0 0 20 24 14 16 18 20 0 0]");
  BOOST_TEST(
      g.dense_gradient(g.gather(g.b.ints({1, 2}), 1)) ==
      "float64[2,3,2] [0 0 6 8 0 0 0 0 0 0 22 24]");
}

BOOST_AUTO_TEST_CASE(the_gradient_of_gathered_parts_is_of_rows_where_they_are_rows) {
  Gathered g({3, 2});
  auto gradient = g.gradient(g.gather_nd(g.b.constant(column({2, 0}))));
  BOOST_REQUIRE_MESSAGE(gradient.ok(), gradient.status().to_string());
  BOOST_REQUIRE(gradient->rows.has_value());
  BOOST_TEST(g.show(gradient->rows->values) == "float64[2,2] [10 12 2 4]");
  BOOST_TEST(g.show(gradient->rows->indices) == "int64[2] [2 0]");
  auto elements = g.b.reshape(g.b.ints({2, 1, 0, 0, 2, 1}), g.b.ints({3, 2}));
  BOOST_TEST(g.dense_gradient(g.gather_nd(elements)) == "float64[3,2] [2 0 0 0 0 24]");
}

BOOST_AUTO_TEST_CASE(gathered_and_read_parts_add_up) {
  Gathered g({3, 2});
  auto both = g.b.reduce_sum(g.gather(g.b.ints({1}))) + g.b.reduce_sum(g.w.value());
  auto made = gradients(g.b, {both}, {g.w.handle});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
  BOOST_TEST(g.show((*made)[0]) == "float64[3,2] [1 1 2 2 1 1]");
}

BOOST_AUTO_TEST_CASE(training_on_gathered_rows_changes_those) {
  Gathered g({3, 2});
  auto loss = g.b.reduce_sum(g.gather(g.b.ints({2, 0, 2})));
  auto step = minimize(g.b, loss, GradientDescent{.learning_rate = 0.5});
  BOOST_REQUIRE_MESSAGE(g.b.status().ok(), g.b.status().to_string());
  BOOST_TEST(g.runner.run(g.b, {}, {}, {step}).status().to_string() == "Ok");
  BOOST_TEST(g.show(g.w.value()) == "float64[3,2] [0.5 1.5 3 4 4 5]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
