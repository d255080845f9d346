#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(variants)

BOOST_FIXTURE_TEST_CASE(a_variant_is_not_sent_to_another_task, PlanFixture) {
  add_const("one", Tensor::scalar(1.0f));
  add(
      {.name = "dataset",
       .op = "TensorDataset",
       .inputs = {"one"},
       .attrs = {{"Toutput_types", DTypes{DType::float32}}, {"output_shapes", Shapes{Shape()}}}});
  add_send("dataset", 1);
  auto device = make_cpu_device();
  auto execution = start_plan(*device);
  auto status = done.wait();
  BOOST_TEST(to_string(status.code()) == std::string("Unimplemented"));
  BOOST_TEST(
      status.message() ==
      "variant[] [dataset] cannot be sent to there: variants stay in their process; place what "
      "uses it on its task");
  BOOST_TEST(port->sent.empty());
}

BOOST_FIXTURE_TEST_CASE(variants_pass_ops_that_move_tensors_and_no_others, DatasetFixture) {
  auto passed = b.op("Identity", {range(2)});
  auto other = b.op("Switch", {range(2), flag(true)}).output(1);
  BOOST_TEST(numbers(passed) == "0 1");
  BOOST_TEST(numbers(b.op("Merge", {b.value(other.output())})) == "0 1");
  BOOST_TEST(
      starts_with(show("ZerosLike", {Tensor::scalar<Variant>(nullptr)}), "InvalidArgument: "));
  auto pack = b.op("Pack", {range(2)}, {{"axis", int64_t{0}}});
  BOOST_TEST(starts_with(
      show(runner.run(b, {}, {}, {pack})), "InvalidArgument: attribute 'T' must be one of"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
