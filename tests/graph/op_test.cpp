#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(op)

BOOST_AUTO_TEST_CASE(a_definition_holds_what_was_said) {
  auto op = Op("Twice")
                .doc("x + x")
                .input("x", "T")
                .output("y", "T")
                .attr("T", floating(), DType::float32)
                .attr("times", 2)
                .attr_at_least("times", 1)
                .infer_shape(shapes::same_as_input())
                .stateful();
  BOOST_TEST(op.name() == "Twice");
  BOOST_TEST(op.inputs()[0].dtype_attr == "T");
  BOOST_TEST(op.is_stateful());
  BOOST_TEST(!op.gradient());
  BOOST_TEST(op.find_attr("times")->minimum == 1);
  BOOST_TEST(*op.find_attr("times")->fallback->get<int64_t>() == 2);
  BOOST_TEST((op.find_attr("T")->allowed_dtypes == floating()));
  BOOST_TEST((op.find_attr("S") == nullptr));
}

BOOST_AUTO_TEST_CASE(all_builders_share_one_catalog) {
  BOOST_TEST(&Builder().graph().catalog() == op_catalog().get());
  BOOST_TEST(&Builder().graph().catalog() == &Builder().graph().catalog());
}

BOOST_AUTO_TEST_CASE(an_unknown_op_is_told_its_neighbour) {
  auto catalog = op_catalog();
  BOOST_TEST(catalog->find("MatMul").ok());
  BOOST_TEST(
      catalog->find("Matmul").status().message() ==
      "there is no op 'Matmul'; did you mean 'MatMul'?");
  BOOST_TEST(
      catalog->find("Quux").status().message() ==
      "there is no op 'Quux'; if a library has it, the node has to load that (--ops)");
}

BOOST_AUTO_TEST_CASE(the_nearest_name_is_near) {
  BOOST_TEST(nearest_name("wieght", {"height", "weight", "x"}) == "weight");
  BOOST_TEST(nearest_name("Relu", {"ReluGrad", "Elu", "Sub"}) == "Elu");
  BOOST_TEST(nearest_name("abcdef", {"uvwxyz"}) == "");
  BOOST_TEST(nearest_name("", {}) == "");
  BOOST_TEST(nearest_name("z", {"x"}) == "");
}

BOOST_AUTO_TEST_CASE(every_op_is_documented_and_its_arguments_are_declared) {
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all()) {
    BOOST_TEST(!op.doc().empty(), name);
    for (const auto* arguments : {&op.inputs(), &op.outputs()})
      for (const auto& argument : *arguments)
        for (const auto& attr : {argument.dtype_attr, argument.count_attr, argument.dtypes_attr})
          BOOST_TEST((attr.empty() || op.find_attr(attr)), name << " lacks " << attr);
  }
}

BOOST_AUTO_TEST_CASE(an_axis_counts_from_either_end) {
  BOOST_TEST(*find_axis(0, 3) == 0);
  BOOST_TEST(*find_axis(-1, 3) == 2);
  BOOST_TEST(!find_axis(3, 3));
  BOOST_TEST(!find_axis(-4, 3));
  BOOST_TEST(!find_axis(0, 0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
