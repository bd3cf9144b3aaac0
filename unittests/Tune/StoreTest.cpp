//===- StoreTest.cpp - Measurements in a file -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Store.h"

#include "PlantedMeasurer.h"

#include "GNN/Runtime/Files.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <sys/wait.h>
#include <unistd.h>

using namespace gnn;
using namespace gnn::tune;

namespace {
class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("store", "jsonl", name));
    path = name.str().str();
  }
  void TearDown() override { ::unlink(path.c_str()); }

  std::string readError(llvm::StringRef text) {
    EXPECT_FALSE(runtime::writeFile(path, {text}));
    auto lines = readStore(path);
    return lines ? "" : lines.takeError().message();
  }

  std::string path;
};
} // namespace

static Cell makeCell(const std::string &name) {
  Cell cell;
  cell.name = name;
  cell.key.function = "f";
  cell.key.graph = "g";
  cell.key.kind = "traverse";
  cell.key.domain = "<dst>";
  cell.key.accesses = {"<group>", ""};
  cell.key.types = {"memref<?xf32>", "memref<?xf32>"};
  cell.key.body = "0123456789abcdef";
  cell.device = "a device";
  cell.version = "0.1";
  return cell;
}

/// The schedule of a planted measurer.
static runtime::Expected<Schedule>
readPlanted(const tile::ScheduleFields &fields) {
  Schedule schedule;
  for (const tile::ScheduleField &field : PlantedMeasurer::table())
    schedule.push_back(std::stoll(fields.at(field.name.str())));
  if (schedule[1] == 3)
    return runtime::failure("planted");
  return schedule;
}

static Trial makeTrial(const Schedule &schedule, double milliseconds) {
  Trial trial;
  trial.schedule = schedule;
  trial.measured.milliseconds = milliseconds;
  trial.measured.ratio = milliseconds / 10;
  trial.measured.rounds = 7;
  trial.measured.seconds = 0.5;
  trial.measured.check = Check::Close;
  return trial;
}

TEST_F(StoreTest, LinesAreReadAsTheyWereAdded) {
  Store store(path);
  auto fields = PlantedMeasurer::table();
  ASSERT_FALSE(store.add(makeCell("a"), fields, makeTrial({1, 2, 4}, 3)));
  Trial dropped;
  dropped.schedule = {2, 2, 4};
  dropped.measured = Measurement::drop("launch: too many \"threads\"\n");
  ASSERT_FALSE(store.add(makeCell("a"), fields, dropped));
  auto lines = readStore(path);
  ASSERT_TRUE(lines) << lines.message();
  ASSERT_EQ(lines->size(), 2u);
  const StoredMeasurement &first = lines->front();
  EXPECT_EQ(first.cell.key.tie(), makeCell("a").key.tie());
  EXPECT_EQ(first.cell.device, "a device");
  EXPECT_EQ(first.fields.at("deep"), "2");
  EXPECT_EQ(first.measured.milliseconds, 3);
  EXPECT_EQ(first.measured.check, Check::Close);
  EXPECT_EQ(lines->back().measured.dropped, dropped.measured.dropped);
}

TEST_F(StoreTest, WhatIsWrongHasTheNumberOfItsLine) {
  Store store(path);
  ASSERT_FALSE(store.add(makeCell("a"), PlantedMeasurer::table(),
                         makeTrial({1, 2, 4}, 3)));
  auto text = runtime::readFile(path);
  ASSERT_TRUE(text);
  auto change = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string changed = *text;
    changed.replace(changed.find(from), from.size(), to);
    return readError(*text + changed);
  };
  EXPECT_EQ(readError(*text + "\n" + *text), "");
  EXPECT_EQ(change("\"ratio\"", "\"part\""),
            path +
                ":2: expected a finite number above 0 as 'ratio', got nothing");
  EXPECT_EQ(change("\"ratio\":", "\"ratio\":0,\"of\":"),
            path + ":2: expected a finite number above 0 as 'ratio', got 0");
  EXPECT_EQ(
      change("\"milliseconds\":3", "\"milliseconds\":0"),
      path + ":2: expected a finite number above 0 as 'milliseconds', got 0");
  EXPECT_EQ(
      change("\"milliseconds\":3", "\"milliseconds\":1e999"),
      path + ":2: expected a finite number above 0 as 'milliseconds', got inf");
  EXPECT_EQ(change("\"ratio\":", "\"ratio\":1e999,\"of\":"),
            path + ":2: expected a finite number above 0 as 'ratio', got inf");
  EXPECT_EQ(
      change("\"spread\":0", "\"spread\":1e999"),
      path + ":2: expected a finite number of at least 0 as 'spread', got inf");
  EXPECT_EQ(
      change("\"seconds\":0.5", "\"seconds\":1e999"),
      path +
          ":2: expected a finite number of at least 0 as 'seconds', got inf");
  EXPECT_EQ(change("\"rounds\":7", "\"rounds\":1e22"),
            path + ":2: expected a whole number from 0 to 4294967295 as "
                   "'rounds', got 1e+22");
  EXPECT_EQ(
      change("\"spread\":0", "\"spread\":-1"),
      path + ":2: expected a finite number of at least 0 as 'spread', got -1");
  EXPECT_EQ(change("\"cell\":\"a\"", "\"cell\":3"),
            path + ":2: expected a string as 'cell', got 3");
  EXPECT_EQ(
      change("\"close\"", "\"near\""),
      path + ":2: expected none, same bits or close as 'check', got \"near\"");
  EXPECT_EQ(change("\"accesses\":[", "\"accesses\":[1,"),
            path + ":2: expected a list of strings as 'accesses', got "
                   "[1,\"<group>\",\"\"]");
  EXPECT_EQ(
      change("\"deep\":2", "\"deep\":[]"),
      path + ":2: expected a whole number or a word as 'deep' of the schedule, "
             "got []");
  EXPECT_EQ(change("{\"wide\":1,\"deep\":2,\"long\":4}", "{}"),
            path + ":2: expected fields as 'schedule', got {}");
  EXPECT_EQ(change("\"deep\":2", "\"deep\":2,\"d\\u0065ep\":4"),
            path + ":2: expected 'deep' once, got it twice");
  EXPECT_EQ(change("\"rounds\":7", "\"seconds\":7"),
            path + ":2: expected 'seconds' once, got it twice");
  // Half a line, as after a crash of the machine.
  std::string error = readError(*text + text->substr(0, text->size() / 2));
  EXPECT_EQ(error.find(path + ":2: expected a JSON object a line: "), 0u)
      << error;
  EXPECT_EQ(readError("[]"),
            path + ":1: expected a JSON object a line, got []");
}

TEST_F(StoreTest, TwoProcessesAddWholeLines) {
  constexpr int count = 200;
  std::vector<pid_t> children;
  for (int number = 0; number < 2; ++number) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Store store(path);
      Cell cell = makeCell(std::string(20000, char('a' + number)));
      for (int i = 0; i < count; ++i)
        if (store.add(cell, PlantedMeasurer::table(),
                      makeTrial({1, 2, 4}, i + 1)))
          ::_exit(1);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto lines = readStore(path);
  ASSERT_TRUE(lines) << lines.message().substr(0, 200);
  EXPECT_EQ(lines->size(), 2u * count);
}

/// What a process that was killed has left of a line spoils no other.
TEST_F(StoreTest, AddsNothingToATornLine) {
  Store store(path);
  auto add = [&] {
    return store.add(makeCell("a"), PlantedMeasurer::table(),
                     makeTrial({1, 2, 4}, 3));
  };
  ASSERT_FALSE(add());
  auto text = runtime::readFile(path);
  ASSERT_TRUE(text);
  std::string torn = *text + text->substr(0, text->size() / 2);
  ASSERT_FALSE(runtime::writeFile(path, {torn}));
  EXPECT_FALSE(store.check());
  ASSERT_FALSE(add());
  ASSERT_FALSE(add());
  auto all = runtime::readFile(path);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, torn + "\n" + *text + *text);
  auto lines = readStore(path);
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.message().find(path + ":2: expected a JSON object"), 0u)
      << lines.message();
}

TEST_F(StoreTest, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(Store("/nonexistent/store.jsonl").check().message(),
            "cannot write '/nonexistent/store.jsonl': No such file or "
            "directory");
  EXPECT_FALSE(Store(path).check());
}

/// A search of a store is the search that has made it.
TEST_F(StoreTest, ReplaysASearch) {
  auto cost = [](const Schedule &schedule) {
    return schedule[2] == 128 ? -1 : 1 + std::abs(schedule[0] - 30.0);
  };
  PlantedMeasurer measurer(cost);
  Store store(path);
  Limits limits;
  limits.seconds = 1000;
  limits.record = [&](const Trial &trial) {
    EXPECT_FALSE(store.add(makeCell("a"), PlantedMeasurer::table(), trial));
  };
  auto search = createCoordinateSearch();
  History made = runSearch(*search, measurer, limits);
  auto lines = readStore(path);
  ASSERT_TRUE(lines) << lines.message();
  limits.record = {};
  PlantedMeasurer other(cost);
  auto complete = [&](const Schedule &schedule) {
    return other.complete(schedule);
  };
  auto create = [&](llvm::StringRef cell) {
    return StoreMeasurer::create(*lines, cell, makeCell("a").key,
                                 measurer.space(), readPlanted, complete);
  };
  auto replayed = create("a");
  ASSERT_TRUE(replayed) << replayed.message();
  auto again = createCoordinateSearch();
  History history = runSearch(*again, **replayed, limits);
  EXPECT_TRUE(other.asked.empty());
  ASSERT_EQ(history.trials.size(), made.trials.size());
  EXPECT_EQ(history.best().schedule, made.best().schedule);
  for (auto [one, two] : llvm::zip_equal(history.trials, made.trials))
    EXPECT_EQ(one.measured.dropped, two.measured.dropped);
  EXPECT_FALSE(create("b"));
  lines->back().cell.device = "another";
  EXPECT_EQ(create("a").message(),
            "expected measurements of 'a' and this template by one device, got "
            "'a device' and 'another'");
  EXPECT_EQ((*replayed)->measure(Schedule{2, 2, 2}).front().dropped,
            "is not in the store");
  (*lines)[3].fields["deep"] = "3";
  EXPECT_EQ(create("a").message(), path + ":4: planted");
}

/// The first schedule is what the rules chose when the store was made; where
/// they complete a schedule in another way by now, it is the one that agrees.
TEST_F(StoreTest, ReplaysWhereTheRulesHaveChanged) {
  Store store(path);
  for (const Schedule &schedule :
       {Schedule{8, 8, 8}, {1, 8, 8}, {2, 8, 8}, {2, 2, 8}, {4, 8, 2}})
    ASSERT_FALSE(store.add(makeCell("a"), PlantedMeasurer::table(),
                           makeTrial(schedule, double(schedule[0]))));
  auto lines = readStore(path);
  ASSERT_TRUE(lines) << lines.message();
  SearchSpace space;
  space.fields = PlantedMeasurer::table();
  space.chosen = {4, 4, 4};
  space.listed = {{{1, 0, 8}, {}}, {{2, 0, 8}, {}}, {{4, 0, 0}, {}}};
  auto complete = [](Schedule schedule) -> runtime::Expected<Schedule> {
    for (int64_t &value : schedule)
      value = value ? value : 4;
    return schedule;
  };
  auto measurer = StoreMeasurer::create(
      *lines, "a", makeCell("a").key, std::move(space), readPlanted, complete);
  ASSERT_TRUE(measurer) << measurer.message();
  EXPECT_EQ((*measurer)->space().chosen, Schedule({8, 8, 8}));
  // Two schedules are like the second of the list. Others of the list set what
  // the third leaves open.
  ASSERT_EQ((*measurer)->space().listed.size(), 1u);
  Limits limits;
  auto search = createExhaustiveSearch(10);
  History history = runSearch(*search, **measurer, limits);
  EXPECT_EQ(history.best().schedule, Schedule({1, 8, 8}));
}
