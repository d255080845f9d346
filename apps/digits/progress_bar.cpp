#include "troupe/apps/digits/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace troupe::digits {

namespace {

constexpr std::chrono::milliseconds draw_period{100};
constexpr size_t bar_width_min = 10;
constexpr size_t bar_width_max = 60;

template <class... Args>
std::string text(const char* format, Args... args) {
  std::array<char, 160> line;
  int length = std::snprintf(line.data(), line.size(), format, args...);
  return {line.data(), std::min(static_cast<size_t>(length), line.size() - 1)};
}

size_t terminal_width(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

int digits_of(size_t number) { return static_cast<int>(std::to_string(number).size()); }

std::string eta(const Progress& progress) {
  auto rate = progress.steps_per_second();
  if (rate <= 0) return "-:--";
  auto left = static_cast<double>(progress.steps_in_all - progress.steps) / rate;
  auto seconds = static_cast<int64_t>(std::ceil(left));
  return text("%ld:%02ld", seconds / 60, seconds % 60);
}

}  // namespace

std::string bar_line(const Progress& progress, size_t epochs, size_t width) {
  auto done = progress.epochs_before + progress.losses.size();
  auto loss = done == epochs && !progress.losses.empty() ? progress.losses.back() : progress.loss;
  auto head = text("epoch %*zu/%zu ", digits_of(epochs), std::min(done + 1, epochs), epochs);
  auto tail = text(
      " %.0f steps/s  loss %.4f  ETA %s", progress.steps_per_second(), loss, eta(progress).c_str());
  auto used = head.size() + tail.size() + 2;
  std::string bar;
  if (used + bar_width_min <= width) {
    auto bar_width = std::min(width - used, bar_width_max);
    auto filled = bar_width * static_cast<size_t>(progress.steps) /
                  static_cast<size_t>(std::max<int64_t>(1, progress.steps_in_all));
    bar = "[" + std::string(filled, '=') + std::string(bar_width - filled, ' ') + "]";
    if (filled > 0 && filled < bar_width) bar[filled] = '>';
  }
  return (head + bar + tail).substr(0, width);
}

ProgressBar::ProgressBar(std::FILE* out, int epochs)
    : out_(out), epochs_(static_cast<size_t>(epochs)), is_terminal_(isatty(fileno(out)) == 1) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputc('\n', out_);
}

void ProgressBar::show(const Progress& progress) {
  is_terminal_ ? draw(progress) : print_new_epochs(progress);
  std::fflush(out_);
}

void ProgressBar::draw(const Progress& progress) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_draw_ && progress.epochs_before + progress.losses.size() < epochs_) return;
  next_draw_ = now + draw_period;
  // One column stays free: a terminal may wrap a line that fills the last one.
  auto line = bar_line(progress, epochs_, terminal_width(out_) - 1);
  std::fprintf(out_, "\r%s\x1b[K", line.c_str());
  is_drawn_ = true;
}

void ProgressBar::print_new_epochs(const Progress& progress) {
  for (; epochs_printed_ < progress.losses.size(); ++epochs_printed_)
    std::fprintf(
        out_, "epoch %*zu/%zu  loss %.9f\n", digits_of(epochs_),
        progress.epochs_before + epochs_printed_ + 1, epochs_, progress.losses[epochs_printed_]);
}

}  // namespace troupe::digits
