#include "troupe/devices/resources/iterator_state.hpp"

#include <sstream>
#include <utility>

namespace troupe {
namespace {

constexpr const char* heading = "iterator 1 ";

template <class Numbers>
void write(std::ostream& out, const Numbers& numbers) {
  out << ' ' << numbers.size();
  for (auto number : numbers) out << ' ' << number;
}

/// False: there are no such numbers.
bool read(std::istream& in, std::vector<uint64_t>& numbers) {
  size_t count = 0;
  if (!(in >> count) || count > IteratorState::numbers_max) return false;
  for (uint64_t number = 0; numbers.size() < count && in >> number;) numbers.push_back(number);
  return numbers.size() == count;
}

}  // namespace

std::string IteratorState::to_text() const {
  std::ostringstream out;
  out << heading << next;
  write(out, left);
  write(out, seeds);
  return out.str();
}

Result<IteratorState> IteratorState::parse(const std::string& text) {
  auto no_state = invalid_argument("the text is not the state of an iterator");
  if (!text.starts_with(heading)) return no_state;
  std::istringstream in(text.substr(std::string(heading).size()));
  IteratorState state;
  std::vector<uint64_t> left;
  if (!(in >> state.next) || !read(in, left) || !read(in, state.seeds)) return no_state;
  if (in.peek() != std::istringstream::traits_type::eof()) return no_state;
  state.left.insert(left.begin(), left.end());
  if (!state.left.empty() && *state.left.rbegin() >= state.next) return no_state;
  return state;
}

}  // namespace troupe
