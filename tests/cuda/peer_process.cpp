#include "troupe/tests/cuda/peer_process.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "troupe/devices/accelerator/peer_memory.hpp"
#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/waiting.hpp"
#include "troupe/tests/processes/support/process.hpp"

namespace troupe::testing {
namespace {

using accelerator::AcceleratorDevice;

constexpr int64_t elements = 16 << 20;  // 64 MiB

Tensor numbers() {
  auto made = Tensor::allocate(DType::int32, {elements});
  for (int64_t i = 0; i < elements; ++i)
    made->mutable_data<int32_t>()[i] = static_cast<int32_t>(i * 2'654'435'761);
  return *made;
}

/// A device without a test around it.
std::shared_ptr<AcceleratorDevice> open_card() {
  auto driver = (*card_library())->open(0);
  if (!driver) return nullptr;
  auto device = accelerator::make_accelerator_device(
      {.driver = *driver,
       .kernels = {},
       .host = make_cpu_device(),
       .memory = {.limit_bytes = uint64_t{256} << 20},
       .pinned = {}});
  return device ? *std::move(device) : nullptr;
}

std::string to_hex(const std::string& bytes) {
  std::string text;
  char digits[3];
  for (unsigned char byte : bytes) text += (std::snprintf(digits, 3, "%02x", byte), digits);
  return text;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return bytes;
}

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

sigset_t go_on() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}
void wait_for_signal() {
  auto set = go_on();
  int signal = 0;
  sigwait(&set, &signal);
}

int lend() {
  auto device = open_card();
  if (!device) return 2;
  {
    auto value = device->copy_in(numbers());
    if (!value) return 3;
    Waiting<Status> written;
    device->stream()->when_done(written.callback());
    if (!written.wait().ok()) return 4;
    auto region = accelerator::region_of(*value);
    if (!region) {
      say("none: " + region.status().to_string());
      return 0;
    }
    auto offset =
        static_cast<const char*>(value->raw()) - static_cast<const char*>((*region)->begin);
    const auto& name = (*region)->name;
    say(to_hex(name.handle) + " " + std::to_string(name.bytes) + " " + std::to_string(offset));
    wait_for_signal();
  }
  device->finish();
  device->trim();
  device->finish();
  say(std::to_string(device->bytes_reserved()));
  return 0;
}

/// Reads it before the signal and after that, and says of each what has become of it.
int borrow(const std::string& handle, uint64_t bytes, uint64_t offset) {
  auto device = open_card();
  if (!device) return 2;
  auto opened =
      accelerator::make_open_region({device})({.handle = from_hex(handle), .bytes = bytes});
  if (!opened) {
    say("none: " + opened.status().to_string());
    return 0;
  }
  auto read = [&]() -> std::string {
    auto lent = Tensor::alias(
        DType::int32, {elements}, (*opened)->data() + offset, [] {}, opened->get());
    auto copy = device->copy_in(lent);
    if (!copy) return copy.status().to_string();
    Waiting<Result<Tensor>> fetched;
    device->copy_to_host(*copy, fetched.callback());
    auto back = fetched.wait();
    if (!back) return back.status().to_string();
    return equal(*back, numbers()) ? "equal" : "other values";
  };
  say(read());
  wait_for_signal();
  auto again = read();
  *opened = nullptr;
  say(again);
  return 0;
}

Process start(std::vector<std::string> arguments) {
  return Process(
      {.program = "/proc/self/exe", .arguments = std::move(arguments), .environment = {}});
}

/// What the process says next; skips the case where memory cannot be shared here.
std::optional<std::string> next_line(Process& process) {
  auto line = process.read_line();
  BOOST_TEST_REQUIRE(line.has_value(), process.errors());
  if (!line->starts_with("none: ")) return line;
  BOOST_TEST_MESSAGE("skipped: memory is not shared between processes here: " << *line);
  return {};
}

std::vector<std::string> words_of(const std::string& line) {
  auto first = line.find(' '), second = line.find(' ', first + 1);
  return {
      line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

}  // namespace

std::optional<int> run_as_peer(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {};
  auto set = go_on();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // before there are other threads
  if (arguments[0] == "--lend") return lend();
  if (arguments[0] == "--borrow" && arguments.size() == 4)
    return borrow(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]));
  return {};
}

BOOST_AUTO_TEST_SUITE(peer_processes)

BOOST_AUTO_TEST_CASE(a_process_reads_a_tensor_on_the_card_of_another_one) {
  auto lender = start({"--lend"});
  auto place = next_line(lender);
  if (!place) return;
  auto words = words_of(*place);
  auto borrower = start({"--borrow", words[0], words[1], words[2]});
  auto read = next_line(borrower);
  if (!read) return;
  BOOST_TEST(*read == "equal");
  borrower.send(SIGUSR1);
  BOOST_TEST(borrower.read_line().value_or("nothing") == "equal");
  BOOST_TEST(borrower.wait().value_or(-1) == 0);
  lender.send(SIGUSR1);
  BOOST_TEST(lender.read_line().value_or("nothing") == "0");  // all is given back
  BOOST_TEST(lender.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_process_whose_lender_is_killed_gets_the_values_or_an_error) {
  auto lender = start({"--lend"});
  auto place = next_line(lender);
  if (!place) return;
  auto words = words_of(*place);
  auto borrower = start({"--borrow", words[0], words[1], words[2]});
  auto read = next_line(borrower);
  if (!read) return;
  BOOST_TEST(*read == "equal");
  lender.send(SIGKILL);
  BOOST_TEST(lender.wait().has_value());
  borrower.send(SIGUSR1);
  auto then = borrower.read_line();
  BOOST_TEST_REQUIRE(then.has_value());
  BOOST_TEST_MESSAGE("after the lender's end: " << *then);
  BOOST_TEST(borrower.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
