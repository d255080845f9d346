#include "troupe/graph/proto/tensor_proto.hpp"

#include <random>

#include <troupe_proto/example.pb.h>
#include <boost/test/unit_test.hpp>

namespace troupe {
namespace {

/// The elements as text, or the error.
std::string shown_tensor(const Result<Tensor>& tensor) {
  if (tensor) return tensor->to_string();
  return std::string(to_string(tensor.status().code())) + ": " + tensor.status().message();
}

proto::TensorProto message_of(DType dtype, const Shape& shape) {
  proto::TensorProto message;
  message.set_dtype(dtype_to_proto(dtype));
  *message.mutable_tensor_shape() = shape_to_proto(shape);
  return message;
}

/// Numbers that differ, as far as the dtype has them.
Tensor counted(DType dtype, const Shape& shape) {
  auto tensor = *Tensor::allocate(dtype, shape);
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < shape.elements(); ++i)
      tensor.mutable_data<T>()[i] = static_cast<T>(static_cast<float>(i % 3));
  });
  return tensor;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tensor_proto)

BOOST_AUTO_TEST_CASE(a_tensor_of_each_dtype_is_the_same_after_both_ways) {
  for (auto dtype : all_plain())
    for (const Shape& shape : {Shape{}, Shape{2, 3}, Shape{0}, Shape{3, 0, 2}}) {
      auto tensor = counted(dtype, shape);
      auto back = tensor_from_proto(tensor_to_proto(tensor));
      BOOST_TEST(back.ok());
      BOOST_TEST(equal(tensor, *back), shown_tensor(back));
      auto parsed = parse_tensor(*serialize_tensor(tensor));
      BOOST_TEST((parsed.ok() && equal(tensor, *parsed)), shown_tensor(parsed));
    }
}

BOOST_AUTO_TEST_CASE(strings_are_the_same_after_both_ways_of_either_kind) {
  using namespace std::string_literals;
  auto texts = Tensor::of<std::string>({2, 2}, {"a"s, ""s, "\0\xff"s, std::string(300, 'x')});
  for (auto where : {StringsIn::field, StringsIn::content})
    for (const auto& tensor : {texts, Tensor::string("one"), Tensor::of<std::string>({0}, {})}) {
      auto back = tensor_from_proto(tensor_to_proto(tensor, where));
      BOOST_TEST((back.ok() && equal(tensor, *back)), shown_tensor(back));
    }
  BOOST_TEST(tensor_to_proto(texts, StringsIn::field).string_val_size() == 4);
  BOOST_TEST(tensor_to_proto(texts, StringsIn::content).string_val_size() == 0);
}

BOOST_AUTO_TEST_CASE(the_last_value_of_a_field_stands_for_the_rest) {
  auto message = message_of(DType::float32, {2, 2});
  BOOST_TEST(shown_tensor(tensor_from_proto(message)) == "float32[2,2] [0 0 0 0]");
  message.add_float_val(1.5f);
  BOOST_TEST(shown_tensor(tensor_from_proto(message)) == "float32[2,2] [1.5 1.5 1.5 1.5]");
  message.add_float_val(2);
  BOOST_TEST(shown_tensor(tensor_from_proto(message)) == "float32[2,2] [1.5 2 2 2]");
  for (int i = 0; i < 5; ++i) message.add_float_val(3);
  BOOST_TEST(shown_tensor(tensor_from_proto(message)) == "float32[2,2] [1.5 2 3 3]");
  auto texts = message_of(DType::string, {3});
  BOOST_TEST(tensor_from_proto(texts)->values<std::string>()[2] == "");
  texts.add_string_val("a");
  texts.add_string_val("b");
  BOOST_TEST(tensor_from_proto(texts)->values<std::string>()[2] == "b");
}

BOOST_AUTO_TEST_CASE(each_dtype_has_its_field) {
  auto half = message_of(DType::float16, {2});
  half.add_half_val(0x3c00);
  half.add_half_val(0xc000);
  BOOST_TEST(shown_tensor(tensor_from_proto(half)) == "float16[2] [1 -2]");
  auto brain = message_of(DType::bfloat16, {1});
  brain.add_half_val(0x3f80);
  BOOST_TEST(shown_tensor(tensor_from_proto(brain)) == "bfloat16[1] [1]");
  auto complex = message_of(DType::complex64, {2});
  for (float part : {1, 2, 3, 4}) complex.add_scomplex_val(part);
  auto parts = tensor_from_proto(complex);
  BOOST_TEST((parts->values<complex64>()[1] == complex64(3, 4)));
  complex.add_scomplex_val(5);
  BOOST_TEST(
      shown_tensor(tensor_from_proto(complex)) ==
      "InvalidArgument: 5 parts of complex numbers are no whole number of them");
  auto flag = message_of(DType::boolean, {2});
  flag.add_bool_val(true);
  BOOST_TEST((tensor_from_proto(flag)->values<bool>()[1] == true));
  auto small = message_of(DType::int8, {2});
  small.add_int_val(-1);
  small.add_int_val(300);  // its low bits, as a cast of C++
  BOOST_TEST(shown_tensor(tensor_from_proto(small)) == "int8[2] [-1 44]");
  auto wide = message_of(DType::uint64, {});
  wide.add_uint64_val(~uint64_t{0});
  BOOST_TEST(shown_tensor(tensor_from_proto(wide)) == "uint64[] [18446744073709551615]");
}

BOOST_AUTO_TEST_CASE(bytes_of_bools_are_made_true_or_false) {
  auto message = message_of(DType::boolean, {3});
  message.set_tensor_content(std::string("\0\2\xff", 3));
  auto tensor = tensor_from_proto(message);
  BOOST_TEST((tensor->values<bool>()[0] == false));
  BOOST_TEST((tensor->values<bool>()[1] == true));
  BOOST_TEST((tensor->values<bool>()[2] == true));
}

BOOST_AUTO_TEST_CASE(content_that_does_not_fit_is_refused) {
  auto message = message_of(DType::int32, {2});
  message.set_tensor_content("123");
  BOOST_TEST(
      shown_tensor(tensor_from_proto(message)) ==
      "InvalidArgument: tensor_content of 3 bytes does not fit int32[2], which takes 8");
  auto texts = message_of(DType::string, {2});
  for (const auto* wrong : {"\1", "\1a\1b", "\1\1a", "\1\1abc", "\xff\xff", "\x7f\x7f"}) {
    texts.set_tensor_content(wrong);
    BOOST_TEST(!tensor_from_proto(texts).ok());
  }
}

BOOST_AUTO_TEST_CASE(large_tensors_are_refused_before_they_take_memory) {
  auto message = message_of(DType::float32, {int64_t{1} << 20, 1 << 20});
  BOOST_TEST(
      shown_tensor(tensor_from_proto(message)) ==
      "ResourceExhausted: a message describes float32[1048576,1048576], which would take more than "
      "2147483648 bytes");
  auto small = message_of(DType::float32, {4});
  BOOST_TEST(tensor_from_proto(small, 16).ok());
  BOOST_TEST((tensor_from_proto(small, 15).status().code() == Code::resource_exhausted));
  auto repeated = message_of(DType::string, {1000});
  repeated.add_string_val(std::string(1000, 'x'));
  BOOST_TEST((tensor_from_proto(repeated, 500'000).status().code() == Code::resource_exhausted));
  BOOST_TEST(tensor_from_proto(repeated, 2'000'000).ok());
}

BOOST_AUTO_TEST_CASE(shapes_keep_what_is_known_of_them) {
  for (const Shape& shape :
       {Shape{}, Shape{3, 0}, Shape{Shape::unknown, 2}, Shape::unknown_rank(), Shape::of_rank(8)})
    BOOST_TEST((*shape_from_proto(shape_to_proto(shape)) == shape), shape.to_string());
  proto::TensorShapeProto wrong;
  wrong.add_dim()->set_size(-2);
  BOOST_TEST(!shape_from_proto(wrong).ok());
  wrong.mutable_dim(0)->set_size(2);
  wrong.set_unknown_rank(true);
  BOOST_TEST(!shape_from_proto(wrong).ok());
  wrong.set_unknown_rank(false);
  for (int i = 0; i < 8; ++i) wrong.add_dim()->set_size(1);
  BOOST_TEST(!shape_from_proto(wrong).ok());
  auto unknown = message_of(DType::float32, {Shape::unknown});
  BOOST_TEST(
      shown_tensor(tensor_from_proto(unknown)) ==
      "InvalidArgument: a tensor cannot have the unknown shape [?]");
}

BOOST_AUTO_TEST_CASE(dtypes_without_tensors_of_ours_are_named) {
  for (auto dtype : all_dtypes()) BOOST_TEST((*dtype_from_proto(dtype_to_proto(dtype)) == dtype));
  auto message = [](int dtype) {
    return dtype_from_proto(static_cast<proto::DataType>(dtype)).status().message();
  };
  BOOST_TEST(message(0) == "there are no tensors of type DT_INVALID");
  BOOST_TEST(message(11) == "there are no tensors of type DT_QINT8");
  BOOST_TEST(message(101) == "there are no tensors of type DT_FLOAT_REF");
  BOOST_TEST(message(99) == "there are no tensors of type 99");
  auto handle = message_of(DType::resource, {});
  BOOST_TEST(!tensor_from_proto(handle).ok());
}

BOOST_AUTO_TEST_CASE(any_bytes_are_a_tensor_or_an_error) {
  std::mt19937 random(3);
  auto numbers = *serialize_tensor(counted(DType::int32, {2, 3}));
  auto texts = *serialize_tensor(Tensor::of<std::string>({3}, {"a", "", "bc"}));
  for (const auto& bytes : {numbers, texts})
    for (int i = 0; i < 3000; ++i) {
      auto changed = bytes.substr(0, bytes.size() - (i % 3 == 0 ? random() % bytes.size() : 0));
      for (int n = 0; n < i % 5 && !changed.empty(); ++n)
        changed[random() % changed.size()] = static_cast<char>(random());
      auto tensor = parse_tensor(changed, /*max_bytes=*/1 << 20);
      BOOST_TEST((tensor.ok() || !tensor.status().message().empty()));
    }
}

BOOST_AUTO_TEST_CASE(examples_are_read_from_json) {
  auto bytes =
      example_from_json(R"({"features": {"feature": {"a": {"int64_list": {"value": [1, "2"]}}}}})");
  BOOST_TEST(bytes.ok());
  proto::Example example;
  BOOST_TEST(example.ParseFromString(*bytes));
  const auto& values = example.features().feature().at("a").int64_list();
  BOOST_TEST((values.value_size() == 2 && values.value(0) == 1 && values.value(1) == 2));
  auto wrong = example_from_json("{");
  BOOST_TEST(wrong.status().message().starts_with("Error while parsing JSON: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
