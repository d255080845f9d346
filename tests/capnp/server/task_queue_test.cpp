#include "troupe/capnp/server/task_queue.hpp"

#include <kj/async-io.h>

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <thread>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(task_queue)

BOOST_AUTO_TEST_CASE(a_task_that_throws_does_not_keep_others_from_running) {
  auto io = kj::setupAsyncIo();
  TaskQueue queue(io.unixEventPort);
  auto active = queue.activity().next();
  auto done = kj::newPromiseAndFulfiller<void>();
  std::thread poster([&] {
    queue.post([] { throw std::runtime_error("as a bug may"); });
    queue.post([&] { done.fulfiller->fulfill(); });
  });
  auto serving = queue.serve().eagerlyEvaluate(
      [](kj::Exception&& error) { BOOST_ERROR(error.getDescription().cStr()); });
  done.promise.wait(io.waitScope);
  BOOST_TEST(active.poll(io.waitScope));  // the tasks were activities
  poster.join();
  serving = nullptr;
  queue.close();
  BOOST_TEST(!queue.post([] {}));
}

BOOST_AUTO_TEST_SUITE_END()
