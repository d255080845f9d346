#include "troupe/actors/link/wire_message.hpp"

#include "troupe/actors/link/frame.hpp"
#include "troupe/tests/actors/link/link_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct NoHandles final : HandleTable {
  uint64_t number_of(const caf::strong_actor_ptr&) override { return 0; }
  caf::strong_actor_ptr handle_of(uint64_t) override { return nullptr; }
};

Tensor bytes_of(const void* data, size_t size) {
  auto tensor = *Tensor::allocate(DType::uint8, Shape({static_cast<int64_t>(size)}));
  std::memcpy(tensor.mutable_raw(), data, size);
  return tensor;
}

struct WireMessages {
  LinkConfig config;
  caf::actor_system system{config};
  NoHandles handles;

  template <class Message>
  WireMessage write(Message message) {
    return write_message(system, handles, caf::make_message(std::move(message)).content());
  }
  /// As it arrives at the other end.
  Result<caf::message> read(const WireMessage& message) {
    ReceivedMessage received{bytes_of(message.content.data(), message.content.size()), {}};
    for (const auto& tensor : message.out_of_band)
      received.out_of_band.push_back(Tensor::alias(
          DType::uint8, Shape({static_cast<int64_t>(tensor.bytes())}),
          const_cast<void*>(tensor.raw()), [tensor] {}));
    return read_message(system, handles, std::move(received));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wire_messages, WireMessages)

BOOST_AUTO_TEST_CASE(any_number_of_large_tensors_makes_a_message_whose_frame_is_not_too_large) {
  constexpr size_t more = 10;
  auto feed = bytes_of(std::string(out_of_band_bytes_min, 'x').data(), out_of_band_bytes_min);
  auto message = write(StartStep{.feeds = Tensors(out_of_band_max + more, feed)});
  BOOST_TEST(message.out_of_band.size() == out_of_band_max);
  BOOST_TEST(message.content.size() > more * out_of_band_bytes_min);
  MessageFrame frame{.tensor_bytes = std::vector<uint64_t>(out_of_band_max, out_of_band_bytes_min)};
  for (uint32_t i = 0; i < out_of_band_max; ++i)
    frame.lent.push_back({.tensor = i, .offset = i, .number = i});
  BOOST_TEST(encode(frame).size <= link_limits::frame_bytes_max);
  auto back = read(message);
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  const auto& feeds = back->get_as<StartStep>(0).feeds;
  BOOST_TEST(feeds.size() == out_of_band_max + more);
  BOOST_TEST(std::ranges::all_of(feeds, [&](const Tensor& got) { return equal(got, feed); }));
}

BOOST_AUTO_TEST_CASE(a_plan_with_a_longer_list_in_an_attribute_than_is_allowed_is_not_read) {
  auto read_list_of = [&](size_t count) {
    NodeDef node{.name = "n", .op = "NoOp", .attrs = {{"list", std::vector<int64_t>(count, 1)}}};
    return read(write(Register{1, 1, {std::move(node)}}));
  };
  auto longest = read_list_of(attr_values_max);
  BOOST_TEST(longest.ok(), longest.status().to_string());
  auto longer = read_list_of(attr_values_max + 1);
  BOOST_TEST_REQUIRE(!longer.ok());
  BOOST_TEST((longer.status().code() == Code::invalid_argument), longer.status().to_string());
}

BOOST_AUTO_TEST_SUITE_END()
