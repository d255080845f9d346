#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct OptionalsFixture : DatasetFixture {
  static Attrs pairs() {
    return {
        {"output_types", DTypes{DType::float32, DType::int64}},
        {"output_shapes", Shapes{{2}, Shape()}}};
  }
  Value pair(float x, float y, int64_t n) const {
    return b.op("OptionalFromValue", {b.constant(vec({x, y})), number(n)});
  }
  Value none() const { return b.op("OptionalNone", {}); }

  std::string has_value(const Value& optional) {
    return show(runner.run(b, {}, {b.op("OptionalHasValue", {optional})}));
  }
  std::string value(const Value& optional, const Attrs& components = pairs()) {
    auto node = b.op("OptionalGetValue", {optional}, components);
    std::vector<Ref> fetches;
    auto count = b.graph().node(node.output().node).output_dtypes.size();
    for (size_t i = 0; i < count; ++i) fetches.push_back(node.output(static_cast<int>(i)));
    return show(runner.run(b, {}, fetches));
  }
  Value sum(const Values& optionals) const { return b.op("AddN", optionals); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(optionals, OptionalsFixture)

BOOST_AUTO_TEST_CASE(an_optional_holds_components_or_nothing) {
  BOOST_TEST(has_value(pair(1, 2, 3)) == "bool[] [1]");
  BOOST_TEST(value(pair(1, 2, 3)) == "float32[2] [1 2]; int64[] [3]");
  BOOST_TEST(has_value(none()) == "bool[] [0]");
  BOOST_TEST(value(none()) == "InvalidArgument: The given optional does not have a value.");
}

BOOST_AUTO_TEST_CASE(components_of_an_optional_must_be_those_that_are_declared) {
  BOOST_TEST(
      value(pair(1, 2, 3), elements()) ==
      "InvalidArgument: Number of components does not match: expected 1 types but got 2.");
  auto one = b.op("OptionalFromValue", {number(1)});
  BOOST_TEST(
      value(one, elements(DType::float32)) ==
      "InvalidArgument: Data type mismatch at component 0: expected float32 but got int64.");
  BOOST_TEST(
      value(one, elements(DType::int64, {2})) ==
      "InvalidArgument: Incompatible shapes at component 0: expected [2] but got [].");
}

BOOST_AUTO_TEST_CASE(what_is_no_optional_is_refused) {
  BOOST_TEST(has_value(range(2)) == "InvalidArgument: the variant must hold an optional");
  BOOST_TEST(value(range(2)) == "InvalidArgument: the variant must hold an optional");
}

BOOST_AUTO_TEST_CASE(optionals_and_datasets_are_components_of_optionals) {
  auto outer = b.op("OptionalFromValue", {pair(1, 2, 3), range(3)});
  auto inner = b.op(
      "OptionalGetValue", {outer},
      {{"output_types", DTypes{DType::variant, DType::variant}},
       {"output_shapes", Shapes{Shape(), Shape()}}});
  BOOST_TEST(value(inner.output(0)) == "float32[2] [1 2]; int64[] [3]");
  BOOST_TEST(numbers(inner.output(1)) == "0 1 2");
}

BOOST_AUTO_TEST_CASE(optionals_are_added_and_zeroed_component_by_component) {
  BOOST_TEST(
      value(sum({pair(1, 2, 3), pair(10, 20, 30), pair(5, 5, 5)})) ==
      "float32[2] [16 27]; int64[] [38]");
  BOOST_TEST(has_value(sum({none(), none()})) == "bool[] [0]");
  BOOST_TEST(value(b.op("ZerosLike", {pair(1, 2, 3)})) == "float32[2] [0 0]; int64[] [0]");
  BOOST_TEST(has_value(b.op("ZerosLike", {none()})) == "bool[] [0]");
  auto nested =
      sum({b.op("OptionalFromValue", {pair(1, 2, 3)}), b.op("OptionalFromValue", {pair(1, 1, 1)})});
  auto inner = b.op("OptionalGetValue", {nested}, elements(DType::variant));
  BOOST_TEST(value(inner) == "float32[2] [2 3]; int64[] [4]");
}

BOOST_AUTO_TEST_CASE(optionals_that_differ_are_not_added) {
  auto one = b.op("OptionalFromValue", {number(1)});
  auto other = b.op("OptionalFromValue", {b.constant(vec({1}))});
  BOOST_TEST(
      has_value(sum({pair(1, 2, 3), none()})) ==
      "InvalidArgument: an optional with a value can only be added to others with a value");
  BOOST_TEST(has_value(sum({none(), range(1)})) == has_value(sum({pair(1, 2, 3), none()})));
  BOOST_TEST(
      has_value(sum({pair(1, 2, 3), one})) ==
      "InvalidArgument: optionals of 2 and 1 components cannot be added");
  BOOST_TEST(
      has_value(sum({one, other})) ==
      "InvalidArgument: what is added must have one dtype and shape, but is int64[] and "
      "float32[1]");
  BOOST_TEST(
      has_value(b.op("ZerosLike", {b.op("OptionalFromValue", {text("a")})})) ==
      "InvalidArgument: no string is 0");
  BOOST_TEST(
      has_value(b.op("ZerosLike", {range(1)})) ==
      "InvalidArgument: the variant must hold a tensor list");
}

BOOST_AUTO_TEST_CASE(gradients_go_through_optionals) {
  auto x = b.constant(vec({2, 3})), y = b.constant(vec({5, 7}));
  auto optional = b.op("OptionalFromValue", {x, number(4), y});
  auto parts = b.op(
      "OptionalGetValue", {optional},
      {{"output_types", DTypes{DType::float32, DType::int64, DType::float32}},
       {"output_shapes", Shapes{{2}, Shape(), {2}}}});
  auto product = parts.output(0) * parts.output(0);
  auto dx = gradients(b, {product}, {x, y});
  BOOST_TEST(show(runner.run(b, {}, {(*dx)[0], (*dx)[1]})) == "float32[2] [4 6]; float32[2] [0 0]");
}

BOOST_AUTO_TEST_CASE(an_iterator_gives_none_at_the_end) {
  auto it = iterator(range(2));
  auto next = b.op("IteratorGetNextAsOptional", {it.handle}, elements());
  auto has = b.op("OptionalHasValue", {next});
  auto number = b.op("OptionalGetValue", {next}, elements());
  BOOST_TEST(starts_with(show(runner.run(b, {}, {has})), "FailedPrecondition: "));
  BOOST_TEST(begin(it) == "");
  for (const std::string element : {"0", "1"})
    BOOST_TEST(show(runner.run(b, {}, {has, number})) == "bool[] [1]; int64[] [" + element + "]");
  for (int i = 0; i < 2; ++i) BOOST_TEST(show(runner.run(b, {}, {has})) == "bool[] [0]");
  BOOST_TEST(starts_with(show(runner.run(b, {}, {number})), "InvalidArgument: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
