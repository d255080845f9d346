#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

Attrs table_attrs(const std::string& shared_name, DType values = DType::float32) {
  return {{"shared_name", shared_name}, {"key_dtype", DType::int64}, {"value_dtype", values}};
}

/// A client that uses the table "ages" from int64 to float32, without a device constraint.
struct TableClient {
  TableClient(sim::Cluster& cluster, const std::string& master)
      : session(cluster.session(master)), b(session.graph()) {}

  Value keys(std::initializer_list<int64_t> values) const {
    return b.constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
  }
  Status insert(std::initializer_list<int64_t> at, std::initializer_list<float> values) {
    auto constant = b.constant(Tensor::of<float>({static_cast<int64_t>(values.size())}, values));
    auto inserted = b.op("LookupTableInsertV2", {table, keys(at), constant});
    return session.run({}, {}, {inserted}).status();
  }
  std::string find(std::initializer_list<int64_t> wanted) {
    auto found = b.op("LookupTableFindV2", {table, keys(wanted), b.constant(-1.0f)});
    auto values = session.run({}, {found});
    return values ? values->at(0).to_string() : values.status().to_string();
  }

  sim::Session session;
  const Builder& b;
  Value table = b.op("MutableHashTableV2", {}, table_attrs("ages"));
};

struct Fixture {
  sim::Cluster cluster{{{"worker", 2}}, sim::Seed{3}};
  std::vector<ListedResource> resources() { return cluster.list_resources(worker1, 1s)->resources; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hash_table, Fixture)

BOOST_AUTO_TEST_CASE(a_table_made_by_one_session_is_found_by_another_until_it_is_reset) {
  TableClient one(cluster, worker0), other(cluster, worker1);
  BOOST_TEST(one.insert({7, 8}, {70, 80}).ok());
  BOOST_TEST(other.find({8, 9}) == "float32[2] [80 -1]");
  BOOST_TEST(other.insert({9}, {90}).ok());
  BOOST_TEST(one.find({8, 9}) == "float32[2] [80 90]");
  auto list = resources();
  BOOST_REQUIRE(list.size() == 1u);
  BOOST_TEST(list[0].name.name == "ages");
  BOOST_TEST(list[0].kind == "hash table");
  BOOST_TEST((list[0].dtype == DType::float32));
  BOOST_TEST((list[0].shape == Shape{3}));
  BOOST_TEST(list[0].bytes == 3 * (sizeof(int64_t) + sizeof(float)));
  BOOST_TEST(list[0].device == worker0 + "/device:CPU:0");

  BOOST_TEST(cluster.reset(worker1, {""}, 1s).ok());
  BOOST_TEST(resources().empty());
  TableClient after(cluster, worker1);
  BOOST_TEST(after.find({8}) == "float32[1] [-1]");
  BOOST_TEST(resources().at(0).device == worker1 + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_table_is_not_taken_for_another_kind_of_resource_or_for_other_dtypes) {
  TableClient one(cluster, worker0);
  BOOST_TEST(one.insert({7}, {70}).ok());
  auto other = cluster.session(worker1);
  const auto& b = other.graph();
  auto variable = b.variable("ages", b.constant(0.0f));
  auto status = other.run({}, {}, {variable.initializer}).status();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
  BOOST_TEST(status.message().find("hash table 'ages' of container '' is no variable") == 0u);
  auto texts = b.op("MutableHashTableV2", {}, table_attrs("ages", DType::string));
  status = other.run({}, {b.op("LookupTableSizeV2", {texts})}).status();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
  BOOST_TEST(status.message().find("declares it as from int64 to string") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_table_without_a_shared_name_belongs_to_its_session_and_ends_with_it) {
  std::vector<sim::Session> sessions = {cluster.session(worker0), cluster.session(worker0)};
  auto size_with_one_more = [](sim::Session& session, int64_t key) {
    const auto& b = session.graph();
    auto table = b.named("mine").op("MutableHashTableV2", {}, table_attrs(""));
    auto insert = b.op("LookupTableInsertV2", {table, b.constant(key), b.constant(1.0f)});
    auto size = b.op("LookupTableSizeV2", {table});
    BOOST_TEST(session.run({}, {}, {insert}).ok());
    return session.run({}, {size})->at(0).value<int64_t>();
  };
  for (auto& session : sessions) BOOST_TEST(size_with_one_more(session, int64_t{5}) == 1);
  BOOST_TEST(resources().size() == 2u);
  BOOST_TEST(sessions[0].close().ok());
  cluster.run_for(100ms);
  BOOST_TEST(resources().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(hash_table_on_a_device, NodesFixture)

BOOST_AUTO_TEST_CASE(a_plan_bound_to_a_table_that_was_reset_is_aborted) {
  auto device = device_of(a, "a");
  std::vector<NodeDef> nodes = {
      {.name = "t", .op = "MutableHashTableV2", .attrs = table_attrs("ages")},
      {.name = "size", .op = "LookupTableSizeV2", .inputs = {"t"}},
      {.name = "_retval/0",
       .op = transfer::retval,
       .inputs = {"size"},
       .attrs = {{"T", DType::int64}, {"index", 0}}}};
  BOOST_TEST(std::get<0>(ask<Status, Registered>(device, Register{7, 1, nodes})).ok());
  self->send(device, StartStep{{7, 1}, 1, 0, {}});
  BOOST_TEST(next<StepDone>().fetches.at(0).value<int64_t>() == 0);
  BOOST_TEST(std::get<0>(ask<Status>(a, ResetContainers{{.names = {""}}})).ok());
  self->send(device, StartStep{{7, 2}, 1, 0, {}});
  auto status = next<StepDone>().status;
  BOOST_TEST((status.code() == Code::aborted), status.to_string());
  BOOST_TEST(status.message() == "hash table 'ages' is gone: its container was reset");
}

BOOST_AUTO_TEST_SUITE_END()
