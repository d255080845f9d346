#include "troupe/devices/local_devices.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/accelerator/card_library.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/check.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr auto cpu_type = "CPU", gpu_type = "GPU";
constexpr int devices_max = 64;
/// Of a card's memory; the rest is for the driver's own needs, and those of libraries.
constexpr double default_fraction = 0.92;

/// "CPU", "CPU:0" or "gpu:1", in any case, as in the names of devices.
struct Asked {
  std::string type;
  std::optional<int> index;
};

Result<Asked> parse_visible(const std::string& text) {
  auto name = DeviceName::parse("/device:" + text);
  if (!name || !name->type)
    return invalid_argument("the device " + quote(text) + " is not written as CPU:0");
  return Asked{.type = *name->type, .index = name->index};
}

/// What the options say of GPUs.
struct AskedGpus {
  bool are_wanted = true;     // if there are any
  bool are_required = false;  // one at least is named
  int count = devices_max;
  std::vector<int> indices = {};  // those that are visible; empty: all
};

AskedGpus asked_gpus(const LocalDeviceOptions& options) {
  AskedGpus gpus;
  if (auto found = options.count.find(gpu_type); found != options.count.end()) {
    gpus.count = found->second;
    gpus.are_wanted = found->second > 0;
    gpus.are_required = found->second > 0;
  }
  bool sees_all = options.visible.empty(), sees_some = sees_all;
  for (const auto& text : options.visible) {
    auto asked = parse_visible(text);
    if (!asked || asked->type != gpu_type) continue;
    sees_some = gpus.are_required = true;
    if (asked->index) gpus.indices.push_back(*asked->index);
    else sees_all = true;
  }
  if (sees_all) gpus.indices.clear();
  gpus.are_wanted &= sees_some;
  gpus.are_required |= gpus.are_wanted && !options.gpu.cards.empty();
  return gpus;
}

/// The machine's cards, and why there are none.
struct Cards {
  std::shared_ptr<const accelerator::CardLibrary> library;
  std::vector<int> ordinals = {};  // of GPU:0 and on
  Status fault = {};
  bool has_driver = true;
};

Cards find_cards(const GpuOptions& options) {
  auto library = accelerator::load_cuda();
  if (!library)
    return {
        .library = nullptr,
        .fault = library.status(),
        .has_driver = library.status().code() != Code::not_found};
  auto count = (*library)->count();
  if (!count) return {.library = *library, .fault = count.status()};
  Cards cards{.library = *library};
  for (auto card : options.cards)
    if (card < 0 || card >= *count) {
      cards.fault = invalid_argument(
          "there is no card " + std::to_string(card) + "; the machine has " +
          std::to_string(*count));
      return cards;
    }
  cards.ordinals = options.cards;
  if (cards.ordinals.empty()) {
    cards.ordinals.resize(static_cast<size_t>(*count));
    std::iota(cards.ordinals.begin(), cards.ordinals.end(), 0);
  }
  if (*count == 0) cards.fault = not_found("NVIDIA's driver shows no card");
  return cards;
}

/// "; this machine has: CPU:0, GPU:0".
std::string available(const Cards& cards) {
  std::string text = "; this machine has: CPU:0";
  for (size_t i = 0; i < cards.ordinals.size(); ++i) text += ", GPU:" + std::to_string(i);
  if (!cards.fault.ok()) text += ", and no GPU, as " + cards.fault.message();
  return text;
}

constexpr auto available_cpu = "; this machine has: CPU:0";

Status check_count(const std::string& counted, int count) {
  auto asked = counted + "=" + std::to_string(count);
  // A count of 0 disables a type, as in TensorFlow, even one that the machine lacks.
  if (counted != cpu_type && count == 0) return {};
  if (counted != cpu_type && counted != gpu_type)
    return invalid_argument("there are not as many devices as " + quote(asked) + available_cpu);
  if (count >= 1 && count <= devices_max) return {};
  return invalid_argument(
      quote(asked) + ": a task has from 1 to " + std::to_string(devices_max) + " " + counted +
      " devices");
}

Status check_visible(const std::string& text) {
  auto asked = parse_visible(text);
  if (!asked) return asked.status();
  if (asked->type == gpu_type || (asked->type == cpu_type && asked->index.value_or(0) == 0))
    return {};
  return invalid_argument("there is no device " + quote(text) + available_cpu);
}

/// Whether the machine has the GPUs that are named.
Status check_gpus(const LocalDeviceOptions& options, const AskedGpus& asked, const Cards& cards) {
  auto count = static_cast<int>(cards.ordinals.size());
  for (const auto& text : options.visible) {
    auto name = parse_visible(text);
    if (name && name->type == gpu_type && name->index.value_or(0) >= count)
      return invalid_argument("there is no device " + quote(text) + available(cards));
  }
  if (asked.count < devices_max && asked.count > count)
    return invalid_argument(
        "there are not as many devices as " + quote("GPU=" + std::to_string(asked.count)) +
        available(cards));
  if (asked.are_required && !cards.fault.ok())
    return invalid_argument("there is no GPU, as " + cards.fault.message());
  return {};
}

Result<std::shared_ptr<Device>> make_gpu(
    const accelerator::CardLibrary& library, int ordinal, int index,
    const LocalDeviceOptions& all_options, std::shared_ptr<Device> host) {
  const auto& options = all_options.gpu;
  auto driver = library.open(ordinal);
  if (!driver) return driver.status();
  auto fraction = options.memory_fraction > 0 ? options.memory_fraction : default_fraction;
  auto limit = static_cast<uint64_t>(
      static_cast<double>((*driver)->facts().memory_bytes) * std::min(fraction, 1.0));
  if (options.memory_limit > 0) limit = std::min(limit, options.memory_limit);
  KernelCatalog kernels;
  library.add_kernels(kernels);
  auto pinned_limit = host->attributes().memory_limit / 2;
  auto device = accelerator::make_accelerator_device(
      {.type = gpu_type,
       .index = index,
       .driver = *std::move(driver),
       .kernels = std::move(kernels),
       .host = std::move(host),
       .memory = {.limit_bytes = limit, .grows = !options.reserves_memory},
       .pinned = {.limit_bytes = pinned_limit},
       .graphs = {.are_kept = options.captures_graphs, .log = all_options.detail}});
  if (!device) return device.status();
  return std::shared_ptr<Device>(*std::move(device));
}

/// Adds the GPUs that the options leave.
Status add_gpus(
    const LocalDeviceOptions& options, const std::shared_ptr<Device>& host,
    std::vector<std::shared_ptr<Device>>& devices) {
  auto asked = asked_gpus(options);
  if (!asked.are_wanted) return {};
  auto log = [&](const std::string& text) {
    if (options.log) options.log(text);
  };
  auto cards = find_cards(options.gpu);
  if (asked.are_required)
    if (auto status = check_gpus(options, asked, cards); !status.ok()) return status;
  if (!cards.fault.ok() && cards.has_driver) log("no GPU is used: " + cards.fault.message());
  for (int index = 0; index < std::min(static_cast<int>(cards.ordinals.size()), asked.count);
       ++index) {
    if (!asked.indices.empty() && !std::ranges::count(asked.indices, index)) continue;
    auto gpu =
        make_gpu(*cards.library, cards.ordinals[static_cast<size_t>(index)], index, options, host);
    auto name = "GPU:" + std::to_string(index);
    if (gpu) devices.push_back(*std::move(gpu));
    else if (asked.are_required || gpu.status().code() == Code::resource_exhausted)
      return Status(gpu.status().code(), name + ": " + gpu.status().message());
    else log(name + " is not used: " + gpu.status().message());
  }
  return {};
}

}  // namespace

Status check(const LocalDeviceOptions& options) {
  for (const auto& name : options.visible)
    if (auto status = check_visible(name); !status.ok()) return status;
  for (const auto& [counted, count] : options.count)
    if (auto status = check_count(counted, count); !status.ok()) return status;
  auto fraction = options.gpu.memory_fraction;
  if (!(fraction >= 0 && fraction <= 1))
    return invalid_argument(
        "a fraction of a GPU's memory is between 0 and 1, and not " + std::to_string(fraction));
  auto asked = asked_gpus(options);
  if (!asked.are_required) return {};
  return check_gpus(options, asked, find_cards(options.gpu));
}

Result<std::vector<std::shared_ptr<Device>>> make_local_devices(const LocalDeviceOptions& options) {
  CHECK(check(options).ok());
  auto count = options.count.find(cpu_type);
  auto cpus = make_cpu_devices(count == options.count.end() ? 1 : count->second, options.cpu);
  std::vector<std::shared_ptr<Device>> all(
      std::make_move_iterator(cpus.begin()), std::make_move_iterator(cpus.end()));
  std::vector<std::shared_ptr<Device>> devices;
  if (auto status = add_gpus(options, all.front(), devices); !status.ok()) return status;
  devices.insert(devices.end(), all.begin(), all.end());
  return devices;
}

std::shared_ptr<Device> find_host_device(const std::vector<std::shared_ptr<Device>>& devices) {
  auto found = std::ranges::find_if(devices, [](const auto& device) { return !device->stream(); });
  return found == devices.end() ? nullptr : *found;
}

}  // namespace troupe
