#include "troupe/devices/local_devices.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

namespace {

std::string fault_of(const LocalDeviceOptions& options) {
  auto status = check(options);
  BOOST_TEST(!status.ok());
  return status.message();
}

LocalDeviceOptions seeing(const std::string& device) {
  return {.visible = {device}, .count = {}, .cpu = {}};
}
LocalDeviceOptions counting(const std::string& type, int count) {
  return {.visible = {}, .count = {{type, count}}, .cpu = {.threads = 1, .memory_limit = 1000}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(local_devices)

BOOST_AUTO_TEST_CASE(a_task_has_the_processor_unless_told_otherwise) {
  auto devices = make_local_devices({});
  BOOST_TEST_REQUIRE(devices.size() == 1u);
  BOOST_TEST(devices[0]->attributes().type == "CPU");
  for (auto text : {"CPU:0", "cpu:0", "CPU"})
    BOOST_TEST(make_local_devices(seeing(text)).size() == 1u);
}

BOOST_AUTO_TEST_CASE(several_cpu_devices_share_threads_and_memory) {
  auto devices = make_local_devices(counting("CPU", 2));
  BOOST_TEST_REQUIRE(devices.size() == 2u);
  BOOST_TEST(devices[1]->attributes().index == 1);
  BOOST_TEST(devices[1]->attributes().memory_limit == 1000u);
  auto* memory = devices[0]->allocator().allocate(600);
  BOOST_TEST(memory != nullptr);
  BOOST_TEST(devices[1]->allocator().allocate(600) == nullptr);
  devices[0]->allocator().deallocate(memory, 600);
}

BOOST_AUTO_TEST_CASE(what_the_machine_has_not_is_refused_with_what_it_has) {
  BOOST_TEST(fault_of(seeing("GPU:0")) == "there is no device 'GPU:0'; this machine has: CPU:0");
  BOOST_TEST(fault_of(seeing("CPU:1")) == "there is no device 'CPU:1'; this machine has: CPU:0");
  BOOST_TEST(fault_of(seeing("none")) == "there is no device 'none'; this machine has: CPU:0");
  BOOST_TEST(
      fault_of(counting("GPU", 1)) ==
      "there are not as many devices as 'GPU=1'; this machine has: CPU:0");
  BOOST_TEST(fault_of(counting("CPU", 0)) == "'CPU=0': a task has from 1 to 64 CPU devices");
  BOOST_TEST(check(counting("GPU", 0)).ok());
}

BOOST_AUTO_TEST_SUITE_END()
