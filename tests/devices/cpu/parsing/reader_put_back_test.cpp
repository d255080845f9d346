#include "troupe/tests/devices/cpu/parsing/reading.hpp"

namespace troupe::testing {
namespace {

std::string record(const std::string& name) {
  return "string[] [\"" + name + "\"]; string[] [\"" + name + "\"]";
}

constexpr auto ended =
    "OutOfRange: FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size "
    "0)";

}  // namespace

BOOST_AUTO_TEST_SUITE(reader_put_back)

BOOST_AUTO_TEST_CASE(a_record_that_is_put_back_goes_to_who_waits_for_the_next_file) {
  Reading reading("IdentityReaderV2");
  reading.enqueue("a");
  auto first = reading.start("ReaderRead");
  BOOST_TEST(first->end() == record("a"));
  auto waiting = reading.start("ReaderRead");
  first->end_step(cancelled("by its client"));
  BOOST_TEST(waiting->end() == record("a"));
  waiting->end_step(unavailable("its master is lost"));
  reading("ReaderReset");
  reading.enqueue("b");
  BOOST_TEST(reading.read() == record("b"));
}

BOOST_AUTO_TEST_CASE(a_reader_has_not_ended_while_a_record_is_about_to_come_back) {
  for (const std::string op : {"ReaderRead", "ReaderReadUpTo"}) {
    Reading reading("IdentityReaderV2");
    auto read = [&] {
      return reading.start(
          op, op == "ReaderRead" ? Tensors() : Tensors{Tensor::scalar<int64_t>(1)});
    };
    reading.enqueue("a");
    auto first = read();
    auto taken = first->end();
    BOOST_TEST(taken.find("\"a\"") != std::string::npos);
    reading.close();
    first->fail_step(cancelled("by its client"));
    auto next = read();
    reading.let_work();
    first->end_step(cancelled("by its client"));
    BOOST_TEST(next->end() == taken);
    BOOST_TEST(read()->end() == ended);
  }
}

BOOST_AUTO_TEST_CASE(a_reader_has_ended_once_a_record_does_not_come_back) {
  Reading reading("IdentityReaderV2");
  reading.enqueue("a");
  auto first = reading.start("ReaderRead");
  BOOST_TEST(first->end() == record("a"));
  reading.close();
  first->fail_step(invalid_argument("x"));
  BOOST_TEST(reading.read() == ended);
}

BOOST_AUTO_TEST_CASE(a_read_that_waits_for_a_record_to_come_back_can_be_cancelled_and_dropped) {
  Reading reading("IdentityReaderV2");
  reading.enqueue("a");
  auto first = reading.start("ReaderRead");
  BOOST_TEST(first->end() == record("a"));
  reading.close();
  first->fail_step(cancelled("by its client"));
  auto next = reading.start("ReaderRead");
  reading.let_work();
  next->cancel();
  BOOST_TEST(next->end() == "Cancelled: the read was cancelled");
  auto last = reading.start("ReaderRead");
  reading.let_work();
  reading.reader->drop();
  BOOST_TEST(last->end() == "Aborted: reader 'r' is gone: its container was reset");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
