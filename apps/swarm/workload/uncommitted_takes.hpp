#pragma once

#include <list>
#include <string>

#include "troupe/apps/swarm/oracle/failure_oracle.hpp"
#include "troupe/apps/swarm/oracle/queue_model.hpp"

namespace troupe::swarm {

/// Finds the takes of queues that have succeeded for their clients, which the queue's task may not
/// have heard because of a fault before or soon after.
class UncommittedTakes {
 public:
  explicit UncommittedTakes(const sim::Cluster& cluster) : cluster_(cluster) {}

  /// A step of that master has succeeded, whose take `model` is about to be told of.
  void add(QueueModel& model, size_t take, std::string master) {
    Take added{&model, take, std::move(master), cluster_.now()};
    if (!note_uncommitted(added)) takes_.push_back(std::move(added));
  }
  /// Tells the models of those that turn out to be uncommitted.
  void note() {
    std::erase_if(takes_, [this](const Take& take) {
      return note_uncommitted(take) || cluster_.now() > take.ended + notice_time;
    });
  }

 private:
  struct Take {
    QueueModel* model;
    size_t index;
    std::string master;
    sim::Time ended;
  };

  bool note_uncommitted(const Take& take) const {
    auto& [model, index, master, ended] = take;
    if (!may_be_uncommitted(cluster_, master, model->queue().task, model->began_take(index), ended))
      return false;
    model->leave_uncommitted(index);
    return true;
  }

  const sim::Cluster& cluster_;
  std::list<Take> takes_;
};

}  // namespace troupe::swarm
