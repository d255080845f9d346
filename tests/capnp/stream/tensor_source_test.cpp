#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/fake_source.hpp"
#include "troupe/tests/capnp/plain_client.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr uint64_t large = protocol::values_bytes_max + 20;

Tensor counted(uint64_t bytes) {
  auto tensor = Tensor::allocate(DType::int32, {static_cast<int64_t>(bytes / 4)});
  auto* data = tensor->mutable_data<int32_t>();
  std::iota(data, data + bytes / 4, 0);
  return *std::move(tensor);
}

struct SourceFixture {
  FakeNode node;
  PlainClient plain{node};
  std::optional<bool> is_dropped;

  rpc::Session::Client session() {
    return plain.login(protocol::version).getMaster().createSessionRequest().send().getSession();
  }

  /// A step that returns its feed, which has the shape of `like` and comes from a source.
  auto echo(rpc::Session::Client session, const Tensor& like, FakeSource::Give give) {
    auto request = session.runRequest();
    request.initTargets(1).set(0, "echo");
    feed_from(request.initFeeds(1)[0], like, kj::heap<FakeSource>(std::move(give), is_dropped));
    return request.send();
  }
  /// Whether the node drops the source in time.
  bool is_released() {
    auto end = std::chrono::steady_clock::now() + test_timeout;
    while (is_dropped == false && std::chrono::steady_clock::now() < end)
      plain.io.provider->getTimer().afterDelay(1 * kj::MILLISECONDS).wait(plain.io.waitScope);
    return is_dropped == true;
  }
  Status failure_of(FakeSource::Give give) {
    auto answer = echo(session(), counted(40), std::move(give)).wait(plain.io.waitScope);
    return to_status(answer.getStatus());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tensor_source, SourceFixture)

BOOST_AUTO_TEST_CASE(a_feed_is_read_from_its_source_which_is_then_dropped) {
  auto sent = counted((uint64_t{19} << 20) + 4);
  auto answer = echo(session(), sent, pieces_of(sent)).wait(plain.io.waitScope);
  BOOST_TEST(to_status(answer.getStatus()).ok());
  auto back = to_tensor(answer.getValues()[0]);
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  BOOST_TEST(equal(sent, *back));
  BOOST_TEST(is_released());
}

BOOST_AUTO_TEST_CASE(any_nonzero_byte_of_a_bool_from_a_source_is_true) {
  auto bytes = Tensor::of<uint8_t>({3}, {0, 1, 77});
  auto shape = Tensor::of<bool>({3}, {false, false, false});
  auto answer = echo(session(), shape, pieces_of(bytes)).wait(plain.io.waitScope);
  BOOST_TEST(equal(*to_tensor(answer.getValues()[0]), Tensor::of<bool>({3}, {false, true, true})));
}

BOOST_AUTO_TEST_CASE(a_value_too_large_for_an_answer_is_read_by_the_client) {
  auto sent = counted(large);
  auto answer = echo(session(), sent, pieces_of(sent)).wait(plain.io.waitScope);
  auto value = answer.getValues()[0];
  BOOST_TEST(!value.hasChunks());
  BOOST_TEST_REQUIRE(value.hasSource());
  auto read = [&](uint64_t offset, uint64_t bytes) {
    auto request = value.getSource().readRequest();
    request.setOffset(offset);
    request.setBytes(bytes);
    return request.send().wait(plain.io.waitScope);
  };
  auto piece = read(large - 8, 8);
  BOOST_TEST(
      std::memcmp(piece.getBytes().begin(), static_cast<const char*>(sent.raw()) + large - 8, 8) ==
      0);
  auto code_of = [&](uint64_t offset, uint64_t bytes) {
    return to_status(read(offset, bytes).getStatus()).code();
  };
  BOOST_TEST((code_of(large - 8, 9) == Code::invalid_argument));
  BOOST_TEST((code_of(~uint64_t{0}, 2) == Code::invalid_argument));
  BOOST_TEST((code_of(0, protocol::chunk_bytes_max + 1) == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(only_a_client_that_accepts_sources_gets_one) {
  for (bool takes_sources : {false, true}) {
    auto memory = std::make_shared<MessageMemory>();
    memory->set_takes_sources(takes_sources);
    capnp::MallocMessageBuilder message;
    auto values = message.initRoot<rpc::StepAnswer>().initValues(2);
    auto segment_budget = segment_budget_for_values(*memory);
    fill(values, {counted(large), counted(40)}, segment_budget);
    BOOST_TEST(values[0].hasSource() == takes_sources);
    BOOST_TEST(!values[1].hasSource());
  }
}

BOOST_FIXTURE_TEST_CASE(large_tensors_go_there_and_back_through_the_client, FakeNode) {
  auto client = Client::connect(target());
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  auto session = (*client)->session();
  BOOST_TEST_REQUIRE(session.ok(), session.status().to_string());
  auto first = counted(large), second = counted(40);
  auto check = [&](const Result<Tensors>& values) {
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    BOOST_TEST(equal(values->at(0), first));
    BOOST_TEST(equal(values->at(1), second));
  };
  check((*session)->run({{"x", first}, {"y", second}}, {}, {"echo"}));
  check((*session)->start({{"x", first}, {"y", second}}, {}, {"echo"})->wait());
  auto callable = (*session)->make_callable({"x", "y"}, {"z"});
  BOOST_TEST_REQUIRE(callable.ok(), callable.status().to_string());
  check((*callable)->run({first, second}));
  auto partial_run = (*session)->partial_run_setup({"x", "y"}, {"z"});
  BOOST_TEST_REQUIRE(partial_run.ok(), partial_run.status().to_string());
  check((*partial_run)->run({{"x", first}, {"y", second}}, {"z"}));
}

BOOST_AUTO_TEST_CASE(a_source_that_gives_something_else_fails_its_step_only) {
  auto status = failure_of(pieces_of(counted(40), 4));
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "the source of a tensor was asked for 40 bytes, and gave 36");
  status =
      failure_of([](auto) -> kj::Promise<void> { return KJ_EXCEPTION(FAILED, "the well is dry"); });
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("the well is dry") != std::string::npos);
  status = failure_of([](auto context) {
    fill(context.getResults().initStatus(), full_error());
    return kj::READY_NOW;
  });
  BOOST_TEST((status == full_error()));
  BOOST_TEST(failure_of(pieces_of(counted(40))).ok());
}

BOOST_AUTO_TEST_CASE(after_a_step_is_dropped_its_feeds_are_not_read) {
  bool was_asked = false;
  auto never = [&](auto context) -> kj::Promise<void> {
    was_asked = true;
    context.releaseParams();
    context.allowCancellation();
    return kj::NEVER_DONE;
  };
  auto open = session();
  {
    auto step = echo(open, counted(40), never);
    while (!was_asked) plain.io.waitScope.poll();
    BOOST_TEST((is_dropped == false));
  }
  BOOST_TEST(is_released());
}

BOOST_AUTO_TEST_CASE(a_source_of_the_node_itself_is_refused) {
  auto sent = counted(large);
  auto open = session();
  auto answer = echo(open, sent, pieces_of(sent)).wait(plain.io.waitScope);
  auto request = open.runRequest();
  feed_from(request.initFeeds(1)[0], sent, answer.getValues()[0].getSource());
  auto status = to_status(request.send().wait(plain.io.waitScope).getStatus());
  BOOST_TEST(
      status.message() ==
      "feed 'x': the source of a tensor must be hosted by the end that sends the tensor");
}

BOOST_AUTO_TEST_CASE(a_tensor_in_a_graph_has_no_source) {
  capnp::MallocMessageBuilder message;
  auto tensor = message.initRoot<rpc::Tensor>();
  tensor.setDtype(static_cast<uint16_t>(DType::int32));
  tensor.setSource(make_tensor_source(counted(4), std::make_shared<MessageMemory>()));
  BOOST_TEST(
      to_tensor(tensor).status().message() ==
      "only a feed, or what a step answers, can come from a source");
}

BOOST_AUTO_TEST_CASE(the_unread_source_bytes_of_a_connection_are_bounded) {
  auto memory = std::make_shared<MessageMemory>();
  auto reservation = memory->reserve_source_bytes(protocol::pending_source_bytes_max - 1);
  BOOST_TEST(!!reservation);
  BOOST_TEST(!memory->reserve_source_bytes(2));
  BOOST_TEST(!!memory->reserve_source_bytes(1));
  reservation.reset();
  BOOST_TEST(!!memory->reserve_source_bytes(protocol::pending_source_bytes_max));
}

BOOST_AUTO_TEST_SUITE_END()
