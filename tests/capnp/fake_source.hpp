#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "troupe/graph/types/tensor.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe::testing {

/// A client's TensorSource that answers by `give`. `is_dropped` is set to false at first, and to
/// true when the node has dropped it.
class FakeSource final : public rpc::TensorSource::Server {
 public:
  using Context = ReadContext;
  using Give = std::function<kj::Promise<void>(Context)>;
  FakeSource(Give give, std::optional<bool>& is_dropped)
      : give_(std::move(give)), is_dropped_(is_dropped) {
    is_dropped_ = false;
  }
  ~FakeSource() { is_dropped_ = true; }

  kj::Promise<void> read(ReadContext context) override { return give_(context); }

 private:
  Give give_;
  std::optional<bool>& is_dropped_;
};

/// Answers with the bytes that are requested, less `missing`.
inline FakeSource::Give pieces_of(const Tensor& tensor, uint64_t missing = 0) {
  return [tensor, missing](FakeSource::Context context) {
    auto params = context.getParams();
    auto* begin = static_cast<const capnp::byte*>(tensor.raw()) + params.getOffset();
    context.getResults().setBytes({begin, params.getBytes() - missing});
    return kj::READY_NOW;
  };
}

/// Fills the feed `x` with the dtype and shape of `like` and with that source.
inline void feed_from(
    rpc::Feed::Builder feed, const Tensor& like, rpc::TensorSource::Client source) {
  feed.setOutput("x");
  auto value = feed.initValue();
  value.setDtype(static_cast<uint16_t>(like.dtype()));
  value.setSizes({like.shape().sizes().data(), like.shape().sizes().size()});
  value.setSource(kj::mv(source));
}

}  // namespace troupe::testing
