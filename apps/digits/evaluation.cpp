#include "troupe/apps/digits/evaluation.hpp"

#include <iomanip>
#include <numeric>
#include <sstream>

namespace troupe::digits {

int Evaluation::count() const {
  int count = 0;
  for (const auto& row : confusion) count += std::accumulate(row.begin(), row.end(), 0);
  return count;
}

int Evaluation::correct() const {
  int correct = 0;
  for (size_t i = 0; i < class_count; ++i) correct += confusion[i][i];
  return correct;
}

Result<Evaluation> evaluate(
    train::MonitoredSession& session, const Model& model, const Digits& digits) {
  auto fetched = session.run({{model.images, make_batch(digits).images}}, {model.predicted});
  if (!fetched) return fetched.status();
  auto predicted = (*fetched)[0].values<int64_t>();
  Evaluation evaluation;
  for (size_t i = 0; i < digits.size(); ++i)
    ++evaluation.confusion[digits[i].label][static_cast<size_t>(predicted[i])];
  return evaluation;
}

std::string to_table(const Evaluation::Confusion& confusion) {
  std::ostringstream table;
  table << "         taken for\n   digit ";
  for (int i = 0; i < class_count; ++i) table << std::setw(4) << i;
  table << '\n';
  for (size_t digit = 0; digit < class_count; ++digit) {
    table << std::setw(8) << digit << ' ';
    for (int count : confusion[digit])
      table << std::setw(4) << (count > 0 ? std::to_string(count) : ".");
    table << '\n';
  }
  return table.str();
}

}  // namespace troupe::digits
