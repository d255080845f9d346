#include "troupe/graph/draw/device_starts.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;
using Time = std::chrono::nanoseconds;

namespace {

/// Three devices in a row; the report of each reaches the master 100 us after the launch.
struct DeviceStartsOfAStepFixture {
  RunMetadata metadata{
      {{.device = "a", .end = 100us, .duration = 60us, .nodes = {}, .graph = {}},
       {.device = "b", .end = 100us, .duration = 60us, .nodes = {}, .graph = {}},
       {.device = "c", .end = 100us, .duration = 60us, .nodes = {}, .graph = {}}}};

  /// A tensor that left and arrived then, by the clocks of its devices.
  void cross(size_t from, Time sent, size_t to, Time arrived) {
    auto edge = std::to_string(edges++);
    auto& devices = metadata.devices;
    devices[from].nodes.push_back(
        {.node = "_send/" + edge,
         .op = "_Send",
         .begin = sent,
         .end = sent + 1us,
         .tensor = "x:0",
         .peer = devices[to].device});
    devices[to].nodes.push_back(
        {.node = "_recv/" + edge,
         .op = "_Recv",
         .begin = 0us,
         .end = arrived,
         .tensor = "x:0",
         .peer = devices[from].device});
  }
  std::vector<DeviceStart> starts() const {
    return device_starts(metadata, tensor_transfers_of(metadata));
  }
  void check(const DeviceStart& start, Time at, Time uncertainty) {
    BOOST_TEST((start.at - at).count() <= 1);
    BOOST_TEST((at - start.at).count() <= 1);
    BOOST_TEST((start.uncertainty - uncertainty).count() <= 1);
    BOOST_TEST((uncertainty - start.uncertainty).count() <= 1);
  }

  int edges = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(device_starts_of_a_step, DeviceStartsOfAStepFixture)

BOOST_AUTO_TEST_CASE(without_tensors_messages_are_taken_for_equally_fast_both_ways) {
  BOOST_TEST_REQUIRE(starts().size() == 3u);
  for (const auto& start : starts()) check(start, 20us, 20us);
}

BOOST_AUTO_TEST_CASE(a_tensor_tells_that_its_receiver_began_later_and_its_sender_earlier) {
  cross(0, 40us, 1, 10us);  // b began 30 us after a, or later
  auto found = starts();
  BOOST_TEST_REQUIRE(found.size() == 3u);
  check(found[0], 5us, 5us);
  check(found[1], 35us, 5us);
  check(found[2], 20us, 20us);
}

BOOST_AUTO_TEST_CASE(tensors_tell_of_devices_beyond_their_own) {
  cross(1, 30us, 2, 10us);  // in this order, c is told before b
  cross(0, 20us, 1, 10us);
  auto found = starts();
  BOOST_TEST_REQUIRE(found.size() == 3u);
  check(found[0], 5us, 5us);
  check(found[1], 15us, 5us);
  check(found[2], 35us, 5us);
}

BOOST_AUTO_TEST_CASE(every_tensor_arrives_after_it_was_sent) {
  cross(0, 30us, 1, 10us);
  cross(1, 20us, 2, 15us);
  cross(2, 1us, 0, 50us);
  auto found = starts();
  BOOST_TEST_REQUIRE(found.size() == 3u);
  for (const auto& [from, to, send, recv] : tensor_transfers_of(metadata))
    BOOST_TEST((found[from].at + send->begin < found[to].at + recv->end));
}

BOOST_AUTO_TEST_CASE(devices_that_read_the_masters_clock_began_exactly_when_they_say) {
  metadata.clock = "host";
  metadata.launched = 1000us;
  for (size_t i = 0; i < 2; ++i) {
    metadata.devices[i].clock = "host";
    metadata.devices[i].started = 1007us + 5us * i;
  }
  auto found = starts();
  BOOST_TEST_REQUIRE(found.size() == 3u);
  check(found[0], 7us, 0us);
  check(found[1], 12us, 0us);
  check(found[2], 20us, 20us);
}

BOOST_AUTO_TEST_CASE(devices_of_another_host_began_as_far_apart_as_they_say) {
  metadata.clock = "host";
  for (size_t i = 0; i < 2; ++i) {
    metadata.devices[i].clock = "other host";
    metadata.devices[i].started = 5us + 30us * i;
  }
  auto found = starts();  // the second may have begun at 40 us, so the first at 10 us
  BOOST_TEST_REQUIRE(found.size() == 3u);
  check(found[0], 5us, 5us);
  check(found[1], 35us, 5us);
}

BOOST_AUTO_TEST_CASE(what_one_device_of_a_host_is_told_holds_for_the_others) {
  for (size_t i = 0; i < 2; ++i) {
    metadata.devices[i].clock = "host";
    metadata.devices[i].started = 100us;
  }
  cross(2, 40us, 0, 10us);  // a began 30 us after c, or later, and so did b
  auto found = starts();
  BOOST_TEST_REQUIRE(found.size() == 3u);
  check(found[0], 35us, 5us);
  check(found[1], 35us, 5us);
  check(found[2], 5us, 5us);
}

BOOST_AUTO_TEST_CASE(clocks_that_contradict_each_other_give_nothing) {
  cross(0, 51us, 1, 10us);  // 41 us later, where at most 40 us are open
  BOOST_TEST(starts().empty());
  metadata.devices[0].nodes.clear();
  metadata.devices[1].nodes.clear();
  cross(0, 11us, 1, 10us);
  cross(1, 11us, 0, 10us);  // each began later than the other
  BOOST_TEST(starts().empty());
}

BOOST_AUTO_TEST_CASE(a_send_without_its_recv_is_no_transfer) {
  cross(0, 1us, 1, 10us);
  BOOST_TEST(tensor_transfers_of(metadata).size() == 1u);
  metadata.devices[0].nodes[0].peer = "c";
  BOOST_TEST(tensor_transfers_of(metadata).empty());
  metadata.devices[0].nodes.clear();
  BOOST_TEST(tensor_transfers_of(metadata).empty());
}

BOOST_AUTO_TEST_SUITE_END()
