//===- RecordsTest.cpp - Records of schedules -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/Records.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

namespace {
class Records : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("records", "jsonl", name));
    path = name.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  /// The last template, of a module that has templates.
  static tile::TileOpInterface last(ModuleOp module) {
    return findTemplate(module);
  }
  /// The rows a block of that template with records of this text.
  int64_t rowsWith(Program &program, llvm::StringRef text) {
    EXPECT_FALSE(runtime::writeFile(path, {text}));
    program.options.records = path;
    EXPECT_TRUE(succeeded(lowerToTemplates(*program.module, program.options,
                                           /*choosesSchedules=*/true)));
    return rowsOf(last(*program.module));
  }
  static size_t field(tile::ScheduleInterface schedule) {
    for (auto [i, field] : llvm::enumerate(schedule.getTable()))
      if (field.name == "rows_per_block")
        return i;
    return 0;
  }
  static int64_t rowsOf(tile::TileOpInterface op) {
    auto schedule = cast<tile::ScheduleInterface>(op.getTileSchedule());
    return schedule.getValues()[field(schedule)];
  }
  /// A record of the last template of an example, with so many rows a block.
  static std::string record(llvm::StringRef example, int64_t rows) {
    Program program(example);
    program.makeTemplates();
    tile::TileOpInterface op = last(*program.module);
    tile::ScheduleInterface kind = tile::getScheduleKind(op);
    SmallVector<int64_t> values(kind.getTable().size());
    values[field(kind)] = rows;
    return tile::printRecord(op, kind, values, 0.5) + "\n";
  }

  std::string path;
};
} // namespace

TEST_F(Records, AreOfOtherFunctionsAndGraphsToo) {
  std::string text = record("rgcn", 512);
  Program same("rgcn"), other("rgcn");
  EXPECT_EQ(rowsWith(same, text), 512);
  other.rename("layer", "other");
  EXPECT_EQ(rowsWith(other, text), 512);
  Program last("rgcn");
  EXPECT_EQ(rowsWith(last, text + record("rgcn", 256)), 256);
}

/// A CPU has no chip and no name.
TEST_F(Records, NameTheKindOfChip) {
  std::string text = record("rgcn", 512);
  EXPECT_NE(text.find("\"target\":\"cpu "), std::string::npos) << text;
  EXPECT_EQ(text.find("  "), std::string::npos) << text;
}

/// A pass that runs again has the file's records of then alone.
TEST_F(Records, AreReadAtEachRun) {
  ASSERT_FALSE(runtime::writeFile(path, {record("rgcn", 512)}));
  Program first("rgcn");
  first.makeTemplates();
  PassManager passes(first.module->getContext());
  passes.addPass(createApplyRecords({path, ""}));
  ASSERT_TRUE(succeeded(passes.run(*first.module)));
  EXPECT_EQ(rowsOf(last(*first.module)), 512);
  OwningOpRef<ModuleOp> again = first.module->clone();
  last(*again).setTileSchedule(Attribute());
  ASSERT_FALSE(runtime::writeFile(path, {""}));
  ASSERT_TRUE(succeeded(passes.run(*again)));
  EXPECT_FALSE(last(*again).getTileSchedule());
}

/// Records that later ones replace go where they are over half of all; lines
/// that are none stay.
TEST_F(Records, ReplaceEarlierOnes) {
  auto line = [](int key, int rows) {
    return "{\"body\":\"" + std::to_string(key) +
           "\",\"ratio\":0.5,\"schedule\":{\"rows_per_block\":" +
           std::to_string(rows) + "}}";
  };
  ASSERT_FALSE(runtime::writeFile(path, {"no record\n"}));
  std::string whole = "no record\n";
  for (int rows : {1, 2}) {
    whole += line(0, rows) + "\n";
    ASSERT_FALSE(tile::addRecord(path, line(0, rows)));
  }
  EXPECT_EQ(*runtime::readFile(path), whole); // half of them
  ASSERT_FALSE(tile::addRecord(path, line(1, 4)));
  EXPECT_EQ(*runtime::readFile(path), whole + line(1, 4) + "\n");
  ASSERT_FALSE(tile::addRecord(path, line(0, 8)));
  ASSERT_FALSE(tile::addRecord(path, line(0, 16)));
  EXPECT_EQ(*runtime::readFile(path),
            "no record\n" + line(1, 4) + "\n" + line(0, 16) + "\n");
}

/// None is lost where files are replaced while others wait for them.
TEST_F(Records, AreAddedByManyAtOnce) {
  constexpr int threads = 8, records = 60;
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread)
    all.emplace_back([&, thread] {
      for (int i = 0; i < records; ++i)
        EXPECT_FALSE(tile::addRecord(
            path, "{\"body\":\"" + std::to_string(thread) +
                      "\",\"schedule\":{\"n\":" + std::to_string(i) + "}}"));
    });
  for (std::thread &thread : all)
    thread.join();
  std::map<std::string, int64_t> last;
  size_t lines = 0;
  std::string text = *runtime::readFile(path);
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).trim(), '\n')) {
    auto value = llvm::json::parse(line);
    ASSERT_TRUE(bool(value)) << line.str();
    ++lines;
    last[value->getAsObject()->getString("body")->str()] =
        *value->getAsObject()->getObject("schedule")->getInteger("n");
  }
  EXPECT_LE(lines, 2u * threads);
  ASSERT_EQ(last.size(), size_t(threads));
  for (auto &[body, n] : last)
    EXPECT_EQ(n, records - 1) << body;
}

/// A signal does not end the wait for who has the file.
TEST_F(Records, WaitThroughSignals) {
  struct sigaction noted = {}, before;
  noted.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &noted, &before), 0);
  int file = open(path.c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  std::thread waiting([&] { EXPECT_FALSE(appendLine(path, "line")); });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    pthread_kill(waiting.native_handle(), SIGUSR1);
  }
  EXPECT_EQ(*runtime::readFile(path), "");
  close(file); // and unlocks
  waiting.join();
  EXPECT_EQ(*runtime::readFile(path), "line\n");
  sigaction(SIGUSR1, &before, nullptr);
}

/// A line that a full disk cuts is not there, and the next one is whole.
TEST_F(Records, AreNotHalfWritten) {
  ASSERT_FALSE(appendLine(path, "first"));
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit less = before;
  less.rlim_cur = 16;
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  runtime::Error error = appendLine(path, std::string(100, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.message(), "cannot write '" + path + "': File too large");
  ASSERT_FALSE(appendLine(path, "last"));
  EXPECT_EQ(*runtime::readFile(path), "first\nlast\n");
}

TEST_F(Records, AreLeftWhereTheyAreOfSomethingElse) {
  Program plain("rgcn");
  int64_t chosen = rowsWith(plain, "");
  ASSERT_NE(chosen, 512);
  std::string text = record("rgcn", 512);
  auto change = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string changed = text;
    EXPECT_NE(changed.find(from), std::string::npos) << from.str();
    changed.replace(changed.find(from), from.size(), to);
    Program program("rgcn");
    return rowsWith(program, changed);
  };
  EXPECT_EQ(change("traverse", "traverse"), 512);
  EXPECT_EQ(change("(MLIR", "(mlir"), chosen);
  EXPECT_EQ(change("edges 2^", "edges 2^1"), chosen);
  EXPECT_EQ(change("\"target\":\"cpu", "\"target\":\"cuda"), chosen);
  EXPECT_EQ(change("\"body\":\"", "\"body\":\"0"), chosen);
  EXPECT_EQ(change("memref<64xf32>", "memref<32xf32>"), chosen);
}

/// Whatever is wrong with records, a program is compiled.
TEST_F(Records, NeverMakeACompilationFail) {
  Program plain("rgcn");
  int64_t chosen = rowsWith(plain, "");
  for (const std::string &text :
       {record("rgcn", 1023 * 3), std::string("{\"schedule\":\n[]\nnull\n"),
        record("rgcn", 512).substr(0, 100),
        std::string(1000, '[') + std::string(1000, ']')}) {
    Program program("rgcn");
    EXPECT_EQ(rowsWith(program, text), chosen) << text.substr(0, 100);
  }
  // Fields that each can have their values, but not together.
  std::string apart = record("rgcn", 512);
  apart.replace(apart.find("\"rows_per_block\":512"), 20,
                "\"columns_per_block\":8,\"vector\":16,\"rows_per_block\":512");
  Program together("rgcn");
  EXPECT_EQ(rowsWith(together, apart), chosen);
  std::string wrong = record("rgcn", 512);
  wrong.replace(wrong.find("rows_per_block"), 14, "rows_per_brick");
  Program program("rgcn"), none("rgcn");
  EXPECT_EQ(rowsWith(program, wrong), chosen);
  none.options.records = path + ".none";
  ASSERT_TRUE(succeeded(lowerToTemplates(*none.module, none.options,
                                         /*choosesSchedules=*/true)));
  EXPECT_EQ(rowsOf(last(*none.module)), chosen);
}
