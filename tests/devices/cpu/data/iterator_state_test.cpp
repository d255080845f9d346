#include "troupe/devices/resources/iterator_state.hpp"

#include "troupe/devices/resources/iterator.hpp"
#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

namespace {

struct StateFixture : DatasetFixture {
  Result<Tensors> state_of(const Iterator& it) {
    return runner.run(b, {}, {b.op("IteratorSerializeState", {it.handle})});
  }
  std::string restore(const Iterator& it, const Tensor& state) {
    auto op = b.op("IteratorRestoreState", {it.handle, b.constant(state)});
    return show(runner.run(b, {}, {}, {op}));
  }
  std::string take(const Iterator& it, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += next(it) + " ";
    return text;
  }
  Value shuffled(const Value& input, int64_t seed, bool reshuffles) const {
    return dataset(
        "ShuffleDataset", {input, number(4), number(seed), number(seed)},
        {{"reshuffle_each_iteration", reshuffles}});
  }
  Iterator once(const std::string& name) {
    auto factory = b.function("factory_of_" + name, {}, [this](const Builder& f, const Values&) {
      auto zero = f.constant<int64_t>(0), one = f.constant<int64_t>(1);
      return Values{f.op("RangeDataset", {zero, f.constant<int64_t>(5), one}, elements())};
    });
    auto attrs = elements();
    attrs.insert({{"dataset_factory", factory}, {"shared_name", name}});
    Iterator it;
    it.handle = b.op("OneShotIterator", {}, attrs);
    it.next = {b.op("IteratorGetNext", {it.handle}, elements())};
    return it;
  }
};

class Numbers final : public data::ElementSource {
 public:
  std::optional<data::Pulled> pull(Done) override {
    return data::Pulled(std::optional<data::Element>({Tensor::scalar(next_++)}));
  }

 private:
  int64_t next_ = 0;
};

class NumberDataset final : public data::Dataset {
 public:
  NumberDataset() : Dataset({DType::int64}, {Shape()}) {}
  Result<data::SharedSource> iterate(const std::shared_ptr<data::Iteration>&) const override {
    return data::SharedSource(std::make_shared<Numbers>());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(iterator_states, StateFixture)

BOOST_AUTO_TEST_CASE(an_iterator_goes_on_where_another_one_was) {
  auto batches =
      dataset("BatchDataset", {repeat(range(5), 2), number(2)}, {}, elements(DType::int64, {-1}));
  auto components = elements(DType::int64, {-1});
  auto it = iterator(batches, components), begun = iterator(batches, components),
       not_begun = iterator(batches, components);
  begin(it);
  take(it, 2);
  auto state = state_of(it);
  BOOST_TEST_REQUIRE(state.ok(), state.status().to_string());
  auto rest = all_of(it);
  BOOST_TEST(rest == "int64[2] [4 0] | int64[2] [1 2] | int64[2] [3 4]");
  begin(begun);
  take(begun, 4);
  BOOST_TEST(restore(begun, (*state)[0]) == "");
  BOOST_TEST(all_of(begun) == rest);
  BOOST_TEST(restore(not_begun, (*state)[0]) == "");
  begin(not_begun);
  BOOST_TEST(all_of(not_begun) == rest);
  begin(not_begun);
  BOOST_TEST(next(not_begun) == "int64[2] [0 1]");
}

BOOST_AUTO_TEST_CASE(a_one_shot_iterator_goes_on_where_another_one_was) {
  auto it = once("one"), other = once("other");
  auto at_the_start = state_of(it);
  BOOST_TEST_REQUIRE(at_the_start.ok(), at_the_start.status().to_string());
  take(it, 3);
  auto state = state_of(it);
  BOOST_TEST_REQUIRE(state.ok());
  BOOST_TEST(restore(other, (*state)[0]) == "");
  BOOST_TEST(all_of(other) == "int64[] [3] | int64[] [4]");
  BOOST_TEST(restore(other, (*at_the_start)[0]) == "");
  BOOST_TEST(next(other) == "int64[] [0]");
}

BOOST_AUTO_TEST_CASE(the_order_of_a_shuffle_is_the_same_with_a_seed_and_without) {
  for (int64_t seed : {0, 7}) {
    for (bool reshuffles : {false, true}) {
      auto epochs = repeat(shuffled(range(6), seed, reshuffles), 3);
      auto it = iterator(epochs), other = iterator(epochs);
      begin(it);
      take(it, 8);
      auto state = state_of(it);
      BOOST_TEST_REQUIRE(state.ok());
      begin(other);
      BOOST_TEST(restore(other, (*state)[0]) == "");
      BOOST_TEST(all_of(other) == all_of(it));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_shuffle_without_a_seed_and_without_another_order_has_one_order) {
  auto it = iterator(repeat(shuffled(range(6), 0, false), 2));
  begin(it);
  auto first = take(it, 6);
  BOOST_TEST(take(it, 6) == first);
}

BOOST_AUTO_TEST_CASE(a_state_is_as_good_before_its_elements_are_computed_again) {
  auto it = iterator(range(6)), other = iterator(range(6)), third = iterator(range(6));
  begin(it);
  take(it, 4);
  auto state = state_of(it);
  begin(other);
  restore(other, (*state)[0]);
  auto copy = state_of(other);
  BOOST_TEST_REQUIRE(copy.ok());
  begin(third);
  restore(third, (*copy)[0]);
  BOOST_TEST(all_of(third) == "int64[] [4] | int64[] [5]");
  BOOST_TEST(all_of(other) == "int64[] [4] | int64[] [5]");
}

BOOST_AUTO_TEST_CASE(elements_that_were_put_back_are_still_to_come) {
  auto device = make_cpu_device();
  auto begun = [&] {
    auto iterator = std::make_shared<IteratorResource>(DTypes{DType::int64}, Shapes{Shape()});
    BOOST_TEST(iterator->begin(std::make_shared<NumberDataset>(), *device).ok());
    return iterator;
  };
  IteratorResource::Place place;
  auto take_from = [&](const std::shared_ptr<IteratorResource>& iterator) {
    Waiting<data::Pulled> answer;
    iterator->get_next(
        *device, [&, answered = answer.callback()](
                     data::Pulled pulled, const IteratorResource::Place& where) {
          place = where;
          answered(std::move(pulled));
        });
    return (**answer.wait())[0].value<int64_t>();
  };
  auto iterator = begun();
  std::vector<IteratorResource::Place> places;
  for (int64_t value = 0; value < 3; ++value) {
    BOOST_TEST(take_from(iterator) == value);
    places.push_back(place);
  }
  iterator->put_back(places[1], {Tensor::scalar<int64_t>(1)});
  auto state = iterator->serialize_state();
  BOOST_TEST_REQUIRE(state.ok());
  auto other = begun();
  BOOST_TEST(other->restore_state(*state, *device).ok());
  for (int64_t value : {1, 3, 4}) BOOST_TEST(take_from(other) == value);
}

BOOST_AUTO_TEST_CASE(what_is_no_state_is_refused) {
  auto it = iterator(range(3));
  BOOST_TEST(starts_with(show(state_of(it)), "FailedPrecondition: "));
  begin(it);
  next(it);
  for (const auto* text :
       {"", "iterator", "iterator 2 0 0 0", "iterator 1 0", "iterator 1 1 0 0 5",
        "iterator 1 1 1 1 0", "iterator 1 -1 x", "iterator 1 3 99999999999 1"})
    BOOST_TEST(
        restore(it, Tensor::string(text)) ==
            "InvalidArgument: the text is not the state of an iterator",
        text);
  BOOST_TEST(next(it) == "int64[] [1]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
