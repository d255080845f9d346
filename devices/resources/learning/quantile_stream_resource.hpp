#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "troupe/devices/resources/learning/quantile_stream.hpp"
#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Streams of summaries in a container, one for each feature, and the boundaries of buckets that
/// were made of them. There are none until they are created. Thread-safe.
/// (TensorFlow: BoostedTreesQuantileStreamResource.)
class QuantileStreamResource final : public Resource {
 public:
  static constexpr const char* kind_name = "quantile stream";

  struct Options {
    float epsilon = 0;  // in (0, 1)
    int64_t max_elements = 0;
    int64_t stream_count = 0;
  };
  /// A stream, and the boundaries that the streams before it had when they were flushed.
  struct Feature {
    QuantileStream stream;
    std::vector<float> boundaries;
  };
  class Streams {
   public:
    explicit Streams(const Options& options);

    std::vector<Feature>& features() { return features_; }
    /// As if nothing had been added to any stream. The boundaries stay.
    void reset_streams();

   private:
    Options options_;
    std::vector<Feature> features_;
  };

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override;
  Description describe() const override { return {.dtype = DType::resource}; }

  bool is_created() const;
  /// Without effect where there are some.
  void create(const Options& options);
  /// What f(Streams&), a Status, says; nobody else uses them meanwhile. NotFound: there are none.
  template <class F>
  Status use(const F& f) {
    std::lock_guard lock(mutex_);
    return streams_ ? f(*streams_) : none();
  }

 private:
  static Status none();

  mutable std::mutex mutex_;
  std::optional<Streams> streams_;
  bool is_dropped_ = false;
};

class ResourceKindCatalog;

/// Called by make_resource_kind_catalog().
void add_quantile_stream_kind(ResourceKindCatalog& catalog);

}  // namespace troupe
