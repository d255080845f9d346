#include "troupe/tests/processes/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "troupe/graph/support/check.hpp"

namespace troupe::testing {
namespace {

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) entries.push_back(std::move(text));
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Calls only what is safe between fork() and exec() while other threads may hold locks.
[[noreturn]] void run_program(char** arguments, char** environment, int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

Process::Process(const Options& options) {
  std::vector<std::string> words = {options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  auto arguments = pointers_to(words);
  auto entries = environment_with(options.environment);
  auto environment = pointers_to(entries);

  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  CHECK(pipe2(output.data(), O_CLOEXEC) == 0 && pipe2(errors.data(), O_CLOEXEC) == 0);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) run_program(arguments.data(), environment.data(), output[1], errors[1]);
  close(output[1]);
  close(errors[1]);
  output_.fd = output[0];
  errors_.fd = errors[0];
}

Process::~Process() {
  if (!exit_code_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (auto* pipe : {&output_, &errors_})
    if (pipe->fd >= 0) close(pipe->fd);
}

void Process::send(int signal) const {
  CHECK(kill(pid_, signal) == 0);
  if (signal != SIGSTOP) return;
  // Its threads stop one by one, when they are next scheduled.
  siginfo_t stopped{};
  CHECK(waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT) == 0);
}

/// False at the deadline, or when both pipes have ended.
bool Process::read_some(Time deadline) {
  auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  std::array<pollfd, 2> polled = {pollfd{output_.fd, POLLIN, 0}, pollfd{errors_.fd, POLLIN, 0}};
  if (!is_open() || left.count() <= 0) return false;
  int ready = poll(polled.data(), polled.size(), static_cast<int>(left.count()));
  if (ready < 0) return errno == EINTR;
  for (auto* pipe : {&output_, &errors_}) {
    if (polled[pipe == &errors_].revents == 0) continue;
    std::array<char, 4096> bytes;
    auto count = read(pipe->fd, bytes.data(), bytes.size());
    if (count > 0) {
      pipe->text.append(bytes.data(), static_cast<size_t>(count));
    } else {
      close(pipe->fd);
      pipe->fd = -1;
    }
  }
  return ready > 0;
}

std::optional<std::string> Process::read_line(std::chrono::milliseconds timeout) {
  auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (auto end = output_.text.find('\n'); end != std::string::npos) {
      auto line = output_.text.substr(0, end);
      output_.text.erase(0, end + 1);
      return line;
    }
    if (output_.fd < 0 || !read_some(deadline)) return {};
  }
}

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  if (exit_code_) return exit_code_;
  // The pipes end with the process: nodes have no children that could hold them open.
  auto deadline = std::chrono::steady_clock::now() + timeout;
  while (read_some(deadline)) {
  }
  if (is_open()) return {};
  int status = 0;
  CHECK(waitpid(pid_, &status, 0) == pid_);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

}  // namespace troupe::testing
