#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

struct FunctionFixture {
  Builder b;
  GraphRunner runner;
  Value x = b.named("x").placeholder(DType::float32, {});

  std::vector<Feed> at(float number) const { return {{x, Tensor::scalar(number)}}; }
  float number(const std::vector<Feed>& feeds, const Ref& fetch) {
    auto values = runner.run(b, feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
  Value gradient(const Value& y, const Value& of) {
    auto made = troupe::gradients(b, {y}, {of});
    BOOST_TEST_REQUIRE(made.ok(), made.status().to_string());
    return (*made)[0];
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functions, FunctionFixture)

BOOST_AUTO_TEST_CASE(a_function_is_called_with_different_inputs) {
  auto f = b.function(
      "f", {{"x", DType::float32}, {"y", DType::float32}}, [](const Builder&, const Values& in) {
        return Values{in[0] * in[1] + 1.0, in[1]};
      });
  auto first = b.call(f, {x, b.constant(3.0f)});
  auto second = b.call(f, {first[0], first[1]});
  BOOST_TEST(number(at(2), first[0]) == 7.0f);
  BOOST_TEST(number(at(2), second[0]) == 22.0f);
  BOOST_TEST(number(at(2), second[1]) == 3.0f);
  BOOST_TEST(number({{first[0], Tensor::scalar(10.0f)}, at(0)[0]}, second[0]) == 31.0f);
  auto same = b.function(
      "same", {{"x", DType::float32}}, [](const Builder&, const Values& in) { return in; });
  BOOST_TEST(number(at(2), b.call(same, {x})[0]) == 2.0f);
}

BOOST_AUTO_TEST_CASE(derivatives_of_a_call_are_right_up_to_the_third) {
  auto cube = b.function("cube", {{"x", DType::float32}}, [](const Builder& f, const Values& in) {
    return Values{f.square(in[0]) * in[0]};
  });
  auto outer = b.function(
      "outer", {{"x", DType::float32}},
      [&](const Builder& f, const Values& in) { return Values{f.call(cube, in)[0] * 2.0}; });
  auto y = b.call(outer, {x})[0];
  auto first = gradient(y, x);
  auto second = gradient(first, x);
  auto third = gradient(second, x);
  BOOST_TEST(number(at(3), y) == 54.0f);
  BOOST_TEST(number(at(3), first) == 54.0f);   // 6 x^2
  BOOST_TEST(number(at(3), second) == 36.0f);  // 12 x
  BOOST_TEST(number(at(3), third) == 12.0f);
}

BOOST_AUTO_TEST_CASE(a_gradient_function_is_made_once) {
  auto f = b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    return Values{in.square(xs[0])};
  });
  auto y = b.call(f, b.call(f, {x}))[0];
  auto dx = gradient(y, x);
  BOOST_TEST(b.graph().library().size() == 2u);
  BOOST_TEST(b.graph().library().contains("_gradient/f/dx0/dy0"));
  BOOST_TEST(number(at(2), dx) == 32.0f);
}

BOOST_AUTO_TEST_CASE(random_numbers_of_a_call_are_those_of_its_gradient) {
  auto noise = b.function("noise", {{"x", DType::float32}}, [](const Builder& f, const Values& in) {
    return Values{f.random_uniform({}, DType::float32) * in[0]};
  });
  auto y = b.call(noise, {x})[0];
  auto difference = y - x * gradient(y, x);
  for (int i = 0; i < 3; ++i) BOOST_TEST(number(at(1), difference) == 0.0f);
}

BOOST_AUTO_TEST_CASE(a_variable_is_read_and_updated_through_its_handle) {
  auto v = b.variable("v", b.constant(2.0f));
  auto f = b.function(
      "f", {{"v", DType::resource, Shape()}, {"x", DType::float32, Shape()}},
      [](const Builder& in, const Values& xs) {
        auto read = in.op("ReadVariableOp", {xs[0]}, {{"dtype", DType::float32}});
        auto y = in.square(read) * xs[1];
        in.after({y}).op("AssignAddVariableOp", {xs[0], xs[1]});
        return Values{y};
      });
  auto y = b.call(f, {v.handle, x})[0];
  auto dv = gradient(y, v.handle);
  BOOST_TEST((dv.shape() == Shape()));
  BOOST_REQUIRE(runner.run(b, {}, {}, {v.initializer}).ok());
  BOOST_TEST(number(at(3), dv) == 12.0f);  // the call itself does not run
  BOOST_TEST(number({}, v) == 2.0f);
  BOOST_TEST(number(at(3), y) == 12.0f);
  BOOST_TEST(number({}, v) == 5.0f);
  BOOST_TEST(number(at(3), y + dv) == 75.0f + 30.0f);  // of one read
  BOOST_TEST(number({}, v) == 8.0f);
}

BOOST_AUTO_TEST_CASE(an_op_without_a_gradient_is_named_in_its_call) {
  auto f = b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    return Values{in.named("unique").op("Unique", {xs[0]})};
  });
  auto vector = b.placeholder(DType::float32, {3});
  auto y = b.named("call").call(f, {vector});
  auto status = troupe::gradients(b, {y[0]}, {vector}).status();
  BOOST_TEST(status.where().node == "call/unique");
  BOOST_TEST(status.message() == "op Unique has no gradient");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
