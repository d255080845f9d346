#include <capnp/any.h>
#include <capnp/ez-rpc.h>
#include <boost/test/unit_test.hpp>

#include <future>
#include <thread>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/rpc_server.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/plain_client.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A session of a release that could only be closed.
struct OlderSession final : rpc::Session::Server {
  kj::Promise<void> close(CloseContext) override { return kj::READY_NOW; }
};

/// A master of a release that had no more methods than these.
struct OlderMaster final : rpc::Master::Server {
  kj::Promise<void> createSession(CreateSessionContext context) override {
    context.getResults().setSession(kj::heap<OlderSession>());
    return kj::READY_NOW;
  }
};

struct OlderLogin final : rpc::Login::Server {
  kj::Promise<void> login(LoginContext context) override {
    context.getResults().setMaster(kj::heap<OlderMaster>());
    context.getResults().initIdentity().setJob("ps");
    return kj::READY_NOW;
  }
};

/// A node of an earlier release, on a thread of its own.
class OlderNode {
 public:
  OlderNode() {
    std::promise<unsigned> port;
    auto bound = port.get_future();
    thread_ = std::thread([this, &port] {
      capnp::EzRpcServer server(kj::heap<OlderLogin>(), "127.0.0.1");
      auto stop = kj::newPromiseAndCrossThreadFulfiller<void>();
      stop_ = kj::mv(stop.fulfiller);
      port.set_value(server.getPort().wait(server.getWaitScope()));
      stop.promise.wait(server.getWaitScope());
    });
    target = "troupe://127.0.0.1:" + std::to_string(bound.get());
  }
  ~OlderNode() {
    stop_->fulfill();
    thread_.join();
  }

  std::string target;

 private:
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> stop_;
  std::thread thread_;
};

/// Without heartbeats, which that release lacks, too.
std::unique_ptr<Client> connect(const OlderNode& node) {
  auto client = Client::connect(node.target, {.heartbeat_limit = std::chrono::milliseconds(0)});
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  return *std::move(client);
}

void check_unknown(const Status& status, const OlderNode& node) {
  BOOST_TEST((status.code() == Code::unimplemented), status.to_string());
  BOOST_TEST(
      status.message().starts_with(node.target + " (/job:ps/task:0) does not know that call"));
}

/// The type of the exception that the call ends with.
kj::Exception::Type failure_of(PlainClient& plain, uint64_t interface, uint16_t method) {
  auto request = plain.bootstrap.typelessRequest(interface, method, nullptr);
  try {
    request.send().wait(plain.io.waitScope);
  } catch (const kj::Exception& error) {
    return error.getType();
  }
  BOOST_FAIL("there is such a method");
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(version)

BOOST_AUTO_TEST_CASE(a_client_of_a_later_release_can_log_in) {
  FakeNode node;
  PlainClient plain(node);
  auto response = plain.login(protocol::version + 97).wait(plain.io.waitScope);
  BOOST_TEST((to_status(response.getStatus()) == Status()));
  auto info = response.getMaster().nodeInfoRequest().send().wait(plain.io.waitScope);
  BOOST_TEST(info.getInfo().getSessions() == 2u);
}

BOOST_AUTO_TEST_CASE(a_client_older_than_the_oldest_is_refused_with_advice) {
  FakeNode node;
  PlainClient plain(node);
  auto response = plain.login(protocol::oldest_version - 1).wait(plain.io.waitScope);
  auto status = to_status(response.getStatus());
  BOOST_TEST((status.code() == Code::failed_precondition));
  BOOST_TEST(
      status.message() ==
      "the client speaks version 1 of the protocol, this node takes versions from 2 on: "
      "update the client");
  BOOST_TEST(!response.hasMaster());
}

BOOST_AUTO_TEST_CASE(a_call_that_an_older_node_lacks_is_unimplemented) {
  OlderNode node;
  auto client = connect(node);
  check_unknown(client->list_resources().status(), node);
  check_unknown(client->node_info().status(), node);
  check_unknown(client->list_sessions().status(), node);
  check_unknown(client->clock().status(), node);
  auto session = client->session();
  BOOST_TEST_REQUIRE(session.ok(), session.status().to_string());
  check_unknown((*session)->run({}, {"a"}).status(), node);
  check_unknown((*session)->make_callable({}, {"a"}).status(), node);
  BOOST_TEST((*session)->close().ok());
}

BOOST_AUTO_TEST_CASE(a_cluster_of_an_older_release_cannot_be_joined_and_says_so_at_once) {
  OlderNode node;
  auto server = RpcServer::open("", 0);
  BOOST_TEST_REQUIRE(server.ok());
  std::promise<Status> answer;
  (*server)->join(
      *Address::parse(node.target), std::chrono::seconds(2), Join(),
      [&](const Result<Joined>& joined) { answer.set_value(joined.status()); });
  auto status = answer.get_future().get();
  BOOST_TEST((status.code() == Code::unimplemented), status.to_string());
  BOOST_TEST(status.message().find("does not know that call") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pending_step_that_an_older_node_lacks_is_done) {
  OlderNode node;
  auto client = connect(node);
  auto session = client->session();
  BOOST_TEST_REQUIRE(session.ok(), session.status().to_string());
  auto step = (*session)->start({}, {"a"});
  auto end = std::chrono::steady_clock::now() + test_timeout;
  while (!step->done()) BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
  check_unknown(step->wait().status(), node);
}

BOOST_AUTO_TEST_CASE(a_method_of_a_later_release_is_unimplemented) {
  FakeNode node;
  PlainClient plain(node);
  constexpr uint64_t unknown_interface = 0x8123456789abcdefu;
  auto unimplemented = kj::Exception::Type::UNIMPLEMENTED;
  BOOST_TEST((failure_of(plain, capnp::typeId<rpc::Login>(), 77) == unimplemented));
  BOOST_TEST((failure_of(plain, unknown_interface, 0) == unimplemented));
  BOOST_TEST(plain.login(protocol::version).wait(plain.io.waitScope).hasMaster());
}

BOOST_AUTO_TEST_CASE(an_attribute_of_a_later_release_is_refused_by_name) {
  capnp::MallocMessageBuilder message;
  auto node = message.initRoot<rpc::Node>();
  node.setName("n");
  node.setOp("Thing");
  auto attr = node.initAttrs(1)[0];
  attr.setName("size");
  auto value = attr.initValue();
  value.setInt(3);
  auto words = capnp::AnyStruct::Builder(capnp::AnyStruct::Builder(kj::mv(value)));
  words.getDataSection()[8] = 77;  // which member of the union it is
  auto status = to_node_def(node.asReader()).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "n");
  BOOST_TEST(
      status.message() ==
      "attribute 'size': its value is of kind 77, which this release does not know");
}

BOOST_AUTO_TEST_CASE(login_session_and_step_can_be_pipelined) {
  FakeNode node;
  PlainClient plain(node);
  auto master = plain.login(protocol::version).getMaster();
  auto session = master.createSessionRequest().send().getSession();
  auto run = session.runRequest();
  run.initFetches(1).set(0, "a");
  auto answer = run.send().wait(plain.io.waitScope);
  BOOST_TEST((to_status(answer.getStatus()) == Status()));
  BOOST_TEST(answer.getValues().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_step_of_a_client_that_was_refused_fails_without_a_hang) {
  FakeNode node;
  PlainClient plain(node);
  auto master = plain.login(protocol::oldest_version - 1).getMaster();
  auto run = master.createSessionRequest().send().getSession().runRequest().send();
  BOOST_CHECK_THROW(run.wait(plain.io.waitScope), kj::Exception);
}

BOOST_AUTO_TEST_SUITE_END()
