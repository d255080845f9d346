#include <capnp/message.h>
#include <boost/test/unit_test.hpp>

#include <limits>

#include "troupe/capnp/convert/convert.hpp"

using namespace troupe;

namespace {

/// Converts a value to a message and back.
Result<Tensor> through_message(const Tensor& value) {
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Tensor>();
  ExternalSegmentBudget segment_budget;
  fill(to, value, segment_budget);
  return to_tensor(to.asReader());
}

Result<AttrValue> through_message(const AttrValue& value) {
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::AttrValue>();
  ExternalSegmentBudget segment_budget;
  fill(to, value, segment_budget);
  return to_attr_value(to.asReader());
}

/// A valid tensor in a message, for tests to corrupt.
struct TensorMessage {
  capnp::MallocMessageBuilder message;
  rpc::Tensor::Builder tensor = message.initRoot<rpc::Tensor>();

  TensorMessage() {
    tensor.setDtype(1);
    tensor.setSizes({2, 3});
    tensor.initChunks(1).init(0, 24);
  }
  Code code() { return to_tensor(tensor.asReader()).status().code(); }
};

bool says_invalid(const Status& status) { return status.code() == Code::invalid_argument; }

}  // namespace

BOOST_AUTO_TEST_SUITE(convert)

BOOST_AUTO_TEST_CASE(a_status_keeps_all_its_fields) {
  for (const auto& status :
       {Status(), not_found("no such thing"), aborted("gone").with_note("here").with_note("there"),
        Status(
            Code::unauthenticated, "who?", {.node = "n", .op = "o", .device = "d", .task = "t"})}) {
    capnp::MallocMessageBuilder message;
    auto to = message.initRoot<rpc::Status>();
    fill(to, status);
    BOOST_TEST((to_status(to.asReader()) == status));
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_code_is_an_error_with_the_peers_words) {
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Status>();
  to.setCode(99);
  to.setMessage("strange");
  auto status = to_status(to.asReader());
  BOOST_TEST(says_invalid(status));
  BOOST_TEST(status.message().find("strange") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_tensor_of_any_dtype_comes_back) {
  for (auto dtype : all_plain()) {
    auto tensor = Tensor::allocate(dtype, {3, 5});
    BOOST_REQUIRE(tensor.ok());
    auto* bytes = static_cast<uint8_t*>(tensor->mutable_raw());
    for (size_t i = 0; i < tensor->bytes(); ++i) bytes[i] = i % 2;
    auto back = through_message(*tensor);
    BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
    BOOST_TEST(equal(*tensor, *back));
  }
}

BOOST_AUTO_TEST_CASE(strings_empty_tensors_and_scalars_come_back) {
  using namespace std::string_literals;
  for (const auto& tensor :
       {Tensor::of<std::string>({2}, {"a\0b"s, ""s}), Tensor::of<float>({0}, {}),
        Tensor::of<std::string>({0, 4}, {}), Tensor::scalar<double>(1.5)}) {
    auto back = through_message(tensor);
    BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
    BOOST_TEST(equal(tensor, *back));
  }
}

BOOST_AUTO_TEST_CASE(a_large_tensor_is_referenced_until_it_is_written) {
  auto tensor = *Tensor::allocate(DType::uint8, {100003});
  std::memset(tensor.mutable_raw(), 7, tensor.bytes());
  MessageMemory memory;
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Tensor>();
  ExternalSegmentBudget segment_budget{.memory = &memory};
  fill(to, tensor, segment_budget);
  BOOST_TEST(memory.external_segment_count() == 1u);
  BOOST_TEST(to.getChunks().size() == 2u);  // whole words, and the three bytes behind them
  auto back = to_tensor(to.asReader());
  BOOST_REQUIRE(back.ok());
  BOOST_TEST(equal(tensor, *back));
  memory.release_external_segment(tensor.raw());
  BOOST_TEST(memory.external_segment_count() == 0u);
}

BOOST_AUTO_TEST_CASE(an_attribute_of_any_type_comes_back) {
  using namespace std::string_literals;
  for (const AttrValue& value :
       {AttrValue(int64_t{-3}), AttrValue(2.5f), AttrValue(true), AttrValue("a\0b"s),
        AttrValue(DType::int8), AttrValue(DType::resource), AttrValue(Shape{2, Shape::unknown}),
        AttrValue(Shape::unknown_rank()), AttrValue(Shape()),
        AttrValue(std::vector<int64_t>{1, -1}), AttrValue(std::vector<float>{0.5f}),
        AttrValue(std::vector<std::string>{"x", ""}), AttrValue(DTypes{DType::float16}),
        AttrValue(Shapes{Shape{1}, Shape::unknown_rank()}), AttrValue(FunctionRef("f")),
        AttrValue(FunctionRefs{
            FunctionRef("g", {{"T", DType::int8}, {"f", FunctionRef("f")}}), FunctionRef("h")})}) {
    auto back = through_message(value);
    BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
    BOOST_TEST((back->type() == value.type()));
    BOOST_TEST(back->to_string() == value.to_string());
  }
  auto tensor = Tensor::of<float>({2}, {1, 2});
  auto back = through_message(AttrValue(tensor));
  BOOST_REQUIRE(back.ok());
  BOOST_TEST(equal(*back->get<Tensor>(), tensor));
}

BOOST_AUTO_TEST_CASE(functions_that_are_nested_too_deep_are_refused) {
  AttrValue value = FunctionRef("f");
  for (int i = 1; i < function_nesting_max; ++i) value = FunctionRef("f", {{"f", value}});
  BOOST_TEST(through_message(value).ok());
  auto status = through_message(AttrValue(FunctionRef("f", {{"f", value}}))).status();
  BOOST_TEST(says_invalid(status));
  BOOST_TEST(status.message().find("nested more than 8 deep") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_function_comes_back) {
  FunctionDef def{
      .name = "f",
      .arguments = {{"x", DType::float32, {2, Shape::unknown}}, {"v", DType::resource}},
      .results = {{"y", "n:0", DType::float32}},
      .nodes = {{.name = "n", .op = "Neg", .device = "/job:ps", .inputs = {"x"}}}};
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Graph>();
  ExternalSegmentBudget segment_budget;
  fill(to.initFunctions(1), {def}, segment_budget);
  auto back = to_graph(to.asReader());
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  BOOST_REQUIRE(back->functions.size() == 1u);
  BOOST_TEST((back->functions[0] == def));
  to.getFunctions()[0].getArguments()[0].setType(9999);
  auto refused = to_graph(to.asReader()).status();
  BOOST_TEST(says_invalid(refused));
  BOOST_TEST(refused.message().find("in function 'f'") == 0);
}

BOOST_AUTO_TEST_CASE(a_node_comes_back) {
  NodeDef node{
      .name = "y",
      .op = "Add",
      .device = "/job:ps",
      .inputs = {"a:1", "^b"},
      .attrs = {{"T", DType::float32}, {"N", 2}}};
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Node>();
  ExternalSegmentBudget segment_budget;
  fill(to, node, segment_budget);
  auto back = to_node_def(to.asReader());
  BOOST_REQUIRE(back.ok());
  BOOST_TEST(back->name == node.name);
  BOOST_TEST(back->op == node.op);
  BOOST_TEST(back->device == node.device);
  BOOST_TEST(back->inputs == node.inputs);
  BOOST_TEST(back->attrs.size() == 2u);
}

BOOST_AUTO_TEST_CASE(an_attribute_given_twice_is_refused_by_name) {
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::Node>();
  to.setName("y");
  auto attrs = to.initAttrs(2);
  attrs[0].setName("T");
  attrs[1].setName("T");
  auto status = to_node_def(to.asReader()).status();
  BOOST_TEST(says_invalid(status));
  BOOST_TEST(status.where().node == "y");
  BOOST_TEST(status.message().find("'T'") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_tensor_with_a_false_byte_count_is_refused, TensorMessage) {
  BOOST_TEST((code() == Code::ok));
  tensor.initChunks(1).init(0, 25);
  BOOST_TEST((code() == Code::invalid_argument));
  tensor.initChunks(0);
  BOOST_TEST((code() == Code::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(a_tensor_of_no_dtype_is_refused, TensorMessage) {
  for (uint16_t dtype : {0, 11, 20, 24, 255, 256 + 1, 65535}) {
    tensor.setDtype(dtype);
    BOOST_TEST((code() == Code::invalid_argument));
  }
}

BOOST_FIXTURE_TEST_CASE(a_tensor_with_impossible_sizes_is_refused, TensorMessage) {
  constexpr auto huge = std::numeric_limits<int64_t>::max();
  tensor.setSizes({-1, 3});
  BOOST_TEST((code() == Code::invalid_argument));
  tensor.setSizes({huge, huge});
  BOOST_TEST((code() == Code::invalid_argument));
  tensor.setSizes({int64_t{1} << 40});
  BOOST_TEST((code() == Code::invalid_argument));
  tensor.setSizes({1, 1, 1, 1, 1, 1, 1, 1, 6});
  BOOST_TEST((code() == Code::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(a_bool_that_is_neither_true_nor_false_becomes_true, TensorMessage) {
  tensor.setDtype(static_cast<uint16_t>(DType::boolean));
  tensor.setSizes({3});
  tensor.initChunks(1).set(0, kj::heapArray<kj::byte>({0, 2, 255}));
  auto value = to_tensor(tensor.asReader());
  BOOST_REQUIRE(value.ok());
  auto* bytes = static_cast<const uint8_t*>(value->raw());
  BOOST_TEST((bytes[0] == 0 && bytes[1] == 1 && bytes[2] == 1));
}

BOOST_FIXTURE_TEST_CASE(a_string_tensor_with_a_false_count_is_refused, TensorMessage) {
  tensor.setDtype(static_cast<uint16_t>(DType::string));
  tensor.initStrings(5);
  BOOST_TEST((code() == Code::invalid_argument));
  tensor.initStrings(6);
  BOOST_TEST((code() == Code::ok));
}

BOOST_AUTO_TEST_CASE(a_message_with_broken_pointers_is_refused) {
  kj::Array<capnp::word> words = kj::heapArray<capnp::word>(16);
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    auto state = seed * 6364136223846793005u + 1442695040888963407u;
    for (auto& word : words) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      auto value = (state >> 33) % 3 == 0 ? state : (state >> 40) & 0xf00000007;
      std::memcpy(static_cast<void*>(&word), &value, sizeof value);
    }
    kj::ArrayPtr<const capnp::word> segment = words;
    capnp::SegmentArrayMessageReader message(kj::arrayPtr(&segment, 1));
    auto read = [&](auto convert) {
      try {
        convert();
      } catch (const kj::Exception&) {
        // The root itself is broken, which is found before any conversion is called.
      }
    };
    read([&] { (void)to_node_def(message.getRoot<rpc::Node>()); });
    read([&] { (void)to_tensor(message.getRoot<rpc::Tensor>()); });
    read([&] { (void)to_node_info(message.getRoot<rpc::NodeInfo>()); });
    read([&] { (void)to_status(message.getRoot<rpc::Status>()); });
  }
}

BOOST_AUTO_TEST_CASE(a_cluster_and_a_node_of_it_come_back) {
  NodeInfo info{
      .job = "worker",
      .task = 3,
      .incarnation = 1u << 31,
      .protocol_version = 1,
      .cluster = *ClusterSpec::make({{"ps", {"a:1"}}, {"worker", {{3, "b:65535"}}}}),
      .sessions = 1,
      .steps = 2,
      .late_messages = 3};
  capnp::MallocMessageBuilder message;
  auto to = message.initRoot<rpc::NodeInfo>();
  fill(to, info);
  auto back = to_node_info(to.asReader());
  BOOST_REQUIRE(back.ok());
  BOOST_TEST((*back == info));
  to.setTask(~0u);
  BOOST_TEST(says_invalid(to_node_info(to.asReader()).status()));
  auto tasks = to.getCluster().getJobs()[0].initTasks(2);
  tasks[0].setIndex(4);
  tasks[1].setIndex(4);
  BOOST_TEST(says_invalid(to_cluster(to.getCluster().asReader()).status()));
}

BOOST_AUTO_TEST_CASE(a_timeout_of_centuries_is_refused) {
  BOOST_TEST((to_timeout(1500).ok()));
  BOOST_TEST(says_invalid(to_timeout(~uint64_t{0}).status()));
}

BOOST_AUTO_TEST_SUITE_END()
