#include "troupe/devices/data/merged_source.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::testing {
namespace {

using data::Element;
using data::Pulled;

/// Gives what the test says, when it does.
class GivenSource final : public data::ElementSource {
 public:
  std::optional<Pulled> pull(Done done) override {
    ++pulls;
    if (ready.empty()) {
      done_ = std::move(done);
      return {};
    }
    auto next = std::move(ready.front());
    ready.erase(ready.begin());
    return next;
  }
  void give(Pulled answer) { std::exchange(done_, nullptr)(std::move(answer)); }
  void give(int64_t value) { give(element(value)); }
  static Pulled element(int64_t value) {
    return std::optional<Element>(Element{Tensor::scalar(value)});
  }

  int pulls = 0;
  std::vector<Pulled> ready;  // what pulls return at once
  Done done_;
};

struct MergeFixture {
  std::shared_ptr<GivenSource> input = std::make_shared<GivenSource>();
  std::map<int64_t, std::shared_ptr<GivenSource>> sources;
  std::shared_ptr<data::MergedSource> merged;
  std::string late;

  // What waits for an answer holds who asked, who holds it.
  ~MergeFixture() {
    input->done_ = nullptr;
    for (auto& [number, source] : sources) source->done_ = nullptr;
  }

  void merge(int64_t open_max, int64_t length = 1) {
    auto open = [this](const Element& element) -> Result<data::SharedSource> {
      auto number = element[0].value<int64_t>();
      if (number < 0) return invalid_argument("no source " + std::to_string(number));
      if (!sources[number]) sources[number] = std::make_shared<GivenSource>();
      return data::SharedSource(sources[number]);
    };
    merged = std::make_shared<data::MergedSource>(
        input, open, data::MergedSource::Turns{.open_max = open_max, .length = length});
  }
  void numbers(std::initializer_list<int64_t> values) {
    for (auto value : values) input->ready.push_back(GivenSource::element(value));
    input->ready.push_back(data::end_of_sequence());
  }
  void source(int64_t number, std::initializer_list<int64_t> values) {
    sources[number] = std::make_shared<GivenSource>();
    for (auto value : values) sources[number]->ready.push_back(GivenSource::element(value));
    sources[number]->ready.push_back(data::end_of_sequence());
  }

  static std::string show(const Pulled& answer) {
    if (!answer.ok()) return answer.status().message();
    return answer->has_value() ? std::to_string((**answer)[0].value<int64_t>()) : "end";
  }
  /// "" where it is not there yet; then it will be in `late`.
  std::string next() {
    late.clear();
    auto answer = merged->pull([this](Pulled pulled) { late = show(pulled); });
    return answer ? show(*answer) : "";
  }
  std::string all() {
    std::string text;
    for (auto each = next();; each = next()) {
      text += each + " ";
      if (each == "end" || each.empty()) return text;
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(merged_source, MergeFixture)

BOOST_AUTO_TEST_CASE(sources_whose_elements_are_there_take_turns) {
  numbers({1, 2, 3});
  for (int64_t number : {1, 2, 3}) source(number, {number, number, number});
  merge(2);
  BOOST_TEST(all() == "1 2 1 2 1 2 3 3 3 end ");
  BOOST_TEST(next() == "end");
}

BOOST_AUTO_TEST_CASE(a_turn_is_of_some_elements) {
  numbers({1, 2});
  for (int64_t number : {1, 2}) source(number, {number, number, number});
  merge(2, 2);
  BOOST_TEST(all() == "1 1 2 2 1 2 end ");
}

BOOST_AUTO_TEST_CASE(a_source_that_waits_does_not_hold_back_others) {
  numbers({1, 2});
  source(2, {20, 21});
  merge(2);
  BOOST_TEST(next() == "20");
  BOOST_TEST(next() == "21");
  BOOST_TEST(next() == "");
  sources[1]->give(10);
  BOOST_TEST(late == "10");
  BOOST_TEST(next() == "");
  sources[1]->give(data::end_of_sequence());
  BOOST_TEST(late == "end");
}

BOOST_AUTO_TEST_CASE(an_input_that_waits_does_not_hold_back_open_sources) {
  merge(2);
  source(1, {10});
  BOOST_TEST(next() == "");
  input->give(1);
  BOOST_TEST(late == "10");
  BOOST_TEST(next() == "");
  source(2, {20});
  input->give(2);
  BOOST_TEST(late == "20");
  BOOST_TEST(next() == "");
  input->give(data::end_of_sequence());
  BOOST_TEST(late == "end");
}

BOOST_AUTO_TEST_CASE(an_answer_that_comes_while_nobody_waits_is_kept) {
  numbers({1, 2});
  source(2, {20, 21});
  merge(2);
  BOOST_TEST(next() == "20");
  sources[1]->give(10);
  BOOST_TEST(sources[1]->pulls == 1);  // it has one that is not taken
  BOOST_TEST(next() == "10");
  BOOST_TEST(next() == "21");
  BOOST_TEST(next() == "");
}

BOOST_AUTO_TEST_CASE(so_many_sources_are_open_at_a_time) {
  numbers({1, 2, 3});
  source(3, {30});
  merge(2);
  BOOST_TEST(next() == "");
  BOOST_TEST(sources[3]->pulls == 0);
  sources[1]->give(data::end_of_sequence());
  BOOST_TEST(late == "30");
}

BOOST_AUTO_TEST_CASE(an_error_comes_among_the_elements) {
  numbers({-1, 2, 3});
  source(2, {20});
  sources[2]->ready.insert(sources[2]->ready.begin(), Pulled(invalid_argument("bad")));
  source(3, {30});
  input->ready.insert(input->ready.begin(), Pulled(invalid_argument("worse")));
  merge(2);
  BOOST_TEST(all() == "worse bad 20 no source -1 30 end ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
