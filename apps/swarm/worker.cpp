#include "troupe/apps/swarm/worker.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "troupe/graph/check.hpp"

namespace troupe::swarm {
namespace {

/// False at the end of the pipe, or when its other end is gone.
bool read_all(int file, void* memory, size_t bytes) {
  auto* next = static_cast<char*>(memory);
  for (ssize_t count; bytes > 0; next += count, bytes -= static_cast<size_t>(count))
    if (count = read(file, next, bytes); count <= 0) return false;
  return true;
}

bool write_all(int file, const void* memory, size_t bytes) {
  const auto* next = static_cast<const char*>(memory);
  for (ssize_t count; bytes > 0; next += count, bytes -= static_cast<size_t>(count))
    if (count = write(file, next, bytes); count <= 0) return false;
  return true;
}

}  // namespace

Worker::Worker(const Begin& begin) : errors_(memfd_create("errors", MFD_CLOEXEC)) {
  int numbers[2], answers[2];
  CHECK(errors_ >= 0 && pipe(numbers) == 0 && pipe(answers) == 0);
  auto parent = getpid();
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it ended before that was asked for
    close(numbers[1]);
    close(answers[0]);
    work(begin, numbers[0], answers[1]);
  }
  close(numbers[0]);
  close(answers[1]);
  numbers_ = numbers[1];
  answers_ = answers[0];
}

Worker::~Worker() {
  obituary();
  close(numbers_);
  close(answers_);
  close(errors_);
}

void Worker::work(const Begin& begin, int numbers, int answers) {
  dup2(errors_, STDERR_FILENO);
  auto work = begin();
  for (uint64_t number; read_all(numbers, &number, sizeof number);) {
    auto answer = work(number);
    auto bytes = answer.size();
    if (!write_all(answers, &bytes, sizeof bytes) || !write_all(answers, answer.data(), bytes))
      break;
  }
  _exit(0);
}

void Worker::give(uint64_t number) {
  CHECK(is_idle());
  number_ = number;
  given_at_ = Clock::now();
  // If it is gone, the next take() tells.
  (void)write_all(numbers_, &number, sizeof number);
}

std::optional<std::string> Worker::take() {
  size_t bytes = 0;
  if (!read_all(answers_, &bytes, sizeof bytes)) return std::nullopt;
  std::string answer(bytes, '\0');
  if (!read_all(answers_, answer.data(), bytes)) return std::nullopt;
  number_.reset();
  return answer;
}

std::string Worker::obituary() {
  if (pid_ < 0) return "";
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  std::string text =
      WIFSIGNALED(status)
          ? std::string("the process ended with SIG") + sigabbrev_np(WTERMSIG(status))
          : "the process ended with code " + std::to_string(WEXITSTATUS(status));
  auto bytes = lseek(errors_, 0, SEEK_END);
  std::string errors(static_cast<size_t>(bytes), '\0');
  lseek(errors_, 0, SEEK_SET);
  if (bytes > 0 && read_all(errors_, errors.data(), errors.size())) text += "\n" + errors;
  return text;
}

}  // namespace troupe::swarm
