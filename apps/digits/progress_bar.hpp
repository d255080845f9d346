#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "troupe/apps/digits/training.hpp"

namespace troupe::digits {

/// Shows a training: on a terminal one line of its width that is redrawn at most ten times a
/// second, elsewhere a plain line for each epoch.
class ProgressBar {
 public:
  ProgressBar(std::FILE* out, int epochs);
  ~ProgressBar();

  void show(const Progress& progress);

 private:
  void draw(const Progress& progress);
  void print_new_epochs(const Progress& progress);

  std::FILE* out_;
  size_t epochs_;
  bool is_terminal_;
  bool is_drawn_ = false;
  size_t epochs_printed_ = 0;
  std::chrono::steady_clock::time_point next_draw_{};
};

/// "epoch 12/30 [=========>          ] 1523 steps/s  loss 0.0312  ETA 0:02", at most `width`
/// columns.
std::string bar_line(const Progress& progress, size_t epochs, size_t width);

}  // namespace troupe::digits
