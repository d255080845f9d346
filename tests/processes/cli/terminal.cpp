#include "troupe/tests/processes/cli/terminal.hpp"

#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "troupe/graph/support/check.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

Terminal::Terminal(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = forkpty(&screen_, nullptr, nullptr, nullptr);
  CHECK(pid_ >= 0);
  if (pid_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Terminal::~Terminal() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(screen_);
}

void Terminal::type(const std::string& keys) const {
  CHECK(write(screen_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

bool Terminal::read_some() {
  pollfd ready{.fd = screen_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, static_cast<int>(test_timeout.count())) != 1) return false;
  std::array<char, 4096> buffer{};
  auto got = read(screen_, buffer.data(), buffer.size());
  if (got > 0) shown_.append(buffer.data(), static_cast<size_t>(got));
  return got > 0;
}

bool Terminal::reads(const std::string& text) {
  for (;;) {
    if (auto at = shown_.find(text); at != std::string::npos) {
      shown_.erase(0, at + text.size());
      return true;
    }
    if (!read_some()) return false;
  }
}

int Terminal::wait() {
  while (read_some()) {
  }
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return -1;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace troupe::testing
