#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/data_flow/list_value.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(tensor_list_gradient)

/// What lists make of x, float64[3,2], and y, float64[2].
using UseOfList = std::function<Values(const Builder& f, const Value& x, const Value& y)>;

/// Compares derivatives with respect to both with central differences.
void check_use(const UseOfList& use) {
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
      .op = "PartitionedCall",
      .inputs = {{varied<double>({3, 2})}, {varied<double>({2})}},
      .attrs = {{"f", function}, {"Tout", DTypes(count, DType::float64)}},
      .functions = b.graph().library().defs_from(0)};
  for (auto known : {KnownShapes::shapes, KnownShapes::ranks, KnownShapes::nothing})
    check_gradient(of_use, known);
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_elements_that_are_pushed_and_popped) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto popped = ListValue::empty(f, DType::float64).push(x).push(f.square(y)).popped();
    return Values{popped.handle.output(1), popped.popped().handle.output(1)};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_of_several_reads_of_an_element_add_up) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto list = ListValue::of_rows(f, x);
    return Values{
        f.square(list.get(0)), f.mul(list.get(0), y), list.gather({1, 1, 0}),
        f.mul(list.stack(), x)};
  });
}

BOOST_AUTO_TEST_CASE(an_element_that_is_set_again_has_the_derivative_zero) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto list = ListValue::of_rows(f, x);
    return Values{list.set(1, f.square(y)).stack(), list.set(0, y).resized(2).stack()};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_rows_that_are_scattered) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto list = ListValue::scattered(f, {3, 0, 2}, f.square(x), 5);
    return Values{
        list.gather({2, 3, 3}), f.mul(list.get(0), y), list.scatter({4, 0, 1}, x).stack()};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_parts_that_are_split_and_concatenated) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto list = ListValue::split(f, {2, 1}, x);
    auto lengths = f.constant(Tensor::of<int64_t>({2}, {2, 1}));
    auto concat = f.op(
        "TensorListConcatV2", {list.handle, f.ints({-1, 2}), lengths},
        {{"element_dtype", DType::float64}});
    return Values{f.square(list.concat()), f.mul(concat, y)};
  });
}

BOOST_AUTO_TEST_CASE(derivatives_pass_through_a_list_that_a_loop_writes) {
  check_use([](const Builder& f, const Value& x, const Value& y) {
    auto list = ListValue::reserved(f, DType::float64, 3, f.ints({2}));
    auto written = while_loop(
        f,
        [&](const Builder& b, const Values& v) {
          return b.op("Less", {v[0], b.constant(3)});
        },
        [&](const Builder& b, const Values& v) {
          auto row = b.op("GatherV2", {x, v[0], b.constant(0)});
          return Values{
              b.add(v[0], b.constant(1)),
              b.op("TensorListSetItem", {v[1], v[0], b.mul(row, b.square(y))})};
        },
        {f.constant(0), list.handle});
    return Values{ListValue{f, DType::float64, written[1]}.stack()};
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
