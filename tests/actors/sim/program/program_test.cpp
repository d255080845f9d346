#include "troupe/actors/sim/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(program)

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

struct ProgramFixture {
  explicit ProgramFixture(uint64_t seed = 1)
      : cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{seed}) {}

  /// A program that notes what it does, with the time in milliseconds.
  void note(const std::string& text) {
    notes.push_back(std::to_string(cluster.now() / 1ms) + " " + text);
  }

  std::vector<std::string> notes;
  sim::Cluster cluster;
};

using Lines = std::vector<std::string>;

/// Notes the end of a scope, however it ends.
struct Scope {
  ProgramFixture& fixture;
  std::string name;
  ~Scope() { fixture.note(name + " ends"); }
};

/// A session of a program with a node on the parameter server.
struct Client {
  explicit Client(sim::Program& here) : session(*here.session()) {}
  Status run_step() {
    if (auto status = session->extend(b); !status.ok()) return status;
    return session->run({}, {there}).status();
  }

  Builder b;
  Value there = b.on(ps).neg(b.constant(1.0f));
  std::unique_ptr<troupe::Session> session;
};

}  // namespace

BOOST_AUTO_TEST_CASE(programs_take_turns_by_the_clock_of_the_cluster) {
  ProgramFixture fixture;
  for (const auto& [task, period] : {std::pair(worker0, 20ms), std::pair(worker1, 30ms)})
    fixture.cluster.program(task, [&fixture, period = period](sim::Program& here) {
      for (int i = 0; i < 2 && here.wait(period); ++i) fixture.note(here.name());
      return Status();
    });
  BOOST_TEST(fixture.cluster.run_programs(1s));
  BOOST_TEST(
      fixture.notes == (Lines{"20 " + worker0, "30 " + worker1, "40 " + worker0, "60 " + worker1}),
      boost::test_tools::per_element());
  BOOST_TEST(fixture.cluster.program_statuses().size() == 2U);
}

BOOST_AUTO_TEST_CASE(it_knows_its_role_and_its_calls_wait_for_the_cluster) {
  ProgramFixture fixture;
  fixture.cluster.programs([&](sim::Program& here) -> Status {
    if (here.role().is_ps) return here.wait(1h) ? internal("not stopped") : Status();
    auto status = Client(here).run_step();
    if (!here.role().is_chief || !status.ok()) return status;
    return here.wait(100ms) ? here.stop_server("ps", 0) : internal("ended");
  });
  BOOST_TEST(fixture.cluster.run_programs(1min));
  auto statuses = fixture.cluster.program_statuses();
  BOOST_TEST(statuses.at(worker0).ok(), statuses.at(worker0).to_string());
  BOOST_TEST(statuses.at(worker1).ok(), statuses.at(worker1).to_string());
  BOOST_TEST(statuses.at(ps).ok(), statuses.at(ps).to_string());
}

BOOST_AUTO_TEST_CASE(a_crash_unwinds_it_and_a_restart_begins_it_anew) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [&](sim::Program& here) {
    Scope scope{fixture, "the program"};
    fixture.note("begins");
    auto session = here.session();
    try {
      here.wait(100ms);
    } catch (const std::exception&) {
      fixture.note("caught");
    }
    return session ? (*session)->close() : session.status();
  });
  fixture.cluster.at(50ms).crash(worker0);
  fixture.cluster.at(70ms).restart(worker0);
  BOOST_TEST(!fixture.cluster.run_until([] { return false; }, 60ms));
  BOOST_TEST(fixture.cluster.running_programs().empty());
  fixture.cluster.run_for(20ms);
  BOOST_TEST(fixture.cluster.run_programs(1s));
  BOOST_TEST(
      fixture.notes ==
          (Lines{"0 begins", "50 the program ends", "70 begins", "170 the program ends"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_catches_everything_is_killed_again_and_destructors_may_close) {
  struct Closing {
    std::unique_ptr<troupe::Session> session;
    Status& status;
    ~Closing() { status = session->close(); }
  };
  ProgramFixture fixture;
  int caught = 0;
  Status closed;
  fixture.cluster.program(worker0, [&](sim::Program& here) {
    Closing closing{*here.session(), closed};
    for (;;) try {
        here.wait(1s);
      } catch (...) {
        if (++caught == 3) throw;
      }
    return Status();
  });
  fixture.cluster.run_for(10ms);
  fixture.cluster.crash(worker0);
  BOOST_TEST(caught == 3);
  BOOST_TEST(!closed.ok());
  BOOST_TEST(fixture.cluster.program_statuses().empty());
}

BOOST_AUTO_TEST_CASE(one_that_crashes_its_own_task_ends_with_its_next_call) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [&](sim::Program& here) {
    fixture.cluster.crash(worker0);
    fixture.note("goes on");
    here.wait(1ms);
    fixture.note("is alive");
    return Status();
  });
  fixture.cluster.run_for(10ms);
  BOOST_TEST(fixture.notes == Lines{"0 goes on"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_is_frozen_goes_on_when_it_thaws) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [&](sim::Program& here) {
    here.wait(100ms);
    fixture.note("goes on");
    return Status();
  });
  fixture.cluster.at(50ms).freeze(worker0);
  fixture.cluster.at(500ms).thaw(worker0);
  BOOST_TEST(fixture.cluster.run_programs(1s));
  BOOST_TEST(fixture.notes == Lines{"500 goes on"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_process_ends_with_its_program_and_no_fault_restarts_it) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [](sim::Program&) { return Status(); });
  BOOST_TEST(fixture.cluster.run_programs(1s));
  fixture.cluster.at(100ms).crash(worker0);
  fixture.cluster.at(200ms).restart(worker0);
  fixture.cluster.run_for(300ms);
  BOOST_TEST(fixture.cluster.faults().empty());
  BOOST_TEST(!fixture.cluster.is_running(worker0));
}

BOOST_AUTO_TEST_CASE(one_that_spins_is_reported_and_not_waited_for) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [&](sim::Program& here) {
    while (!fixture.cluster.session(worker1).run({}, {"x"}).ok()) {
    }
    return here.wait(1s) ? Status() : Status();
  });
  fixture.cluster.crash(worker1);
  BOOST_TEST(!fixture.cluster.run_programs(1s));
  BOOST_REQUIRE(fixture.cluster.violation().has_value());
  BOOST_TEST(fixture.cluster.violation()->name == "SP-3");
  BOOST_TEST(
      fixture.cluster.violation()->text ==
      "100000 calls and no time passed in the program of /job:worker/task:0");
}

BOOST_AUTO_TEST_CASE(one_that_asks_for_the_time_until_it_passes_is_reported) {
  ProgramFixture fixture;
  fixture.cluster.program(worker0, [](sim::Program& here) {
    while (here.now() < 1s) {
    }
    return Status();
  });
  BOOST_TEST(!fixture.cluster.run_programs(1s));
  BOOST_TEST(fixture.cluster.violation()->name == "SP-3");
}

BOOST_AUTO_TEST_CASE(an_exception_that_leaves_it_is_a_violation) {
  ProgramFixture fixture;
  fixture.cluster.program(
      worker0, [](sim::Program&) -> Status { throw std::runtime_error("bad"); });
  BOOST_TEST(!fixture.cluster.run_programs(1s));
  BOOST_TEST(fixture.cluster.violation()->text == worker0 + ": bad");
}

BOOST_AUTO_TEST_CASE(those_that_still_run_end_with_their_cluster) {
  std::string folder;
  int ended = 0;
  {
    sim::Cluster cluster({{"worker", 2}}, sim::Seed{1});
    cluster.programs([&](sim::Program& here) {
      std::shared_ptr<int> guard(&ended, [](int* count) { ++*count; });
      folder = here.folder();
      here.wait(1h);
      return Status();
    });
    cluster.run_for(1s);
    BOOST_TEST(ended == 0);
    BOOST_TEST(std::filesystem::is_directory(folder));
  }
  BOOST_TEST(ended == 2);
  BOOST_TEST(!std::filesystem::exists(folder));
}

BOOST_AUTO_TEST_CASE(a_seed_gives_one_history_of_programs) {
  auto history = [](uint64_t seed) {
    ProgramFixture fixture(seed);
    fixture.cluster.programs([&](sim::Program& here) {
      if (here.role().is_ps) return here.wait(1h) ? Status() : Status();
      Client client(here);
      for (int i = 0; i < 5; ++i) {
        if (auto status = client.run_step(); !status.ok()) return status;
        here.wait(std::chrono::microseconds(here.random().below(1000)));
        here.log("step " + std::to_string(i));
      }
      return Status();
    });
    fixture.cluster.run_for(10ms);
    auto log = fixture.cluster.log();
    log.push_back(std::to_string(fixture.cluster.trace_hash()));
    return log;
  };
  BOOST_TEST(history(1).size() == 11U);
  BOOST_TEST(history(1) == history(1), boost::test_tools::per_element());
  BOOST_TEST((history(1) != history(2)));
}

BOOST_AUTO_TEST_SUITE_END()
