#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/cpu/state/array_value.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(tensor_array_gradient)

/// What an array makes of x, float64[3,2], and y, float64[2].
using UseOfArray = std::function<Values(const Builder& f, const Value& x, const Value& y)>;

/// Compares derivatives with respect to both with central differences.
void check_use(const UseOfArray& use) {
  Builder b;
  size_t count = 0;
  auto function = b.function(
      "use", {{"x", DType::float64}, {"y", DType::float64}},
      [&](const Builder& f, const Values& in) {
        auto results = use(f, in[0], in[1]);
        count = results.size();
        return results;
      });
  BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
  GradientCase of_use{
      .op = "StatefulPartitionedCall",
      .inputs = {{varied<double>({3, 2})}, {varied<double>({2})}},
      .attrs = {{"f", function}, {"Tout", DTypes(count, DType::float64)}},
      .functions = b.graph().library().defs_from(0)};
  for (auto known : {KnownShapes::shapes, KnownShapes::ranks, KnownShapes::nothing})
    check_gradient(of_use, known);
}

ArrayValue doubles(const Builder& b, int32_t size, Attrs attrs = {}) {
  return ArrayValue::make(b, size, DType::float64, std::move(attrs));
}
const Attrs kept = {{"clear_after_read", false}};
const Attrs growing = {{"dynamic_size", true}};

BOOST_AUTO_TEST_CASE(derivatives_pass_through_elements_that_are_written_and_read) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 3).write(2, f.square(y)).write(0, x).write(1, f.tanh(y));
    return Values{array.read(0), array.read(2), f.mul(array.read(1), y)};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_of_several_reads_of_an_element_add_up) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 2, kept).write(0, x).write(1, y);
    return Values{
        f.square(array.read(0)), f.mul(array.read(0), array.read(1)), array.read(1),
        array.gather({1, 1})};
  });
}

BOOST_AUTO_TEST_CASE(what_is_not_read_has_the_derivative_zero) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 4).write(1, x).write(0, y);
    return Values{array.read(0)};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_rows_that_are_scattered_and_gathered) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 1, growing).scatter({4, 0, 2}, f.square(x)).write(1, y);
    return Values{array.gather({2, 4, 1}), f.tanh(array.read(0))};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_parts_that_are_split_and_concatenated) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 3, kept).split({1, 0, 2}, x);
    return Values{f.square(array.concat()), f.mul(array.read(2), y)};
  });
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 2).write(0, f.tanh(x)).write(1, f.op("ExpandDims", {y, f.constant(0)}));
    return Values{f.square(array.concat())};
  });
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto array = doubles(f, 0, growing).split({2, 1}, x).write(3, y);
    return Values{f.square(array.read(1)), array.read(3)};
  });
}

struct GradientFixture {
  Builder b;
  Value x = b.placeholder(DType::float64, Shape());

  Value gradient(const Value& y) {
    auto made = troupe::gradients(b, {y}, {x});
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().to_string());
    return (*made)[0];
  }
  std::string run(const std::vector<Ref>& fetches) {
    return show(run_graph(b, {{x, Tensor::scalar(2.0)}}, fetches));
  }
};

BOOST_FIXTURE_TEST_CASE(gradients_that_one_step_computes_are_not_mixed_up, GradientFixture) {
  auto array = doubles(b, 1, kept).write(0, x);
  auto y = b.square(array.read(0));
  auto first = gradient(y), second = gradient(y), third = b.scope("outer").identity(gradient(y));
  BOOST_TEST(run({first, second, third}) == "float64[] [4]; float64[] [4]; float64[] [4]");
}

BOOST_FIXTURE_TEST_CASE(gradients_of_a_call_are_not_mixed_up_either, GradientFixture) {
  auto square = b.function("f", {{"x", DType::float64}}, [](const Builder& f, const Values& in) {
    return Values{f.square(doubles(f, 1).write(0, in[0]).read(0))};
  });
  auto y = b.call(square, {x})[0];
  auto first = gradient(y), second = gradient(y);
  BOOST_TEST(run({first, second}) == "float64[] [4]; float64[] [4]");
}

BOOST_FIXTURE_TEST_CASE(a_function_reads_an_array_that_it_is_given, GradientFixture) {
  auto read = b.function(
      "read", {{"handle", DType::resource}, {"flow", DType::float32}},
      [](const Builder& f, const Values& in) {
        return Values{ArrayValue{f, DType::float64, in[0], in[1]}.read(0)};
      });
  auto array = doubles(b, 1, kept).write(0, x);
  auto y = b.mul(b.call(read, {array.handle, array.flow})[0], array.read(0));
  BOOST_TEST(run({y, gradient(y)}) == "float64[] [4]; float64[] [4]");
}

BOOST_FIXTURE_TEST_CASE(a_gradient_has_a_gradient, GradientFixture) {
  auto array = doubles(b, 1).write(0, x);
  auto read = array.read(0);
  auto cube = b.mul(b.square(read), read);
  BOOST_TEST(run({gradient(gradient(cube))}) == "float64[] [12]");
}

BOOST_FIXTURE_TEST_CASE(
    a_gradient_is_complete_when_the_flow_of_all_reads_is_there, GradientFixture) {
  auto array = doubles(b, 1, kept).write(0, x);
  Values reads;
  for (int i = 0; i < 100; ++i) reads.push_back(array.read(0));
  auto dx = gradient(b.add_n(reads));
  for (int step = 0; step < 20; ++step) BOOST_TEST(run({dx}) == "float64[] [100]");
}

BOOST_FIXTURE_TEST_CASE(the_gradient_of_rows_has_their_shape_before_the_step, GradientFixture) {
  auto rows = b.placeholder(DType::float64, {3, 2});
  auto array = doubles(b, 3).scatter({0, 1, 2}, rows);
  auto made = troupe::gradients(b, {b.square(array.gather({0, 1, 2}))}, {rows});
  BOOST_REQUIRE(made.ok());
  BOOST_TEST(((*made)[0].shape() == Shape{3, 2}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
