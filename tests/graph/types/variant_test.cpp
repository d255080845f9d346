#include "troupe/graph/types/variant.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/passes/prune.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {
namespace {

class CountedValue final : public VariantValue {
 public:
  explicit CountedValue(int& count) : count_(count) { ++count_; }
  ~CountedValue() override { --count_; }
  const char* type_name() const override { return "counted"; }

 private:
  int& count_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(variant)

BOOST_AUTO_TEST_CASE(tensors_share_a_value_and_the_last_one_ends_it) {
  int count = 0;
  {
    auto one = Tensor::scalar<Variant>(std::make_shared<CountedValue>(count));
    auto pair = Tensor::of<Variant>({2}, {one.value<Variant>(), nullptr});
    one = Tensor();
    BOOST_TEST(count == 1);
    BOOST_TEST(pair.to_string() == "variant[2] [counted unset]");
    BOOST_TEST(equal(pair, pair));
    BOOST_TEST(!equal(pair, Tensor::of<Variant>({2}, {pair.value<Variant>(), nullptr})));
  }
  BOOST_TEST(count == 0);
}

BOOST_AUTO_TEST_CASE(elements_are_neither_plain_nor_of_a_type_of_numbers) {
  BOOST_TEST(!is_plain(DType::variant));
  BOOST_TEST((is_opaque(DType::variant) && is_opaque(DType::resource)));
  BOOST_TEST(!is_opaque(DType::string));
  BOOST_TEST((parse_dtype("variant") == DType::variant));
  BOOST_TEST(static_cast<int>(DType::variant) == 21);
  BOOST_TEST(size_of(DType::variant) == sizeof(Variant));
}

BOOST_AUTO_TEST_CASE(a_step_neither_feeds_nor_fetches_one) {
  Builder b;
  auto dataset = b.named("d").op(
      "TensorDataset", {b.constant(1.0f)},
      {{"Toutput_types", DTypes{DType::float32}}, {"output_shapes", Shapes{Shape()}}});
  BOOST_TEST_REQUIRE(b.status().ok());
  StepSignature fetch{.feeds = {}, .fetches = {"d:0"}, .targets = {}};
  BOOST_TEST(
      prune(b.graph(), fetch).status().message() == "'d:0' is a variant, which cannot be fetched");
  StepSignature feed{.feeds = {"d:0"}, .fetches = {}, .targets = {"d"}};
  BOOST_TEST(
      prune(b.graph(), feed).status().message() == "'d:0' is a variant, which cannot be fed");
  BOOST_TEST(dataset.is_valid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
