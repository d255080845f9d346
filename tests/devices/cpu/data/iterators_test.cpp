#include "troupe/devices/resources/iterator.hpp"

#include <future>

#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {

BOOST_FIXTURE_TEST_SUITE(iterators, DatasetFixture)

BOOST_AUTO_TEST_CASE(an_iterator_goes_on_from_step_to_step_and_begins_anew_when_it_is_told) {
  auto it = iterator(range(3));
  BOOST_TEST(starts_with(next(it), "FailedPrecondition: GetNext() failed because the iterator"));
  BOOST_TEST(begin(it) == "");
  BOOST_TEST(next(it) == "int64[] [0]");
  BOOST_TEST(next(it) == "int64[] [1]");
  BOOST_TEST(begin(it) == "");
  BOOST_TEST(all_of(it) == "int64[] [0] | int64[] [1] | int64[] [2]");
  BOOST_TEST(next(it) == "OutOfRange: End of sequence");
}

BOOST_AUTO_TEST_CASE(handles_of_both_versions_with_one_name_are_of_one_iterator) {
  auto it = iterator(range(3));
  auto attrs = elements();
  attrs.insert({{"shared_name", "iterator0"}, {"container", ""}});
  auto other = b.op("Iterator", {}, attrs);
  BOOST_TEST(begin(it) == "");
  BOOST_TEST(next(it) == "int64[] [0]");
  auto next_of_other = b.op("IteratorGetNext", {other}, elements());
  BOOST_TEST(show(runner.run(b, {}, {next_of_other})) == "int64[] [1]");
}

BOOST_AUTO_TEST_CASE(an_iterator_takes_only_datasets_of_its_components) {
  auto it = iterator(range(3));
  auto other = b.op("MakeIterator", {slices(vec<float>({1})), it.handle});
  BOOST_TEST(
      show(runner.run(b, {}, {}, {other})) ==
      "InvalidArgument: Data type mismatch at component 0: expected int64 but got float32.");
}

BOOST_AUTO_TEST_CASE(what_a_step_declares_of_an_element_is_checked) {
  auto it = iterator(slices(vec<int64_t>({2, 2}, {1, 2, 3, 4})), elements(DType::int64, {2}));
  BOOST_TEST(begin(it) == "");
  auto as_scalar = b.op("IteratorGetNext", {it.handle}, elements());
  BOOST_TEST(
      show(runner.run(b, {}, {as_scalar})) ==
      "InvalidArgument: Incompatible shapes at component 0: expected [] but got [2].");
  auto sync = b.op("IteratorGetNextSync", {it.handle}, elements(DType::int64, {2}));
  BOOST_TEST(show(runner.run(b, {}, {sync})) == "int64[2] [3 4]");
}

BOOST_AUTO_TEST_CASE(a_one_shot_iterator_begins_by_itself) {
  auto factory = b.function("factory", {}, [](const Builder& f, const Values&) {
    auto zero = f.constant<int64_t>(0), one = f.constant<int64_t>(1);
    return Values{f.op("RangeDataset", {zero, f.constant<int64_t>(2), one}, elements())};
  });
  auto attrs = elements();
  attrs.insert({{"dataset_factory", factory}, {"shared_name", "once"}});
  Iterator it;
  it.handle = b.op("OneShotIterator", {}, attrs);
  it.next = {b.op("IteratorGetNext", {it.handle}, elements())};
  BOOST_TEST(all_of(it) == "int64[] [0] | int64[] [1]");
}

BOOST_AUTO_TEST_CASE(the_function_of_a_one_shot_iterator_must_make_a_dataset) {
  auto factory = b.function("factory", {}, [](const Builder& f, const Values&) {
    return Values{f.constant<int64_t>(2)};
  });
  auto attrs = elements();
  attrs.insert({{"dataset_factory", factory}, {"shared_name", "once"}});
  auto handle = b.op("OneShotIterator", {}, attrs);
  auto text = show(runner.run(b, {}, {b.op("IteratorGetNext", {handle}, elements())}));
  BOOST_TEST(starts_with(text, "InvalidArgument: function 'factory' returns (int64)"));
}

BOOST_AUTO_TEST_CASE(a_string_stands_for_an_iterator) {
  auto it = iterator(range(3));
  BOOST_TEST(begin(it) == "");
  auto text = runner.run(b, {}, {b.op("IteratorToStringHandle", {it.handle})});
  BOOST_TEST_REQUIRE(text.ok());
  for (const auto* op : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    auto found = b.op(op, {b.constant((*text)[0])}, elements());
    auto next = b.op("IteratorGetNext", {found}, elements());
    BOOST_TEST(starts_with(show(runner.run(b, {}, {next})), "int64[] ["));
    auto as_float = b.op(op, {b.constant((*text)[0])}, elements(DType::float32));
    auto wrong = b.op("IteratorGetNext", {as_float}, elements(DType::float32));
    BOOST_TEST(
        show(runner.run(b, {}, {wrong})) ==
        "InvalidArgument: Data type mismatch at component 0: expected float32 but got int64.");
    auto none = b.op("IteratorGetNext", {b.op(op, {this->text("no")}, elements())}, elements());
    BOOST_TEST(starts_with(show(runner.run(b, {}, {none})), "NotFound: there is no iterator"));
  }
  BOOST_TEST(next(it) == "int64[] [2]");
}

namespace {

/// Elements that the test gives when it likes.
class GivenSource final : public data::ElementSource {
 public:
  std::optional<data::Pulled> pull(Done done) override {
    asked.set_value(std::move(done));
    return {};
  }
  std::promise<Done> asked;
};

class GivenDataset final : public data::Dataset {
 public:
  explicit GivenDataset(std::shared_ptr<GivenSource> source)
      : Dataset({DType::int64}, {Shape()}), source_(std::move(source)) {}
  Result<data::SharedSource> iterate(const std::shared_ptr<data::Iteration>&) const override {
    return data::SharedSource(source_);
  }

 private:
  std::shared_ptr<GivenSource> source_;
};

struct GivenFixture {
  std::unique_ptr<Device> device = make_cpu_device();
  std::shared_ptr<GivenSource> source = std::make_shared<GivenSource>();
  std::shared_ptr<IteratorResource> iterator =
      std::make_shared<IteratorResource>(DTypes{DType::int64}, Shapes{Shape()});

  GivenFixture() {
    BOOST_TEST(iterator->begin(std::make_shared<GivenDataset>(source), *device).ok());
  }
  /// Asks for an element, and waits until the source is asked.
  IteratorResource::Ticket ask(Waiting<data::Pulled>& answer) {
    auto asked = source->asked.get_future();
    auto ticket = take(answer);
    done = asked.get();
    source->asked = {};
    return ticket;
  }
  /// Asks for an element, whose place is then that of the last answer.
  IteratorResource::Ticket take(Waiting<data::Pulled>& answer) {
    return iterator->get_next(
        *device, [this, answered = answer.callback()](
                     data::Pulled pulled, const IteratorResource::Place& where) {
          place = where;
          answered(std::move(pulled));
        });
  }
  static data::Pulled element(int64_t value) {
    return std::optional<data::Element>(data::Element{Tensor::scalar(value)});
  }
  data::ElementSource::Done done;
  IteratorResource::Place place;
};

int64_t number_of(const data::Pulled& pulled) { return (**pulled)[0].value<int64_t>(); }

}  // namespace

BOOST_FIXTURE_TEST_CASE(
    those_who_wait_are_answered_in_the_order_in_which_they_asked, GivenFixture) {
  Waiting<data::Pulled> first, second;
  ask(first);
  auto asked = source->asked.get_future();
  take(second);
  done(element(1));
  BOOST_TEST(number_of(first.wait()) == 1);
  asked.get()(element(2));
  BOOST_TEST(number_of(second.wait()) == 2);
}

BOOST_FIXTURE_TEST_CASE(an_element_whose_step_was_cancelled_goes_to_the_next_one, GivenFixture) {
  Waiting<data::Pulled> first, second;
  auto ticket = ask(first);
  iterator->cancel(ticket);
  BOOST_TEST(to_string(first.wait().status().code()) == std::string("Cancelled"));
  done(element(1));
  take(second);
  BOOST_TEST(number_of(second.wait()) == 1);
  iterator->cancel(ticket);  // it was answered
}

BOOST_FIXTURE_TEST_CASE(elements_that_are_put_back_are_the_next_ones_in_their_order, GivenFixture) {
  std::vector<IteratorResource::Place> places;
  for (int64_t value = 0; value < 3; ++value) {
    Waiting<data::Pulled> answer;
    ask(answer);
    done(element(value));
    BOOST_TEST(number_of(answer.wait()) == value);
    places.push_back(place);
  }
  for (int64_t value : {2, 0, 1})
    iterator->put_back(places[size_t(value)], {Tensor::scalar(value)});
  for (int64_t value = 0; value < 3; ++value) {
    Waiting<data::Pulled> answer;
    take(answer);
    BOOST_TEST(number_of(answer.wait()) == value);
  }
}

BOOST_FIXTURE_TEST_CASE(an_element_that_is_put_back_goes_to_who_waits, GivenFixture) {
  Waiting<data::Pulled> first, second, third;
  ask(first);
  done(element(1));
  BOOST_TEST(number_of(first.wait()) == 1);
  ask(second);
  iterator->put_back(place, {Tensor::scalar<int64_t>(1)});
  BOOST_TEST(number_of(second.wait()) == 1);
  done(element(2));
  take(third);
  BOOST_TEST(number_of(third.wait()) == 2);
}

BOOST_FIXTURE_TEST_CASE(the_end_waits_for_elements_that_are_about_to_come_back, GivenFixture) {
  Waiting<data::Pulled> first, second, third;
  ask(first);
  done(element(1));
  BOOST_TEST(number_of(first.wait()) == 1);
  auto taken = place;
  auto returning = IteratorResource::await_return(iterator);
  ask(second);
  done(data::Pulled(std::optional<data::Element>()));
  take(third);
  iterator->put_back(taken, {Tensor::scalar<int64_t>(1)});
  BOOST_TEST(number_of(second.wait()) == 1);
  returning.reset();
  auto end = third.wait();
  BOOST_TEST_REQUIRE(end.ok());
  BOOST_TEST(!end->has_value());
}

BOOST_FIXTURE_TEST_CASE(a_dropped_iterator_answers_those_whom_its_end_waits_for, GivenFixture) {
  Waiting<data::Pulled> waiting;
  auto returning = IteratorResource::await_return(iterator);
  ask(waiting);
  done(data::Pulled(std::optional<data::Element>()));
  iterator->drop();
  BOOST_TEST(to_string(waiting.wait().status().code()) == std::string("Aborted"));
}

BOOST_FIXTURE_TEST_CASE(an_element_of_a_dataset_before_is_not_put_back, GivenFixture) {
  Waiting<data::Pulled> first, second;
  ask(first);
  done(element(1));
  BOOST_TEST(number_of(first.wait()) == 1);
  BOOST_TEST(iterator->begin(std::make_shared<GivenDataset>(source), *device).ok());
  iterator->put_back(place, {Tensor::scalar<int64_t>(1)});
  ask(second);
  done(element(2));
  BOOST_TEST(number_of(second.wait()) == 2);
}

BOOST_FIXTURE_TEST_CASE(an_iterator_that_is_dropped_answers_all_who_wait, GivenFixture) {
  Waiting<data::Pulled> first, second;
  ask(first);
  iterator->drop();
  BOOST_TEST(to_string(first.wait().status().code()) == std::string("Aborted"));
  done(element(1));  // comes too late
  take(second);
  BOOST_TEST(to_string(second.wait().status().code()) == std::string("Aborted"));
}

BOOST_FIXTURE_TEST_CASE(a_late_element_of_a_dataset_before_is_lost, GivenFixture) {
  Waiting<data::Pulled> first;
  ask(first);
  auto before = done;
  auto other = std::make_shared<GivenSource>();
  auto asked = other->asked.get_future();
  BOOST_TEST(iterator->begin(std::make_shared<GivenDataset>(other), *device).ok());
  before(element(1));
  asked.get()(element(2));
  BOOST_TEST(number_of(first.wait()) == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
