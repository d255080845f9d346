#include "troupe/actors/node_serialization.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <limits>
#include <random>

#include "troupe/actors/node_messages.hpp"

using namespace troupe;

namespace {

struct WireFixture {
  caf::actor_system_config config;
  caf::actor_system system{config};

  template <class T>
  std::vector<char> write(T value) {
    std::vector<char> bytes;
    caf::binary_serializer sink(system, bytes);
    auto error = inspect(sink, value);
    BOOST_TEST(!error);
    return bytes;
  }
  template <class T>
  bool read(const std::vector<char>& bytes, T& value) {
    caf::binary_deserializer source(system, bytes);
    return !inspect(source, value);
  }
  template <class T>
  T round_trip(T value) {
    T back;
    BOOST_TEST(read(write(value), back));
    return back;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wire, WireFixture)

BOOST_AUTO_TEST_CASE(a_status_keeps_its_code_message_and_location) {
  Status status(Code::data_loss, "a bit flipped", {"node", "Op", "device", "task"});
  BOOST_TEST((round_trip(status) == status));
  auto noted = status.with_note("and another");
  BOOST_TEST((round_trip(noted) == noted));
  BOOST_TEST(round_trip(Status()).ok());
}

BOOST_AUTO_TEST_CASE(a_valid_cluster_is_read_back_and_an_invalid_one_is_refused) {
  auto cluster = *ClusterSpec::make(
      {{"ps", {"a:1", "[::1]:2"}}, {"worker", {{3, "b:3"}}}, {"empty", JobTasks()}});
  BOOST_TEST((round_trip(cluster) == cluster));
  BOOST_TEST((round_trip(ClusterSpec()) == ClusterSpec()));
  std::vector<char> bytes;
  caf::binary_serializer sink(system, bytes);
  uint64_t jobs = 1;
  std::string job = "ps";
  std::map<int32_t, std::string> tasks{{0, "a:1"}, {1, "a:1"}};
  BOOST_TEST(!sink(jobs, job, tasks));
  ClusterSpec read_back;
  BOOST_TEST(!read(bytes, read_back));
}

BOOST_AUTO_TEST_CASE(a_runner_is_read_back_and_one_in_no_known_state_is_refused) {
  ListedRunner runner{
      .name = {"c", "input"},
      .task = "/job:ps/task:0",
      .state = RunnerState::paused,
      .age = std::chrono::milliseconds(1500),
      .steps = 7,
      .failures = 2,
      .last_error = unavailable("it is away"),
      .status = aborted("it was reset")};
  auto back = round_trip(TaskRunners{{runner, ListedRunner()}});
  BOOST_TEST((back.runners == std::vector{runner, ListedRunner()}));
  auto told = round_trip(ControlTaskRunner{{"c", "input"}, RunnerAction::stop});
  BOOST_TEST((told.name == runner.name && told.action == RunnerAction::stop));
  auto bytes = write(ControlTaskRunner{{"c", "input"}, RunnerAction::stop});
  bytes.back() = 3;
  BOOST_TEST(!read(bytes, told));
  runner.state = static_cast<RunnerState>(3);
  BOOST_TEST(!read(write(runner), back.runners[0]));
}

BOOST_AUTO_TEST_CASE(a_session_of_a_list_is_read_back) {
  ListedSession session{
      .id = 3,
      .task = "/job:ps/task:0",
      .client = "train.py",
      .runner = "c/input",
      .age = std::chrono::milliseconds(1500),
      .nodes = 12,
      .running_steps = 2,
      .steps = 30};
  auto back = round_trip(TaskSessions{{session, ListedSession()}});
  BOOST_TEST((back.sessions == std::vector{session, ListedSession()}));
}

BOOST_AUTO_TEST_CASE(the_waits_of_a_step_are_read_back) {
  Wait wait{"device", "node", "Op", "what", "peer", std::chrono::milliseconds(12345)};
  auto back = round_trip(StepWaits{{wait, Wait()}});
  BOOST_TEST_REQUIRE(back.waits.size() == 2u);
  BOOST_TEST((back.waits[0] == wait));
  BOOST_TEST((back.waits[1] == Wait()));
}

BOOST_AUTO_TEST_CASE(tensors_of_all_dtypes_are_read_back) {
  for (auto dtype : all_plain()) {
    auto tensor = *Tensor::allocate(dtype, {2, 3});
    auto* bytes = static_cast<char*>(tensor.mutable_raw());
    for (size_t i = 0; i < tensor.bytes(); ++i) bytes[i] = dtype == DType::boolean ? i % 2 : 7 * i;
    auto back = round_trip(tensor);
    BOOST_TEST((back.dtype() == dtype));
    BOOST_TEST((back.shape() == tensor.shape()));
    BOOST_TEST(std::memcmp(back.raw(), tensor.raw(), tensor.bytes()) == 0);
  }
  auto strings = Tensor::of<std::string>({2}, {"", std::string("a\0b", 3)});
  BOOST_TEST(equal(round_trip(strings), strings));
  BOOST_TEST(round_trip(*Tensor::allocate(DType::float32, {0, 3})).elements() == 0);
  BOOST_TEST(!round_trip(Tensor()).is_set());
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_are_read_back_in_tensors_and_attributes) {
  auto infinity = std::numeric_limits<float>::infinity();
  auto tensor = round_trip(Tensor::of<float>({2}, {infinity, std::nanf("")}));
  BOOST_TEST(tensor.data<float>()[0] == infinity);
  BOOST_TEST(std::isnan(tensor.data<float>()[1]));
  NodeDef def{
      .name = "n", .op = "O", .attrs = {{"f", -infinity}, {"l", std::vector<float>{infinity}}}};
  auto back = round_trip(def);
  BOOST_TEST(*back.attrs.at("f").get<float>() == -infinity);
  BOOST_TEST(back.attrs.at("l").get<std::vector<float>>()->at(0) == infinity);
}

BOOST_AUTO_TEST_CASE(a_node_is_read_back_with_attributes_of_all_types) {
  NodeDef def{
      .name = "n",
      .op = "O",
      .device = "/job:a",
      .inputs = {"x:1", "^c"},
      .attrs = {
          {"i", 1},
          {"f", 2.5f},
          {"b", true},
          {"s", "text"},
          {"t", DType::int8},
          {"shape", Shape{2, Shape::unknown}},
          {"tensor", Tensor::scalar(3)},
          {"is", std::vector<int64_t>{1, 2}},
          {"ss", std::vector<std::string>{"a", ""}},
          {"ts", DTypes{DType::int8}},
          {"shapes", Shapes{Shape(), Shape::unknown_rank()}},
          {"func", FunctionRef("f", {{"T", DType::int8}, {"g", FunctionRef("g")}})},
          {"funcs", FunctionRefs{FunctionRef("f"), FunctionRef("g", {{"n", 1}})}}}};
  auto back = round_trip(def);
  BOOST_TEST(back.name == def.name);
  BOOST_TEST(back.inputs == def.inputs, boost::test_tools::per_element());
  BOOST_REQUIRE(back.attrs.size() == def.attrs.size());
  for (const auto& [name, value] : def.attrs) {
    BOOST_TEST((back.attrs.at(name).type() == value.type()));
    BOOST_TEST(back.attrs.at(name).to_string() == value.to_string());
  }
  BOOST_TEST((back == def));
}

BOOST_AUTO_TEST_CASE(functions_that_are_nested_too_deep_are_refused) {
  AttrValue value = FunctionRef("f");
  for (int i = 1; i < function_nesting_max; ++i) value = FunctionRef("f", {{"f", value}});
  NodeDef def, back;
  def.attrs["f"] = value;
  BOOST_TEST(read(write(def), back));
  def.attrs["f"] = FunctionRefs{FunctionRef("f", {{"f", value}})};
  BOOST_TEST(!read(write(def), back));
}

BOOST_AUTO_TEST_CASE(a_function_is_read_back) {
  FunctionDef def{
      .name = "f",
      .arguments = {{"x", DType::float32, {2, Shape::unknown}}, {"v", DType::resource}},
      .results = {{"y", "n:0", DType::float32}},
      .nodes = {
          {.name = "n", .op = "Neg", .device = "/job:ps", .inputs = {"x"}, .attrs = {{"i", 1}}}}};
  BOOST_TEST((round_trip(def) == def));
  auto bytes = write(def);
  for (size_t length = 0; length < bytes.size(); ++length) {
    FunctionDef part;
    BOOST_TEST(!read(std::vector<char>(bytes.begin(), bytes.begin() + length), part));
  }
}

BOOST_AUTO_TEST_CASE(truncated_and_corrupted_bytes_never_crash) {
  auto bytes =
      write(NodeDef{.name = "n", .op = "O", .attrs = {{"t", Tensor::of<float>({2}, {1, 2})}}});
  NodeDef def;
  for (size_t length = 0; length < bytes.size(); ++length) {
    def = {};
    BOOST_TEST(!read(std::vector<char>(bytes.begin(), bytes.begin() + length), def));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    auto spoiled = bytes;
    spoiled[random() % spoiled.size()] = static_cast<char>(random());
    def = {};
    (void)read(spoiled, def);
  }
}

BOOST_AUTO_TEST_CASE(a_tensor_larger_than_a_message_is_refused) {
  for (auto dtype : {DType::float32, DType::string}) {
    std::vector<char> bytes;
    caf::binary_serializer sink(system, bytes);
    BOOST_TEST(!sink(static_cast<uint8_t>(dtype), int8_t{1}, int64_t{1} << 40));
    Tensor tensor;
    BOOST_TEST(!read(bytes, tensor));
    BOOST_TEST(!tensor.is_set());  // nor was memory allocated for it
  }
}

BOOST_AUTO_TEST_CASE(wire_bytes_is_an_upper_bound) {
  auto strings = Tensor::of<std::string>({2}, {std::string(300, 'x'), ""});
  for (const auto& tensor : {Tensor(), Tensor::scalar(1), Tensor::of<float>({2}, {1, 2}), strings})
    BOOST_TEST(write(tensor).size() <= wire_bytes(tensor));
}

BOOST_AUTO_TEST_SUITE_END()
