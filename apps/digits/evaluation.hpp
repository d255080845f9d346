#pragma once

#include <array>
#include <string>

#include "troupe/apps/digits/dataset.hpp"
#include "troupe/apps/digits/model.hpp"
#include "troupe/graph/train/monitored_session.hpp"

namespace troupe::digits {

/// The predictions of a model for digits that it was not trained on.
struct Evaluation {
  /// Counts of digits, by label and prediction.
  using Confusion = std::array<std::array<int, class_count>, class_count>;

  Confusion confusion{};

  int count() const;
  int correct() const;
  double accuracy() const { return count() > 0 ? static_cast<double>(correct()) / count() : 0; }
};

/// Runs one step over all of the digits.
Result<Evaluation> evaluate(
    train::MonitoredSession& session, const Model& model, const Digits& digits);

/// The confusion matrix as a table: a row a digit, a column a prediction; "." for none.
std::string to_table(const Evaluation::Confusion& confusion);

}  // namespace troupe::digits
