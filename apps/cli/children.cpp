#include "troupe/apps/cli/children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace troupe::cli {
namespace {

constexpr int exit_not_started = 127;
// Ended children have closed their output, but what they started may hold it open.
constexpr int look_again_ms = 100;
// A node ends five seconds after SIGTERM at the latest.
constexpr std::chrono::seconds stop_time(8);
// A line that does not end is passed on in pieces.
constexpr size_t line_bytes_max = 1 << 16;

/// In the child. Writes errno to `failed` where the program cannot be started.
[[noreturn]] void become(const Children::Command& command, int output, int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A terminal's Ctrl-C goes to the parent, which stops all in order, and to the client, which
  // reads from the terminal and so must be in the group that has it.
  if (!command.is_client) setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  if (!command.is_client) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  auto error = errno;
  [[maybe_unused]] auto written = write(failed, &error, sizeof error);
  _exit(exit_not_started);
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Children::~Children() {
  signal_all(SIGKILL);
  for (auto& child : children_) {
    if (child->pid > 0) waitpid(child->pid, nullptr, 0);
    if (child->output >= 0) close(child->output);
  }
}

Status Children::start(const Command& command) {
  std::array<int, 2> output{}, failed{};
  if (pipe2(output.data(), O_CLOEXEC) != 0)
    return resource_exhausted(std::string("no pipe: ") + std::strerror(errno));
  if (pipe2(failed.data(), O_CLOEXEC) != 0) {
    for (auto end : output) close(end);
    return resource_exhausted(std::string("no pipe: ") + std::strerror(errno));
  }
  auto pid = fork();
  if (pid == 0) become(command, output[1], failed[1]);
  close(output[1]);
  close(failed[1]);
  int error = pid < 0 ? errno : 0;
  [[maybe_unused]] auto got = read(failed[0], &error, sizeof error);
  close(failed[0]);
  if (error != 0) {
    close(output[0]);
    if (pid > 0) waitpid(pid, nullptr, 0);
    return not_found("cannot run " + command.words.front() + ": " + std::strerror(error));
  }
  auto child = std::make_unique<Child>();
  child->label = command.label;
  child->pid = pid;
  child->output = output[0];
  child->is_client = command.is_client;
  children_.push_back(std::move(child));
  return {};
}

int Children::run() {
  while (!is_over()) {
    std::vector<pollfd> polled{{.fd = interrupt_.descriptor(), .events = POLLIN, .revents = 0}};
    for (const auto& child : children_)
      polled.push_back({.fd = child->output, .events = POLLIN, .revents = 0});
    poll(polled.data(), polled.size(), look_again_ms);
    if (polled[0].revents != 0) take_signal();
    if (is_stopping_ && std::chrono::steady_clock::now() >= killed_at_) signal_all(SIGKILL);
    for (size_t i = 0; i < children_.size(); ++i)
      if (polled[i + 1].revents != 0) pass_on(*children_[i]);
    collect_ended();
  }
  return exit_code_;
}

void Children::take_signal() {
  auto signal = interrupt_.take();
  if (signal == 0) return;
  if (exit_code_ == 0) exit_code_ = 128 + signal;
  if (is_stopping_) signal_all(SIGKILL);
  else stop_all();
}

void Children::collect_ended() {
  for (auto& child : children_) {
    int status = 0;
    if (child->pid < 0 || waitpid(child->pid, &status, WNOHANG) != child->pid) continue;
    pass_on(*child);
    child->pid = -1;
    auto code = exit_code_of(status);
    if (is_stopping_ || (code == 0 && !child->is_client)) continue;
    if (!child->is_client)
      print(*child, "ended with exit code " + std::to_string(code) + "; stopping the others");
    exit_code_ = code;
    stop_all();
  }
}

void Children::stop_all() {
  is_stopping_ = true;
  killed_at_ = std::chrono::steady_clock::now() + stop_time;
  signal_all(SIGTERM);
}

bool Children::is_over() const {
  return std::ranges::all_of(children_, [](const auto& child) { return child->pid < 0; });
}

void Children::signal_all(int signal) {
  for (const auto& child : children_)
    if (child->pid > 0) kill(child->is_client ? child->pid : -child->pid, signal);
}

/// All that is there to be read, in whole lines.
void Children::pass_on(Child& child) {
  std::array<char, 16384> buffer{};
  while (child.output >= 0) {
    pollfd ready{.fd = child.output, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 0) <= 0) return;
    auto got = read(child.output, buffer.data(), buffer.size());
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      close(std::exchange(child.output, -1));
      if (!child.line.empty()) print(child, std::exchange(child.line, {}));
      return;
    }
    child.line.append(buffer.data(), static_cast<size_t>(got));
    size_t begin = 0;
    for (auto end = child.line.find('\n'); end != std::string::npos;
         begin = end + 1, end = child.line.find('\n', begin))
      print(child, std::string_view(child.line).substr(begin, end - begin));
    child.line.erase(0, begin);
    if (child.line.size() > line_bytes_max) print(child, std::exchange(child.line, {}));
  }
}

void Children::print(const Child& child, std::string_view line) const {
  std::printf("[%s] %.*s\n", child.label.c_str(), static_cast<int>(line.size()), line.data());
  std::fflush(stdout);
}

}  // namespace troupe::cli
