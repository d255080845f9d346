#include "troupe/actors/container/container_actor.hpp"

#include "troupe/devices/resources/variable.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const std::string here = "/job:a/task:0/device:CPU:0";
const std::string there = "/job:a/task:0/device:CPU:1";

/// The container "jobs", and plans that use variables of it.
struct Fixture : NodesFixture {
  ResourceKindCatalog kinds = make_resource_kind_catalog();
  std::shared_ptr<ResourceIndex> index = std::make_shared<ResourceIndex>();
  ContainerActor container = spawn_container(system, "jobs", index);

  ~Fixture() { caf::anon_send_exit(container, caf::exit_reason::kill); }

  /// What a graph uses that assigns variables, or only reads them.
  std::vector<ResourceUse> uses_of(
      const std::vector<std::string>& names, bool assigns, Shape shape = {}) {
    auto graph = std::make_shared<Graph>(catalog);
    auto add = [&](NodeDef def) { BOOST_REQUIRE(graph->add(std::move(def)).ok()); };
    add(
        {.name = "one",
         .op = "Const",
         .attrs = {{"value", Tensor::scalar(1.0f)}, {"dtype", DType::float32}}});
    for (const auto& name : names) {
      add(
          {.name = name,
           .op = "VarHandleOp",
           .attrs = {{"dtype", DType::float32}, {"shape", shape}, {"container", "jobs"}}});
      add({.name = "passed_" + name, .op = "Identity", .inputs = {name}});
      if (assigns)
        add(
            {.name = "set_" + name,
             .op = "AssignVariableOp",
             .inputs = {"passed_" + name, "one"},
             .attrs = {}});
      else
        add(
            {.name = "of_" + name,
             .op = "ReadVariableOp",
             .inputs = {name},
             .attrs = {{"dtype", DType::float32}}});
    }
    auto uses = resources_of(graph, kinds);
    BOOST_REQUIRE(uses.ok());
    return *uses;
  }
  std::pair<Status, Bindings> bind(
      std::vector<ResourceUse> uses, const std::string& device = here) {
    auto [status, bindings] = ask<Status, Bindings>(container, Bind{device, std::move(uses)});
    return {status, bindings};
  }
  NewResources created(const std::vector<std::string>& names) {
    auto [status, bindings] = bind(uses_of(names, /*assigns=*/true));
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return bindings.created;
  }
  Code commit(const NewResources& resources) {
    return std::get<0>(ask<Status>(container, Commit{here, resources})).code();
  }
  std::vector<std::string> held() {
    std::vector<std::string> names;
    auto answer = std::get<0>(ask<HeldResources>(container, ListHeldResources{}));
    for (const auto& name : answer.names) names.push_back(name.name);
    BOOST_TEST(index->all().size() == names.size());  // CO-3
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(container_actor, Fixture)

BOOST_AUTO_TEST_CASE(a_resource_is_held_from_its_commit_on) {
  auto made = created({"v"});
  BOOST_REQUIRE(made.size() == 1u);
  BOOST_TEST((made[0].name == ResourceName{"jobs", "v"}));
  BOOST_TEST(held() == Names());
  BOOST_TEST((commit(made) == Code::ok));
  BOOST_TEST(held() == Names{"v"});
  auto [status, bindings] = bind(uses_of({"v"}, /*assigns=*/true));
  BOOST_TEST(bindings.created.empty());
  BOOST_REQUIRE(bindings.resources.size() == 1u);
  BOOST_TEST((bindings.resources.begin()->second == made[0].resource));
}

BOOST_AUTO_TEST_CASE(what_a_plan_only_reads_is_not_brought_into_being) {
  auto [status, bindings] = bind(uses_of({"v"}, /*assigns=*/false));
  BOOST_TEST(status.ok());
  BOOST_TEST(bindings.created.empty());
  BOOST_TEST(bindings.absent.size() == 1u);
  BOOST_TEST(bindings.resources.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_name_stands_for_one_resource_and_a_commit_takes_all_or_none) {
  auto first = created({"v"}), second = created({"u", "v"});
  BOOST_TEST((commit(first) == Code::ok));
  BOOST_TEST((commit(second) == Code::aborted));
  BOOST_TEST(held() == Names{"v"});
}

BOOST_AUTO_TEST_CASE(what_is_withdrawn_is_gone_unless_another_plan_is_bound_to_it) {
  auto made = created({"v"}), other = created({"v"});
  BOOST_TEST((commit(made) == Code::ok));
  self->send(container, Withdraw{other});  // another resource of the name
  BOOST_TEST(held() == Names{"v"});
  self->send(container, Withdraw{made});
  BOOST_TEST(held() == Names());
  BOOST_TEST(made[0].resource->is_dropped());
  BOOST_TEST((commit(other) == Code::ok));
  (void)bind(uses_of({"v"}, /*assigns=*/false));
  self->send(container, Withdraw{other});
  BOOST_TEST(held() == Names{"v"});
}

BOOST_AUTO_TEST_CASE(a_resource_of_another_device_is_refused_or_to_be_placed_again) {
  BOOST_TEST((commit(created({"v"})) == Code::ok));
  auto uses = uses_of({"v"}, /*assigns=*/false);
  auto refused = bind(uses, there).first;
  BOOST_TEST((refused.code() == Code::failed_precondition), refused.to_string());
  for (const auto& device : {here, there})
    BOOST_TEST(refused.message().find(device) != std::string::npos);
  uses[0].is_pinned = false;
  BOOST_TEST((bind(uses, there).first.code() == Code::aborted));
}

BOOST_AUTO_TEST_CASE(a_resource_that_is_declared_otherwise_is_refused) {
  BOOST_TEST((commit(created({"v"})) == Code::ok));
  auto status = bind(uses_of({"v"}, /*assigns=*/false, {3})).first;
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(
      status.message() ==
      "variable 'v' of container 'jobs' is float32[], but the graph declares it as float32[3]; "
      "reset the container or choose another name");
}

BOOST_AUTO_TEST_CASE(a_reset_drops_all_and_the_container_goes_on) {
  auto made = created({"u", "v"});
  BOOST_TEST((commit(made) == Code::ok));
  self->send(container, ResetContainer{});
  BOOST_TEST(held() == Names());
  for (const auto& resource : made) BOOST_TEST(resource.resource->is_dropped());
  BOOST_TEST((commit(created({"v"})) == Code::ok));
  BOOST_TEST(held() == Names{"v"});
}

BOOST_AUTO_TEST_SUITE_END()
