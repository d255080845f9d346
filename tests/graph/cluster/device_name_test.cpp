#include "troupe/graph/cluster/device_name.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(device_name)

namespace {

DeviceName parsed(std::string_view text) {
  auto name = DeviceName::parse(text);
  BOOST_TEST_REQUIRE(name.ok(), name.status().to_string());
  return *name;
}

std::string spelled(std::string_view text) { return parsed(text).to_string(); }

std::string fault_of(std::string_view text) {
  auto name = DeviceName::parse(text);
  BOOST_TEST_REQUIRE(!name.ok(), "no fault found in " << text);
  BOOST_TEST((name.status().code() == Code::invalid_argument));
  return name.status().message();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_full_name_keeps_its_spelling) {
  auto name = parsed("/job:ps/task:0/device:CPU:0");
  BOOST_TEST(name.is_full());
  BOOST_TEST(*name.job == "ps");
  BOOST_TEST(*name.task == 0);
  BOOST_TEST(*name.type == "CPU");
  BOOST_TEST(*name.index == 0);
  BOOST_TEST(name.to_string() == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(the_spellings_of_tensorflow_mean_the_same) {
  BOOST_TEST(spelled("/cpu:0") == "/device:CPU:0");
  BOOST_TEST(spelled("/GPU:1") == "/device:GPU:1");
  BOOST_TEST(spelled("/device:gpu:2") == "/device:GPU:2");
  BOOST_TEST(spelled("/device:XLA_CPU:0") == "/device:XLA_CPU:0");
  BOOST_TEST(spelled("/task:1/cpu:0/job:worker") == "/job:worker/task:1/device:CPU:0");
  BOOST_TEST(spelled("/job:ps/replica:0/task:3") == "/job:ps/task:3");
  BOOST_TEST(spelled("cpu:0") == "/device:CPU:0");
  BOOST_TEST(spelled("job:ps/task:1") == "/job:ps/task:1");
}

BOOST_AUTO_TEST_CASE(open_fields_are_left_out) {
  BOOST_TEST((parsed("") == DeviceName()));
  BOOST_TEST((parsed("/") == DeviceName()));
  BOOST_TEST((parsed("/job:*/replica:*/task:*/device:*:*") == DeviceName()));
  BOOST_TEST(spelled("/job:ps") == "/job:ps");
  BOOST_TEST(spelled("/device:GPU") == "/device:GPU:*");
  BOOST_TEST(spelled("/device:GPU:*") == "/device:GPU:*");
  BOOST_TEST(spelled("/cpu") == "/device:CPU:*");
  BOOST_TEST(spelled("/job:ps/GPU") == "/job:ps/device:GPU:*");
  BOOST_TEST(spelled("/device:*:1") == "/device:*:1");
  BOOST_TEST(!parsed("/job:ps/task:0").is_full());
}

BOOST_AUTO_TEST_CASE(a_spelled_name_parses_to_itself) {
  for (auto text :
       {"", "/job:a_1", "/task:7", "/device:CPU:*", "/device:*:3", "/job:a/device:TPU:9"})
    BOOST_TEST((parsed(spelled(text)) == parsed(text)));
}

BOOST_AUTO_TEST_CASE(a_fault_quotes_the_name_and_says_what_is_wrong) {
  BOOST_TEST(
      fault_of("/tsk:0") ==
      "device name '/tsk:0': unknown field 'tsk' (expected job, replica, "
      "task, device, cpu or gpu)");
  BOOST_TEST(fault_of("/job:ps/") == "device name '/job:ps/': '' has no ':'");
  BOOST_TEST(
      fault_of("/job:1a") ==
      "device name '/job:1a': job '1a' must be a letter followed by letters, digits or '_'");
  BOOST_TEST(
      fault_of("/task:-1") == "device name '/task:-1': task index '-1' must be a number or '*'");
  BOOST_TEST(fault_of("/cpu:") == "device name '/cpu:': device index '' must be a number or '*'");
  BOOST_TEST(fault_of("/replica:1") == "device name '/replica:1': replica must be 0");
  BOOST_TEST(
      fault_of("/cpu:0/device:GPU:0") ==
      "device name '/cpu:0/device:GPU:0': field 'device' is given twice");
  BOOST_TEST(
      fault_of("/device::0") ==
      "device name '/device::0': device type '' must be a word such as CPU, or '*'");
  for (auto text :
       {"//cpu:0", "/job", "/task:99999999999", "/task:0x1", "/cpu:0:1", "/cpu:+1", " /cpu:0"})
    fault_of(text);
}

BOOST_AUTO_TEST_CASE(a_device_satisfies_what_leaves_open_or_agrees) {
  auto device = parsed("/job:worker/task:1/device:GPU:0");
  for (auto constraint :
       {"", "/job:worker", "/task:1", "/gpu:*", "/device:*:0", "/job:worker/task:1/gpu:0"})
    BOOST_TEST(device.satisfies(parsed(constraint)), constraint);
  for (auto constraint : {"/job:ps", "/task:0", "/cpu:*", "/gpu:1"})
    BOOST_TEST(!device.satisfies(parsed(constraint)), constraint);
  BOOST_TEST(!parsed("/job:worker").satisfies(device));
}

BOOST_AUTO_TEST_CASE(a_fallback_fills_open_fields_only) {
  auto fallback = parsed("/job:worker/task:1/cpu:0");
  BOOST_TEST(parsed("").or_else(fallback).to_string() == "/job:worker/task:1/device:CPU:0");
  BOOST_TEST(
      parsed("/job:ps/task:0").or_else(fallback).to_string() == "/job:ps/task:0/device:CPU:0");
  BOOST_TEST(parsed("/gpu:2").or_else(parsed("/job:ps")).to_string() == "/job:ps/device:GPU:2");
}

BOOST_AUTO_TEST_CASE(a_task_has_a_name) { BOOST_TEST(task_name("ps", 3) == "/job:ps/task:3"); }

BOOST_AUTO_TEST_SUITE_END()
