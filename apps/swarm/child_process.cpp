#include "troupe/apps/swarm/child_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "troupe/graph/support/check.hpp"

namespace troupe::swarm {
namespace {

/// False at the end of the file, or on an error.
bool read_all(int file, void* memory, size_t bytes) {
  auto* next = static_cast<char*>(memory);
  for (ssize_t count; bytes > 0; next += count, bytes -= static_cast<size_t>(count))
    if (count = read(file, next, bytes); count <= 0) return false;
  return true;
}

/// False if the reader has closed the pipe.
bool write_all(int file, const void* memory, size_t bytes) {
  const auto* next = static_cast<const char*>(memory);
  for (ssize_t count; bytes > 0; next += count, bytes -= static_cast<size_t>(count))
    if (count = write(file, next, bytes); count <= 0) return false;
  return true;
}

}  // namespace

ChildProcess::ChildProcess(const MakeTest& make_test)
    : errors_(memfd_create("errors", MFD_CLOEXEC)) {
  int seeds[2], results[2];
  CHECK(errors_ >= 0 && pipe(seeds) == 0 && pipe(results) == 0);
  auto parent = getpid();
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // the parent ended before prctl()
    close(seeds[1]);
    close(results[0]);
    run(make_test, seeds[0], results[1]);
  }
  close(seeds[0]);
  close(results[1]);
  seeds_ = seeds[1];
  results_ = results[0];
}

ChildProcess::~ChildProcess() {
  exit_report();
  close(seeds_);
  close(results_);
  close(errors_);
}

void ChildProcess::run(const MakeTest& make_test, int seeds, int results) {
  dup2(errors_, STDERR_FILENO);
  auto test = make_test();
  for (uint64_t seed; read_all(seeds, &seed, sizeof seed);) {
    auto result = test(seed);
    auto bytes = result.size();
    if (!write_all(results, &bytes, sizeof bytes) || !write_all(results, result.data(), bytes))
      break;
  }
  _exit(0);
}

void ChildProcess::start(uint64_t seed) {
  CHECK(is_idle());
  seed_ = seed;
  started_at_ = Clock::now();
  // If the process has ended, the next read_result() reports it.
  (void)write_all(seeds_, &seed, sizeof seed);
}

std::optional<std::string> ChildProcess::read_result() {
  size_t bytes = 0;
  if (!read_all(results_, &bytes, sizeof bytes)) return std::nullopt;
  std::string result(bytes, '\0');
  if (!read_all(results_, result.data(), bytes)) return std::nullopt;
  seed_.reset();
  return result;
}

std::string ChildProcess::exit_report() {
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
