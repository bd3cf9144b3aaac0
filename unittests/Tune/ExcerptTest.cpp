//===- ExcerptTest.cpp - Templates alone, and their measurements ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "GNN/OptionFiles/Inputs.h"
#include "GNN/Target/Compile.h"
#include "GNN/Tune/DeviceMeasurer.h"
#include "GNN/Tune/Store.h"
#include "GNN/Tune/Tune.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

static std::vector<std::string>
randomInputs(const std::vector<runtime::TensorInfo> &infos) {
  std::vector<std::string> values;
  for (auto [i, info] : llvm::enumerate(infos))
    values.push_back(run::randomValues(info, /*seed=*/1, i));
  return values;
}

class ExcerptsOf : public testing::TestWithParam<const char *> {};

/// The templates of a function, each alone, one after another are the function:
/// to the bit, by the same keys and schedules.
TEST_P(ExcerptsOf, AreTheFunction) {
  Program program(GetParam());
  OwningOpRef<ModuleOp> whole = program.module->clone();
  auto package = compileToPackage(*whole, program.options);
  ASSERT_TRUE(succeeded(package));
  auto bound = runtime::BoundFunction::bind(
      *package, program.function, program.graphs(), program.place.device);
  ASSERT_TRUE(bound) << bound.message();
  std::vector<std::string> inputs = randomInputs((*bound)->inputs());
  auto expected =
      run::execute(**bound, *program.place.device, inputs, /*profile=*/false);
  ASSERT_TRUE(expected) << expected.message();

  program.makeTemplates();
  std::vector<IsolatedTemplate> alone =
      isolateTemplates(*program.module, program.function);
  OwningOpRef<ModuleOp> scheduled = program.module->clone();
  ASSERT_TRUE(succeeded(lowerToTemplates(*scheduled, program.options,
                                         /*choosesSchedules=*/true)));
  SmallVector<tile::TileOpInterface> ops;
  scheduled->walk([&](tile::TileOpInterface op) { ops.push_back(op); });
  ASSERT_EQ(ops.size(), alone.size());
  std::vector<CompileJob> jobs;
  for (auto [op, one] : llvm::zip_equal(ops, alone)) {
    EXPECT_EQ(tile::TemplateKey(op).tie(), one.key.tie());
    auto schedule = completeSchedule(one, openSchedule(one), program.options);
    ASSERT_TRUE(schedule) << schedule.message();
    EXPECT_EQ(
        *schedule,
        cast<tile::ScheduleInterface>(op.getTileSchedule()).getValues().vec());
    jobs.push_back({&one, openSchedule(one)});
  }
  std::vector<Compiled> compiled = compileAll(jobs, program.place);
  FunctionMemory memory(program.place.device);
  for (auto [one, made] : llvm::zip_equal(alone, compiled)) {
    ASSERT_TRUE(made.bound) << made.why;
    ASSERT_FALSE(memory.reserve(one, *made.bound));
  }
  auto func = program.module->lookupSymbol<func::FuncOp>(program.function);
  std::vector<WrittenPart> results;
  size_t input = 0;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    if (func.getArgAttr(i, "gnn.workspace"))
      continue;
    if (!func.getArgAttr(i, "bufferize.result")) {
      ASSERT_FALSE(memory.set(i, inputs[input++]));
      continue;
    }
    WrittenPart part;
    part.argument = i;
    part.bytes = (*bound)->outputs()[results.size()].bytes;
    results.push_back(std::move(part));
  }
  for (auto [one, made] : llvm::zip_equal(alone, compiled))
    ASSERT_FALSE(memory.run(one, *made.bound));
  auto got = memory.read(results);
  ASSERT_TRUE(got) << got.message();
  EXPECT_TRUE(*got == expected->outputs);
}

INSTANTIATE_TEST_SUITE_P(Examples, ExcerptsOf,
                         testing::Values("rgcn", "gcn", "gat-two-layers",
                                         "rgat-heads", "hgt", "sage-max",
                                         "transformer-gate", "compgcn-mul"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

namespace {
struct NamedCase {
  const char *example;
  bool isForGPU;
  const char *passes;
};
} // namespace

class NamesOf : public testing::TestWithParam<NamedCase> {};

/// Templates are called as the kernels of a run are, whose numbers are those of
/// launches.
TEST_P(NamesOf, AreThoseOfARun) {
  Program program(GetParam().example, GetParam().isForGPU);
  program.options.passes = GetParam().passes;
  OwningOpRef<ModuleOp> whole = program.module->clone();
  auto package = compileToPackage(*whole, program.options);
  ASSERT_TRUE(succeeded(package));
  auto plan = (*package)->plan().find(program.function);
  ASSERT_TRUE(plan) << plan.message();
  std::vector<std::string> launches;
  for (const runtime::StepSpec &step : (*plan)->steps)
    launches.push_back(step.name.empty() ? step.kernel : step.name);

  program.makeTemplates();
  auto names = nameKernels(*program.module, program.function, program.options);
  ASSERT_TRUE(names) << names.message();
  ASSERT_EQ(names->size(),
            isolateTemplates(*program.module, program.function).size());
  EXPECT_EQ(names->size() < launches.size(),
            StringRef(GetParam().passes).contains("edge-walks=1"));
  size_t last = 0;
  for (StringRef name : *names) {
    StringRef number = name.drop_front(program.function.size() + 1);
    size_t at = launches.size();
    ASSERT_FALSE(number.take_until([](char c) { return c == '_'; })
                     .getAsInteger(10, at));
    ASSERT_LT(at, launches.size());
    EXPECT_EQ(launches[at], name);
    EXPECT_TRUE(at == 0 || at > last);
    last = at;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, NamesOf,
    testing::Values(NamedCase{"rgcn", false, ""},
                    NamedCase{"gat-two-layers", false, ""},
                    NamedCase{"hgt", true, ""},
                    NamedCase{"gat-two-layers", true, "edge-walks=1"},
                    NamedCase{"transformer-gate", true, "edge-walks=1"}));

/// The last sum of an RGCN is added to what a product has written.
TEST(Excerpts, KnowWhatIsReadWhereItIsWritten) {
  Program program("rgcn");
  program.makeTemplates();
  auto alone = isolateTemplates(*program.module, program.function);
  ASSERT_EQ(alone.size(), 4u);
  EXPECT_EQ(alone[3].readsOutput, std::vector<bool>({true}));
  EXPECT_EQ(alone[2].readsOutput, std::vector<bool>({false}));
  EXPECT_EQ(alone[0].numPlaces, 1u);
  EXPECT_FALSE(alone[0].readsPlaces);
  EXPECT_TRUE(isolateTemplates(*program.module, "none").empty());
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

namespace {
/// Breaks kernels by their rows a block: 128: sums lose their terms; 32:
/// it does not compile; 8: some columns are not stored. 512, 64 and 256: the
/// compiler crashes, by a signal or by one of LLVM's fatal errors, of which
/// the last ends a process by exit().
struct BreakKernels : PassWrapper<BreakKernels, OperationPass<ModuleOp>> {
  StringRef getArgument() const override { return "test-break-kernels"; }

  void runOnOperation() override {
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << launch->getAttr("gnn.schedule");
      auto has = [&](StringRef rows) {
        return StringRef(text).contains(
            ("rows_per_block = " + rows + ",").str());
      };
      auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      if (has("128"))
        kernel.walk([](Operation *op) { // a + x, a * x + y
          StringRef name = op->getName().getStringRef();
          if (name.ends_with(".fma") || name.ends_with(".addf"))
            op->getResult(0).replaceAllUsesWith(
                op->getOperand(op->getNumOperands() - 1));
        });
      if (has("8")) {
        Operation *store = nullptr;
        kernel.walk([&](Operation *op) {
          if (op->getName().getStringRef().contains("store"))
            store = op;
        });
        store->erase();
      }
      if (has("512"))
        __builtin_trap();
      if (has("64"))
        llvm::report_fatal_error("planted");
      if (has("256"))
        llvm::report_fatal_error("planted", /*gen_crash_diag=*/false);
      if (has("32")) {
        launch.emitError("planted");
        signalPassFailure();
      }
    });
  }
};
} // namespace

TEST(DeviceMeasurer, DropsWhatDoesNotComputeTheSame) {
  PassRegistration<BreakKernels>();
  Program program("gcn");
  program.makeTemplates();
  std::vector<IsolatedTemplate> alone =
      isolateTemplates(*program.module, program.function);
  std::vector<CompileJob> jobs;
  for (const IsolatedTemplate &one : alone)
    jobs.push_back({&one, openSchedule(one)});
  std::vector<Compiled> chosen = compileAll(jobs, program.place);
  FunctionMemory memory(program.place.device);
  for (auto [one, made] : llvm::zip_equal(alone, chosen)) {
    ASSERT_TRUE(made.bound) << made.why;
    ASSERT_FALSE(memory.reserve(one, *made.bound));
    for (auto [number, info] :
         llvm::zip_equal(one.inputs, made.bound->inputs()))
      ASSERT_FALSE(memory.set(number, run::randomValues(info, 1, number)));
  }
  // The sum over neighbours.
  size_t number = 0;
  while (!StringRef(alone[number].key.domain).contains("edge.in_rows, feat")) {
    ASSERT_FALSE(memory.run(alone[number], *chosen[number].bound));
    ++number;
  }
  program.place.options.stagePasses = {"math-end=test-break-kernels"};
  auto measurer = DeviceMeasurer::create(alone[number], chosen[number],
                                         program.place, memory);
  ASSERT_TRUE(measurer) << measurer.message();
  auto fields = (*measurer)->space().fields;
  auto field = llvm::find_if(
      fields, [](const auto &one) { return one.name == "rows_per_block"; });
  ASSERT_NE(field, fields.end());
  std::vector<Schedule> schedules;
  for (int64_t rows : {4, 8, 128, 32, 512, 64, 256, 2}) {
    Schedule schedule = (*measurer)->space().chosen;
    schedule[field - fields.begin()] = rows;
    schedules.push_back(schedule);
  }
  std::vector<Measurement> found = (*measurer)->measure(schedules);
  EXPECT_EQ(found[0].dropped, "");
  EXPECT_EQ(found[0].check, Check::SameBits);
  EXPECT_GT(found[0].milliseconds, 0);
  EXPECT_GE(found[0].rounds, 1u);
  EXPECT_EQ(found[1].dropped.find("result: expected "), 0u) << found[1].dropped;
  EXPECT_EQ(found[2].dropped.find("result: expected "), 0u) << found[2].dropped;
  EXPECT_EQ(found[3].dropped, "compile: planted");
  EXPECT_EQ(found[4].dropped, "compile: the compiler crashed");
  EXPECT_EQ(found[5].dropped, "compile: the compiler crashed: planted");
  EXPECT_EQ(found[6].dropped, "compile: the compiler crashed: planted");
  EXPECT_EQ(found[7].dropped, "");
  EXPECT_EQ((*measurer)->broken(), "");
}

static TuneOptions withRandomInputs(const Program &program) {
  TuneOptions options;
  options.function = program.function;
  options.inputs = [](const auto &infos, const auto &) {
    return randomInputs(infos);
  };
  return options;
}

static size_t countCandidates(const Tuned &tuned) {
  size_t count = 0;
  for (const TunedTemplate &one : tuned.templates)
    for (const Trial &trial : one.history.trials)
      count += trial.schedule != one.history.trials.front().schedule;
  return count;
}

/// Tunes within a budget that grows until `isEnough`, or to over a minute:
/// other processes may take the time. A store has the last run.
static runtime::Error
tuneUntil(llvm::function_ref<bool(const Tuned &)> isEnough, Program &program,
          TuneOptions options, Tuned &tuned) {
  for (;; options.seconds *= 4) {
    tuned = Tuned();
    options.begin = std::chrono::steady_clock::now();
    if (!options.store.empty())
      llvm::sys::fs::remove(options.store);
    runtime::Error error =
        tune::tune(*program.module, program.place, options, tuned);
    if (error || isEnough(tuned) || options.seconds > 60)
      return error;
  }
}

/// What is searched for a GPU computes what the chosen schedules do.
TEST(Tune, SchedulesOfAGPUComputeTheSame) {
  for (const char *example : {"gat", "rgcn"}) {
    Program program(example, /*isForGPU=*/true);
    program.makeTemplates();
    TuneOptions options = withRandomInputs(program);
    options.seconds = 4;
    options.search = "random";
    Tuned tuned;
    runtime::Error error = tuneUntil(countCandidates, program, options, tuned);
    ASSERT_FALSE(error) << error.message();
    for (const TunedTemplate &one : tuned.templates)
      for (const Trial &trial : one.history.trials)
        EXPECT_EQ(trial.measured.dropped, "")
            << one.name << ": "
            << SearchSpace{one.fields, {}, {}}.str(trial.schedule);
    EXPECT_GE(countCandidates(tuned), 1u) << "no candidates";
  }
}

/// A caller that has made graphs of statistics may have no time left.
TEST(Tune, BudgetsBeginWhereTheCallerSays) {
  Program program("gcn");
  program.makeTemplates();
  TuneOptions options = withRandomInputs(program);
  options.begin -= std::chrono::seconds(6);
  Tuned tuned;
  runtime::Error error =
      tune::tune(*program.module, program.place, options, tuned);
  ASSERT_FALSE(error) << error.message();
  for (const TunedTemplate &one : tuned.templates) {
    EXPECT_GT(one.milliseconds, 0);
    EXPECT_TRUE(one.history.trials.empty());
  }
}

/// A search by a store, and the features of one.
TEST(Tune, WhatReadsAStoreIsStopped) {
  Program program("gcn");
  program.makeTemplates();
  SmallString<64> store;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("store", "jsonl", store));
  TuneOptions options = withRandomInputs(program);
  options.store = store.str();
  options.cell = "a cell";
  options.seconds = 1;
  Tuned tuned;
  runtime::Error error = tuneUntil(
      [](const Tuned &tuned) {
        return tuned.numSearched() == tuned.numToSearch;
      },
      program, options, tuned);
  EXPECT_FALSE(error) << error.message();
  auto stored = readStore(options.store);
  llvm::sys::fs::remove(store);
  ASSERT_TRUE(stored) << stored.message();

  options.search = "exhaustive";
  size_t asked = 0, stop = 0;
  options.progress = [&](const Progress &progress) {
    EXPECT_EQ(progress.count, 3u);
    return ++asked > stop;
  };
  CompileOptions compile = optionsBehindTemplates(program.options);
  for (bool isStopped : {true, false}) {
    stop = isStopped ? 1 : SIZE_MAX;
    Tuned replayed, listed;
    asked = 0;
    error = replay(*program.module, *stored, compile, options, replayed);
    EXPECT_FALSE(error) << error.message();
    EXPECT_EQ(replayed.isStopped, isStopped);
    EXPECT_EQ(replayed.numSearched(), isStopped ? 1 : replayed.numToSearch);
    asked = 0;
    auto features =
        listFeatures(*program.module, *stored, compile, options, listed);
    ASSERT_TRUE(features) << features.message();
    EXPECT_EQ(listed.isStopped, isStopped);
    EXPECT_EQ(features->empty(), isStopped);
  }
}

TEST(Compare, BitsOrATolerance) {
  auto bytes = [](std::vector<float> values) {
    return std::string(reinterpret_cast<const char *>(values.data()),
                       4 * values.size());
  };
  std::vector<WrittenPart> parts(1);
  parts[0].isF32 = true;
  auto compareOne = [&](const std::string &x, const std::string &y,
                        bool mayDiffer) {
    return compare(parts, x, y, mayDiffer);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::string x = bytes({1, -100, nan, 0});
  auto same = compareOne(x, x, false);
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, Check::SameBits);
  auto close = compareOne(x, bytes({1.0005f, -100, nan, 0}), true);
  ASSERT_TRUE(close) << close.message();
  EXPECT_EQ(*close, Check::Close);
  EXPECT_FALSE(compareOne(x, bytes({1.0005f, -100, nan, 0}), false));
  EXPECT_FALSE(compareOne(x, bytes({1.002f, -100, nan, 0}), true));
  EXPECT_FALSE(compareOne(x, bytes({1, -100, 0, 0}), true));
  EXPECT_FALSE(compareOne(x, bytes({1, -100, nan, nan}), true));
  parts[0].isF32 = false;
  EXPECT_FALSE(compareOne(x, bytes({1.0005f, -100, nan, 0}), true));
  // A wrong small row beside a hub; one whose terms cancel; values of all rows
  // that are equally near to those of their row.
  parts[0].isF32 = true;
  parts[0].width = 2;
  x = bytes({1e6f, 2e6f, 1, 2, 3, 2, 1e-6f, 0, 0, 0});
  EXPECT_FALSE(
      compareOne(x, bytes({1e6f, 2e6f, 1, 2.1f, 3, 2, 1e-6f, 0, 0, 0}), true));
  EXPECT_TRUE(
      compareOne(x, bytes({1e6f, 2e6f, 1, 2, 3, 2, 2e-6f, 0, 0, 0}), true));
  EXPECT_TRUE(compareOne(
      x, bytes({1e6f + 9, 2e6f, 1, 2.00001f, 3, 2, 1e-6f, 0, 0, 1e-6f}), true));
  EXPECT_FALSE(
      compareOne(x, bytes({1e6f, 2e6f, 1, 2, 3, 2, 1e-6f, 0, 0, 1}), true));
}

/// Filters leave candidates out before they are compiled, of the list and of
/// proposals; where none passes, the least bad stay.
TEST(DeviceMeasurer, CompilesNoCandidateThatFiltersLeaveOut) {
  Program program("gcn", /*isForGPU=*/true);
  program.makeTemplates();
  std::vector<IsolatedTemplate> alone =
      isolateTemplates(*program.module, program.function);
  const IsolatedTemplate &sum = alone.back();
  std::vector<Compiled> chosen =
      compileAll({{&sum, openSchedule(sum)}}, program.place);
  ASSERT_TRUE(chosen[0].bound) << chosen[0].why;
  FunctionMemory memory(program.place.device);
  ASSERT_FALSE(memory.reserve(sum, *chosen[0].bound));
  auto create = [&](llvm::SmallVector<ScheduleFilter> filters) {
    program.place.filters = std::move(filters);
    auto made = DeviceMeasurer::create(sum, chosen[0], program.place, memory);
    EXPECT_TRUE(made) << made.message();
    return std::move(*made);
  };
  auto all = create({});
  auto filtered = create({ScheduleFilter::Registers});
  auto removed = filtered->filtered();
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_EQ(removed[0].first, "registers");
  EXPECT_GT(removed[0].second, 0u);
  EXPECT_EQ(all->space().listed.size(),
            filtered->space().listed.size() + removed[0].second);
  std::set<Schedule> kept;
  for (const ListedSchedule &listed : filtered->space().listed)
    kept.insert(listed.schedule);
  for (const ListedSchedule &listed : all->space().listed) {
    if (kept.count(listed.schedule))
      continue;
    auto complete = filtered->complete(listed.schedule);
    ASSERT_TRUE(complete) << complete.message();
    std::vector<Measurement> found = filtered->measure(*complete);
    EXPECT_EQ(found[0].dropped, "filter: registers");
    break;
  }
  // Few rows have few blocks, whatever the schedule.
  auto few = create({ScheduleFilter::Utilization});
  ASSERT_FALSE(few->space().listed.empty());
  std::vector<Measurement> found =
      few->measure(few->space().listed[0].schedule);
  EXPECT_NE(found[0].dropped, "filter: utilization");
}
