#include "troupe/devices/accelerator/peer_memory.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/simulated/simulated_device.hpp"
#include "troupe/tests/devices/accelerator/virtual_cards.hpp"
#include "troupe/tests/devices/plan_fixture.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

constexpr int64_t elements_lent = 1 << 20;  // elements

/// Two devices as those of two processes: all that passes from one to the other is the name of a
/// region.
struct TwoProcesses : PlanFixture {
  explicit TwoProcesses(VirtualCards::Options options = {.bytes_per_ns = 1}) : cards(options) {}
  ~TwoProcesses() { port->sent.clear(); }

  std::unique_ptr<AcceleratorDevice> make(const std::shared_ptr<VirtualCards::Card>& of) {
    KernelCatalog kernels;
    kernels.add_compute("Neg", [of](Launch& launch) -> Status {
      auto out = launch.allocate(DType::float32, launch.input(0).shape());
      if (!out) return out.status();
      const auto* from = static_cast<const float*>(launch.input(0).raw());
      auto* to = static_cast<float*>(out->mutable_raw());
      auto count = out->elements();
      of->launch(
          "Neg", 1ms, {{from, out->bytes(), false}, {to, out->bytes(), true}}, [from, to, count] {
            for (int64_t i = 0; i < count; ++i) to[i] = -from[i];
            return Status();
          });
      launch.set(0, *std::move(out));
      return {};
    });
    auto made = make_accelerator_device(
        {.driver = of,
         .kernels = std::move(kernels),
         .host = host,
         .memory = {.limit_bytes = 128 * MiB},
         .pinned = {}});
    BOOST_TEST_REQUIRE(made.ok());
    return *std::move(made);
  }
  static Tensor counted(int64_t elements, float sign = 1) {
    auto made = Tensor::allocate(DType::float32, {elements});
    for (int64_t i = 0; i < elements; ++i)
      made->mutable_data<float>()[i] = sign * static_cast<float>(i % 1000);
    return *made;
  }
  /// Starts a step of the sender that negates the feed, and sends it.
  std::shared_ptr<Execution> start_sending() {
    const auto *here = "/job:a/task:0/device:GPU:0", *there = "/job:b/task:0/device:GPU:0";
    port->fed = counted(elements_lent);
    add(
        {.name = "feed",
         .op = transfer::arg,
         .device = here,
         .attrs = {{"T", DType::float32}, {"index", 0}, {"shape", Shape({elements_lent})}}});
    add({.name = "less", .op = "Neg", .device = here, .inputs = {"feed"}});
    add(
        {.name = "send",
         .op = transfer::send,
         .device = here,
         .inputs = {"less"},
         .attrs = {{"edge", 7}, {"to_device", there}}});
    auto execution = start_plan(*sender);
    port->run_posted();
    cards.run();  // the feed is copied
    port->run_posted();
    return execution;
  }
  /// What arrives at the receiver, where nobody knows the sender.
  Tensor lent(const Tensor& value) {
    auto region = region_of(value);
    BOOST_TEST_REQUIRE(region.ok(), region.status().to_string());
    auto opened = make_open_region({host, receiver})((*region)->name);
    BOOST_TEST_REQUIRE(opened.ok(), opened.status().to_string());
    auto offset =
        static_cast<const char*>(value.raw()) - static_cast<const char*>((*region)->begin);
    auto* at = (*opened)->data() + offset;
    auto release = [region = *region, opened = *opened, this] { ++returned; };
    return Tensor::alias(value.dtype(), value.shape(), at, release, opened->get());
  }
  Status end_of_step() {
    for (int round = 0; round < 10; ++round) {
      cards.run();
      port->run_posted();
    }
    return done.wait();
  }
  Tensor fetch(AcceleratorDevice& from, const Tensor& value) {
    Tensor fetched;
    from.copy_to_host(value, [&fetched](const Result<Tensor>& copy) { fetched = *copy; });
    cards.run();
    return fetched;
  }

  VirtualCards cards;
  std::shared_ptr<Device> host = make_simulated_device(
      {.kernels = std::make_shared<KernelCatalog>(cpu::make_kernel_catalog()),
       .later = [](const std::function<void()>& work) { work(); }});
  std::shared_ptr<VirtualCards::Card> card = cards.add_card();
  std::shared_ptr<VirtualCards::Card> card_there = cards.add_card();
  std::shared_ptr<AcceleratorDevice> sender = make(card), receiver = make(card_there);
  int returned = 0;
};

struct NothingShared : TwoProcesses {
  NothingShared() : TwoProcesses({.share_memory = false}) {}
};
struct NothingOpened : TwoProcesses {
  NothingOpened() : TwoProcesses({.open_memory = false}) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_memory)

BOOST_FIXTURE_TEST_CASE(a_tensor_is_lent_once_its_kernel_has_written_it, TwoProcesses) {
  port->lends_all = true;
  auto execution = start_sending();
  if (port->sent.empty()) cards.run();
  BOOST_TEST_REQUIRE(port->sent.size() == 1u);
  auto value = std::move(port->sent.at(0).second);
  BOOST_TEST((value.memory() == MemoryKind::device));
  auto copy = receiver->copy_in(lent(value));
  BOOST_TEST_REQUIRE(copy.ok(), copy.status().to_string());
  BOOST_TEST((device_of(*copy) == receiver.get()));
  BOOST_TEST(equal(fetch(*receiver, *copy), counted(elements_lent, -1)));
  BOOST_TEST(end_of_step().ok());
  BOOST_TEST(cards.fault() == "");
  BOOST_TEST(card_there->pinned_allocations() == 1u);  // of the fetch
}

BOOST_FIXTURE_TEST_CASE(it_is_returned_once_it_is_copied, TwoProcesses) {
  auto value = *sender->copy_in(counted(elements_lent));
  cards.run();
  auto copy = receiver->copy_in(lent(value));
  BOOST_TEST_REQUIRE(copy.ok());
  BOOST_TEST(returned == 0);
  cards.run();
  BOOST_TEST(returned == 1);
  BOOST_TEST(cards.opened() == 0u);
  // Its memory is the next one's.
  value = Tensor();
  auto next = *sender->copy_in(counted(elements_lent, 2));
  cards.run();
  BOOST_TEST(equal(fetch(*receiver, *copy), counted(elements_lent)));
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(what_the_port_does_not_lend_goes_by_way_of_the_host, TwoProcesses) {
  auto execution = start_sending();
  cards.run();
  BOOST_TEST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST((port->sent.at(0).second.memory() == MemoryKind::pinned));
  BOOST_TEST(equal(port->sent.at(0).second, counted(elements_lent, -1)));
  BOOST_TEST(end_of_step().ok());
}

BOOST_FIXTURE_TEST_CASE(what_goes_to_the_host_twice_at_a_time_is_copied_once, TwoProcesses) {
  auto value = *sender->copy_in(counted(elements_lent));
  cards.run();
  auto before = card->pinned_allocations();
  Tensors copies;
  for (int i = 0; i < 2; ++i)
    sender->copy_to_host(value, [&](const Result<Tensor>& copy) { copies.push_back(*copy); });
  sender->copy_to_host(value.reshaped({1, elements_lent}), [&](const Result<Tensor>& copy) {
    BOOST_TEST(copy->shape().rank() == 2);
  });
  cards.run();
  BOOST_TEST_REQUIRE(copies.size() == 2u);
  BOOST_TEST(copies[0].raw() == copies[1].raw());
  BOOST_TEST(card->pinned_allocations() - before <= 2u);
  BOOST_TEST(equal(fetch(*sender, value), counted(elements_lent)));
}

BOOST_FIXTURE_TEST_CASE(an_error_of_the_card_ends_the_step_that_sends, TwoProcesses) {
  port->lends_all = true;
  card->launch("Bad", 1us, {}, [] { return internal("an illegal address"); });
  auto execution = start_sending();
  BOOST_TEST(end_of_step().message() == "an illegal address");
  BOOST_TEST(port->sent.empty());
}

BOOST_FIXTURE_TEST_CASE(a_region_stays_as_long_as_it_is_shared, TwoProcesses) {
  auto value = *sender->copy_in(counted(elements_lent));
  cards.run();
  auto region = *region_of(value);
  auto opened = *PeerMemory::open(*receiver, region->name);
  value = Tensor();
  sender->trim();
  BOOST_TEST(card->allocated_bytes() > 0u);
  sender.reset();
  BOOST_TEST(card->allocated_bytes() > 0u);
  opened = nullptr;
  region = nullptr;
  BOOST_TEST(card->allocated_bytes() == 0u);
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(tensors_of_a_region_share_its_name, TwoProcesses) {
  auto one = *sender->copy_in(counted(elements_lent)),
       other = *sender->copy_in(counted(elements_lent));
  auto region = *region_of(one);
  BOOST_TEST(region == *region_of(other));
  BOOST_TEST((region->contains(one.raw()) && region->contains(other.raw())));
  BOOST_TEST((region_of(*sender->copy_in(counted(1000))).status().code() == Code::not_found));
  BOOST_TEST((region_of(counted(elements_lent)).status().code() == Code::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_driver_may_share_nothing, NothingShared) {
  auto value = *sender->copy_in(counted(elements_lent));
  BOOST_TEST(region_of(value).status().message() == "the card shares no memory");
  sender->trim();
}

BOOST_FIXTURE_TEST_CASE(a_driver_may_open_nothing, NothingOpened) {
  auto value = *sender->copy_in(counted(elements_lent));
  auto region = *region_of(value);
  auto opened = make_open_region({receiver})(region->name);
  BOOST_TEST(opened.status().message() == "the card opens no memory");
  BOOST_TEST(!make_open_region({host}));
}

BOOST_FIXTURE_TEST_CASE(the_card_itself_opens_its_region_where_it_is_there, TwoProcesses) {
  auto value = *sender->copy_in(counted(elements_lent));
  std::shared_ptr<AcceleratorDevice> same = make(card);
  auto opened = make_open_region({receiver, same})((*region_of(value))->name);
  BOOST_TEST_REQUIRE(opened.ok());
  BOOST_TEST((&(*opened)->device() == same.get()));
}

BOOST_AUTO_TEST_SUITE_END()
