#include "troupe/apps/swarm/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace troupe::swarm {
namespace {

constexpr std::chrono::milliseconds draw_period{100};
constexpr std::chrono::seconds line_period{10};
constexpr size_t bar_width_min = 10;
constexpr size_t bar_width_max = 50;

size_t terminal_width(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string figures(const Progress& progress) {
  char text[120];
  std::snprintf(
      text, sizeof text, "%lu seeds  %.0f seeds/s  %lu failed", progress.done,
      progress.seeds_per_second(), progress.failed);
  std::string line = text;
  if (!progress.left) return line;
  auto left = static_cast<int64_t>(std::ceil(*progress.left));
  std::snprintf(text, sizeof text, "  %ld:%02ld left", left / 60, left % 60);
  return line + text;
}

}  // namespace

std::string bar_line(const Progress& progress, size_t width) {
  auto tail = figures(progress);
  if (tail.size() + bar_width_min + 3 > width) return tail.substr(0, width);
  auto length = std::min(width - tail.size() - 3, bar_width_max);
  auto filled =
      static_cast<size_t>(std::clamp(progress.share, 0.0, 1.0) * static_cast<double>(length));
  auto bar = std::string(filled, '=') + std::string(length - filled, ' ');
  if (filled > 0 && filled < length) bar[filled] = '>';
  return "[" + bar + "] " + tail;
}

ProgressBar::ProgressBar(std::FILE* out)
    : out_(out),
      is_terminal_(isatty(fileno(out)) == 1),
      next_(std::chrono::steady_clock::now() + (is_terminal_ ? draw_period : line_period)) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (is_drawn_) std::fputs("\r\x1b[K", out_);
  is_drawn_ = false;
  std::fflush(out_);
}

void ProgressBar::show(const Progress& progress) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + (is_terminal_ ? draw_period : line_period);
  // One column stays free: a terminal may wrap a line that fills the last one.
  if (is_terminal_)
    std::fprintf(out_, "\r%s\x1b[K", bar_line(progress, terminal_width(out_) - 1).c_str());
  else std::fprintf(out_, "%s\n", figures(progress).c_str());
  is_drawn_ = is_terminal_;
  std::fflush(out_);
}

}  // namespace troupe::swarm
