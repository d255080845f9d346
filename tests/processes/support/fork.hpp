#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <functional>
#include <utility>

namespace troupe::testing {

/// A forked child that runs `work`. Only while this process has no other threads.
class Fork {
 public:
  explicit Fork(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
  }
  ~Fork() { kill_it(); }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  void send(int signal) const { BOOST_REQUIRE(kill(pid_, signal) == 0); }
  void kill_it() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_;
};

}  // namespace troupe::testing
