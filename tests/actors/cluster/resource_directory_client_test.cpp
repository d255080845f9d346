#include "troupe/actors/cluster/resource_directory_client.hpp"

#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Devices = std::vector<std::string>;

/// Task a runs the directory service.
struct Fixture : NodesFixture {
  Devices find(const std::vector<std::string>& names) {
    FindResources request;
    for (const auto& name : names) request.names.push_back({"", name});
    auto [status, places] = ask<Status, ResourcePlaces>(a, request);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return places.devices;
  }
  Devices place(const std::vector<std::string>& names, const std::string& device) {
    PlaceResources request;
    for (const auto& name : names) request.names.push_back({"", name});
    request.devices.assign(names.size(), device);
    auto [status, places] = ask<Status, ResourcePlaces>(a, request);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return places.devices;
  }
};

const std::string a_device = "/job:a/task:0/device:CPU:0";
const std::string other_device = "/job:a/task:0/device:CPU:1";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(directory, Fixture)

BOOST_AUTO_TEST_CASE(finding_a_resource_places_none) {
  BOOST_TEST(find({"v"}) == Devices{""});
  BOOST_TEST(place({"v"}, other_device) == Devices{other_device});
  BOOST_TEST(find({"u", "v"}) == (Devices{"", other_device}));
}

BOOST_AUTO_TEST_CASE(all_resources_of_a_request_are_placed_or_none) {
  (void)place({"v"}, other_device);
  BOOST_TEST(place({"u", "v"}, a_device) == (Devices{"", other_device}));
  BOOST_TEST(find({"u"}) == Devices{""});
  BOOST_TEST(place({"u", "v"}, other_device) == (Devices{other_device, other_device}));
}

BOOST_AUTO_TEST_CASE(places_of_what_no_container_holds_are_forgotten_when_they_are_reconciled) {
  (void)place({"v"}, a_device);
  BOOST_TEST(std::get<0>(ask<Status>(a, Reconcile{{.names = {"other"}}})).ok());
  BOOST_TEST(find({"v"}) == Devices{a_device});
  BOOST_TEST(std::get<0>(ask<Status>(a, Reconcile{{.names = {""}}})).ok());
  BOOST_TEST(find({"v"}) == Devices{""});
}

BOOST_AUTO_TEST_SUITE_END()
