#include "troupe/actors/world/real_world.hpp"

#include <caf/io/all.hpp>

#include "troupe/actors/error.hpp"
#include "troupe/actors/node_messages.hpp"

namespace troupe {
namespace {

/// Asks the middleman for a connection. It is an actor because the middleman answers by message.
void connect_actors(
    caf::event_based_actor* self, const Endpoint& endpoint, std::chrono::milliseconds timeout,
    World::Connected done) {
  auto place = endpoint.host + ":" + std::to_string(endpoint.actor_port);
  self->request(
          self->system().middleman().actor_handle(), timeout, caf::connect_atom_v, endpoint.host,
          endpoint.actor_port)
      .then(
          [done, place](
              const caf::node_id&, const caf::strong_actor_ptr& task,
              const std::set<std::string>&) {
            if (task) done(task);
            else done(unavailable("the node at " + place + " has published no task actor"));
          },
          [done, place](caf::error& error) {
            done(unavailable(
                "cannot connect to the actors at " + place + ": " + to_status(error).message()));
          });
}

}  // namespace

void RealWorld::connect(const Address& address, std::chrono::milliseconds timeout, Connected done) {
  endpoints_.find(
      address, timeout,
      [&system = system_, timeout, done = std::move(done)](Result<Endpoint> endpoint) {
        if (!endpoint) return done(endpoint.status());
        if (endpoint->protocol_version != protocol_version)
          return done(failed_precondition(
              "the node at " + endpoint->host + " speaks version " +
              std::to_string(endpoint->protocol_version) +
              " of the protocol between nodes, this one " + std::to_string(protocol_version)));
        system.spawn(connect_actors, *endpoint, timeout, done);
      });
}

uint64_t RealWorld::random() {
  std::lock_guard lock(mutex_);
  return (uint64_t{random_()} << 32) | random_();
}

Result<uint16_t> RealWorld::publish(const caf::strong_actor_ptr& task, const std::string& host) {
  auto port = system_.middleman().publish(
      caf::actor_cast<caf::actor>(task), 0, host.empty() ? nullptr : host.c_str());
  if (!port) return to_status(port.error());
  return *port;
}

NodeSystemConfig::NodeSystemConfig() {
  load<caf::io::middleman>();
  add_message_types<caf::id_block::troupe>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", size_t{1});
  set("middleman.workers", size_t{0});
  set("middleman.enable-automatic-connections", false);
}

}  // namespace troupe
