#include "troupe/devices/local_devices.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace troupe;

namespace {

std::vector<std::shared_ptr<Device>> make(LocalDeviceOptions options) {
  options.count.try_emplace("GPU", 0);
  auto devices = make_local_devices(options);
  BOOST_TEST_REQUIRE(devices.ok(), devices.status().to_string());
  return *std::move(devices);
}

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
  auto devices = make({});
  BOOST_TEST_REQUIRE(devices.size() == 1u);
  BOOST_TEST(devices[0]->attributes().type == "CPU");
  for (auto text : {"CPU:0", "cpu:0", "CPU"}) BOOST_TEST(make(seeing(text)).size() == 1u);
}

BOOST_AUTO_TEST_CASE(several_cpu_devices_share_threads_and_memory) {
  auto devices = make(counting("CPU", 2));
  BOOST_TEST_REQUIRE(devices.size() == 2u);
  BOOST_TEST(devices[1]->attributes().index == 1);
  BOOST_TEST(devices[1]->attributes().memory_limit == 1000u);
  auto* memory = devices[0]->allocator().allocate(600);
  BOOST_TEST(memory != nullptr);
  BOOST_TEST(devices[1]->allocator().allocate(600) == nullptr);
  devices[0]->allocator().deallocate(memory, 600);
}

BOOST_AUTO_TEST_CASE(what_the_machine_has_not_is_refused_with_what_it_has) {
  BOOST_TEST(fault_of(seeing("GPU:63"))
                 .starts_with("there is no device 'GPU:63'; this machine has: CPU:0"));
  BOOST_TEST(fault_of(seeing("CPU:1")) == "there is no device 'CPU:1'; this machine has: CPU:0");
  BOOST_TEST(fault_of(seeing("none")) == "there is no device 'none'; this machine has: CPU:0");
  BOOST_TEST(
      fault_of(counting("GPU", 60))
          .starts_with("there are not as many devices as 'GPU=60'; this machine has: CPU:0"));
  BOOST_TEST(
      fault_of(counting("TPU", 1)) ==
      "there are not as many devices as 'TPU=1'; this machine has: CPU:0");
  BOOST_TEST(fault_of(counting("GPU", -1)) == "'GPU=-1': a task has from 1 to 64 GPU devices");
  BOOST_TEST(fault_of(counting("CPU", 0)) == "'CPU=0': a task has from 1 to 64 CPU devices");
  BOOST_TEST(check(counting("GPU", 0)).ok());
}

BOOST_AUTO_TEST_CASE(what_is_said_of_gpus_is_checked_before_any_is_used) {
  for (double fraction : {-0.5, 1.5, std::nan("")})
    BOOST_TEST(fault_of({.gpu = {.memory_fraction = fraction}})
                   .starts_with("a fraction of a GPU's memory"));
  BOOST_TEST(fault_of({.gpu = {.cards = {1000}}}).starts_with("there is no GPU, as "));
  // Who wants none need not have what it asks for.
  BOOST_TEST(check({.count = {{"GPU", 0}}, .gpu = {.cards = {1000}}}).ok());
  BOOST_TEST(check({.visible = {"CPU:0"}, .gpu = {.cards = {1000}}}).ok());
}

BOOST_AUTO_TEST_CASE(the_host_device_is_the_first_that_computes_in_the_memory_of_the_host) {
  auto devices = make(counting("CPU", 2));
  BOOST_TEST(find_host_device(devices) == devices[0]);
  BOOST_TEST(find_host_device({}) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
