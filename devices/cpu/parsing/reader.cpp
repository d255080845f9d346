#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parsing/reader_call.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

constexpr const char* awaited = "its reader, or the next file of its queue";

class ReadCall final : public ReaderCall {
 public:
  using ReaderCall::ReaderCall;

 private:
  void work() override {
    std::optional<ReaderResource::Record> record;
    while (!record) {
      if (is_cancelled()) return finish(cancelled("the read was cancelled"));
      if (!reader().has_work()) return wait_for_work();
      auto read = reader().read();
      if (!read) return finish(read.status());
      record = *std::move(read);
    }
    auto key = Tensor::string(std::move(record->key));
    auto value = Tensor::string(std::move(record->value));
    put_back_unless_done(key, value, {record->number});
    launch().set(0, std::move(key));
    launch().set(1, std::move(value));
    finish({});
  }
};

class ReadUpToCall final : public ReaderCall {
 public:
  ReadUpToCall(Launch& launch, Kernel::Done done, int64_t count)
      : ReaderCall(launch, std::move(done)), count_(count) {}

 private:
  // A batch is complete with it, so that its size is not only up to the graph.
  static constexpr uint64_t batch_bytes_max = uint64_t{1} << 30;

  void work() override {
    while (std::ssize(records_) < count_ && bytes_ < batch_bytes_max) {
      if (is_cancelled()) {
        reader().put_back(std::move(records_));
        return finish(cancelled("the read was cancelled"));
      }
      // A batch is of one work unit.
      if (!reader().has_work() && !records_.empty()) break;
      if (!reader().has_work()) return wait_for_work();
      auto read = reader().read();
      if (!read) return finish(read.status());
      if (!*read) continue;
      bytes_ += (*read)->key.size() + (*read)->value.size();
      records_.push_back(**std::move(read));
    }
    finish(set_outputs());
  }

  Status set_outputs() {
    auto keys = launch().allocate(DType::string, {std::ssize(records_)});
    auto values = launch().allocate(DType::string, {std::ssize(records_)});
    if (!keys || !values) return keys ? values.status() : keys.status();
    std::vector<uint64_t> numbers;
    for (auto& record : records_) {
      keys->mutable_data<std::string>()[numbers.size()] = std::move(record.key);
      values->mutable_data<std::string>()[numbers.size()] = std::move(record.value);
      numbers.push_back(record.number);
    }
    put_back_unless_done(*keys, *values, std::move(numbers));
    launch().set(0, *std::move(keys));
    launch().set(1, *std::move(values));
    return {};
  }

  const int64_t count_;
  std::vector<ReaderResource::Record> records_;
  uint64_t bytes_ = 0;
};

void start_read_up_to(Launch& launch, Kernel::Done done) {
  const auto& count = launch.input(2);
  if (!count.shape().is_scalar() || count.value<int64_t>() < 0)
    return done(invalid_argument("num_records must be a scalar that is not negative"));
  std::make_shared<ReadUpToCall>(launch, std::move(done), count.value<int64_t>())->start();
}

/// A use of the reader in its turn that does not wait.
class ReaderUse final : public ReaderCall {
 public:
  using Use = Status (*)(Launch&, ReaderResource&);

  ReaderUse(Launch& launch, Kernel::Done done, Use use)
      : ReaderCall(launch, std::move(done)), use_(use) {}

 private:
  void work() override { finish(use_(launch(), reader())); }

  Use use_;
};

Status serialize_state(Launch& launch, ReaderResource& reader) {
  auto state = reader.serialize_state();
  if (state) launch.set(0, Tensor::string(*std::move(state)));
  return state.status();
}

Status restore_state(Launch& launch, ReaderResource& reader) {
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument(
        "Reader state must be scalar, but had shape: " + launch.input(1).shape().to_string());
  return reader.restore_state(launch.input(1).value<std::string>());
}

Status reset(Launch&, ReaderResource& reader) {
  reader.reset();
  return {};
}

template <ReaderUse::Use use>
Result<Kernel> make_use(const Node&) {
  auto start = [](Launch& launch, Kernel::Done done) {
    std::make_shared<ReaderUse>(launch, std::move(done), use)->start();
  };
  return Kernel{.start = start, .awaits = "its reader"};
}

/// What the reader has counted is known at any time.
template <int64_t (ReaderResource::*counted)() const>
Status get_count(Launch& launch) {
  auto reader = resource_input<ReaderResource>(launch, 0);
  if (!reader) return reader.status();
  if ((*reader)->is_dropped()) return gone(launch.input(0).value<ResourceHandle>());
  launch.set(0, Tensor::scalar<int64_t>(((*reader)->*counted)()));
  return {};
}

}  // namespace

void add_reader_kernels(KernelCatalog& catalog) {
  for (std::string form : {"", "V2"}) {
    catalog.add("ReaderRead" + form, [](const Node&) -> Result<Kernel> {
      auto start = [](Launch& launch, Kernel::Done done) {
        std::make_shared<ReadCall>(launch, std::move(done))->start();
      };
      return Kernel{.start = start, .awaits = awaited};
    });
    catalog.add("ReaderReadUpTo" + form, [](const Node&) -> Result<Kernel> {
      return Kernel{.start = start_read_up_to, .awaits = awaited};
    });
    catalog.add_compute(
        "ReaderNumRecordsProduced" + form, get_count<&ReaderResource::records_produced>);
    catalog.add_compute(
        "ReaderNumWorkUnitsCompleted" + form, get_count<&ReaderResource::work_units_completed>);
    catalog.add("ReaderSerializeState" + form, make_use<serialize_state>);
    catalog.add("ReaderRestoreState" + form, make_use<restore_state>);
    catalog.add("ReaderReset" + form, make_use<reset>);
  }
}

}  // namespace troupe::cpu
