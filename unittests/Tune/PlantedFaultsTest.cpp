//===- PlantedFaultsTest.cpp - Candidates that hang or overwrite ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "GNN/OptionFiles/Inputs.h"
#include "GNN/Tune/DeviceMeasurer.h"
#include "GNN/Tune/Tune.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/CommandLine.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// A compiler that never ends.
static void hangCompiler(gpu::GPUFuncOp) {
  for (;;)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Whether LLVM crashes where it makes code: it looks for a pass that does not
/// exist.
static void setCrashOfLLVM(bool isOn) {
  auto *option = static_cast<llvm::cl::opt<std::string> *>(
      llvm::cl::getRegisteredOptions().lookup("stop-after"));
  option->setValue(isOn ? "no-pass" : "");
}

/// LLVM that crashes until the next candidate is compiled.
static void crashLLVM(gpu::GPUFuncOp) { setCrashOfLLVM(true); }

/// An argument of two dimensions as its kernel accesses it.
static memref::ReinterpretCastOp findAccess(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (auto access = dyn_cast<memref::ReinterpretCastOp>(user);
        access && access.getType().getRank() == 2)
      return access;
  return {};
}

/// A kernel that never ends. Without an effect nobody would run its loop.
static void hangKernel(gpu::GPUFuncOp kernel) {
  auto result = findAccess(kernel.getArguments().back());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(result);
  scf::WhileOp::create(
      builder, kernel.getLoc(), TypeRange(), ValueRange(),
      [](OpBuilder &b, Location loc, ValueRange) {
        Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
        scf::ConditionOp::create(b, loc, always, ValueRange());
      },
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        Value value = memref::LoadOp::create(b, loc, result, {zero, zero});
        memref::StoreOp::create(b, loc, value, result, {zero, zero});
        scf::YieldOp::create(b, loc);
      });
}

/// A kernel that writes an input, first or last of all.
template <bool isFirst> static void overwrite(gpu::GPUFuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments().drop_back()) {
    auto access = findAccess(argument);
    if (!access)
      continue;
    for (StringRef name : {"llvm.readonly", "llvm.noalias"})
      kernel.removeArgAttr(argument.getArgNumber(), name);
    auto builder = OpBuilder::atBlockTerminator(&kernel.getBody().back());
    if (isFirst)
      builder.setInsertionPointAfter(access);
    Location loc = kernel.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value value =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1e9f));
    memref::StoreOp::create(builder, loc, value, access, {zero, zero});
  }
}

/// A kernel that leaves out results of 0 and NaN.
static void leaveOut(gpu::GPUFuncOp kernel) {
  Value result = findAccess(kernel.getArguments().back());
  for (Operation *user : llvm::to_vector(result.getUsers())) {
    if (!isa<memref::StoreOp, vector::StoreOp>(user))
      continue;
    OpBuilder b(user);
    Location loc = user->getLoc();
    Value value = user->getOperand(0);
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(b, loc, value, 0);
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    Value isOther =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, value, zero);
    auto where = scf::IfOp::create(b, loc, isOther);
    user->moveBefore(where.thenYield());
  }
}

namespace {
/// Plants a fault in kernels of as many rows a block.
struct PlantFault : PassWrapper<PlantFault, OperationPass<ModuleOp>> {
  StringRef getArgument() const override { return "test-plant-fault"; }

  void runOnOperation() override {
    setCrashOfLLVM(false);
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << launch->getAttr("gnn.schedule");
      if (StringRef(text).contains("rows_per_block = " + std::to_string(rows) +
                                   ","))
        fault(SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            launch, launch.getKernel()));
    });
  }

  static inline void (*fault)(gpu::GPUFuncOp) = nullptr;
  static inline int64_t rows = 0;
};

/// A GCN on the CPU whose sum over neighbours gets a fault.
struct PlantedSum : testing::Test {
  explicit PlantedSum(bool isForGPU = false) : program("gcn", isForGPU) {}

  void SetUp() override {
    [[maybe_unused]] static PassRegistration<PlantFault> registered;
    program.makeTemplates();
    program.place.patience = {3, 0};
    program.place.options.stagePasses = {"math-end=test-plant-fault"};
  }

  void plant(void (*fault)(gpu::GPUFuncOp), int64_t rows) {
    PlantFault::fault = fault;
    PlantFault::rows = rows;
  }

  /// The rows a block of the sum by the rules.
  int64_t chosenRows() {
    auto alone = isolateTemplates(*program.module, program.function);
    auto chosen = completeSchedule(alone[2], openSchedule(alone[2]),
                                   optionsBehindTemplates(program.options));
    EXPECT_TRUE(chosen) << chosen.message();
    for (auto [field, value] : llvm::zip_equal(
             tile::getScheduleKind(alone[2].op()).getTable(), *chosen))
      if (field.name == "rows_per_block")
        return value;
    return 0;
  }

  /// Tunes the sum.
  runtime::Error tune() {
    tuned = {};
    TuneOptions options;
    options.function = program.function;
    options.seconds = seconds;
    options.search = "coordinate";
    options.number = 2;
    options.inputs = [&](const auto &infos, const auto &) {
      std::vector<std::string> values;
      for (auto [i, info] : llvm::enumerate(infos)) {
        values.push_back(run::randomValues(info, /*seed=*/1, i));
        if (input)
          for (size_t at = 0; at < values.back().size(); at += sizeof(float))
            std::memcpy(&values.back()[at], &*input, sizeof(float));
      }
      return values;
    };
    return tune::tune(*program.module, program.place, options, tuned);
  }

  Program program;
  Tuned tuned;
  /// The value of all inputs; none of random ones.
  std::optional<float> input;
  double seconds = 60;
};

/// The same on a GPU, on which no candidate is faster than another.
struct PlantedSumOfOneTime : PlantedSum {
  PlantedSumOfOneTime() : PlantedSum(/*isForGPU=*/true) {
    device->milliseconds = 1;
    program.place.device = device;
  }

  std::shared_ptr<TimedEmulator> device = std::make_shared<TimedEmulator>();
};
} // namespace

static std::string planted() {
  return "rows_per_block = " + std::to_string(PlantFault::rows) + ",";
}

/// The trials whose schedules have the fault.
static std::vector<const Trial *> findPlanted(const TunedTemplate &tuned) {
  std::vector<const Trial *> found;
  SearchSpace space{tuned.fields, {}, {}};
  for (const Trial &trial : tuned.history.trials)
    if (StringRef(space.str(trial.schedule) + ",").contains(planted()))
      found.push_back(&trial);
  return found;
}

/// The schedules with the fault are dropped for such a reason, others timed.
static void expectDropped(const TunedTemplate &tuned,
                          llvm::function_ref<bool(StringRef)> isReason) {
  auto found = findPlanted(tuned);
  ASSERT_FALSE(found.empty());
  for (const Trial *trial : found)
    EXPECT_TRUE(isReason(trial->measured.dropped)) << trial->measured.dropped;
  EXPECT_GT(tuned.timed(), 3u);
}

TEST_F(PlantedSum, DropsWhatCompilesForEver) {
  plant(hangCompiler, 4);
  std::string broken = tune().message();
  EXPECT_EQ(broken, "");
  expectDropped(tuned.templates[2], [](StringRef reason) {
    return reason == "compile: given up after 3.0 s";
  });
  EXPECT_TRUE(hasAbandonedThreads());
}

/// LLVM makes code for a CPU when a candidate is bound.
TEST_F(PlantedSum, DropsWhatMakesLLVMCrash) {
  program.place.threads = 1; // as LLVM crashes in all of them
  plant(crashLLVM, 4);
  std::string broken = tune().message();
  setCrashOfLLVM(false);
  EXPECT_EQ(broken, "");
  expectDropped(tuned.templates[2], [](StringRef reason) {
    return reason.ends_with(
        "the compiler crashed: \"no-pass\" pass is not registered.");
  });
}

TEST_F(PlantedSum, EndsWithAKernelThatRunsForEver) {
  plant(hangKernel, 4);
  std::string broken = tune().message();
  EXPECT_TRUE(StringRef(broken).starts_with("template 2 gcn_2_") &&
              StringRef(broken).contains(
                  " (traverse <dst, edge.in_rows, features = 64>): schedule <"))
      << broken;
  EXPECT_TRUE(StringRef(broken).contains(planted())) << broken;
  EXPECT_TRUE(StringRef(broken).contains("> runs for more than 3.0 s, "))
      << broken;
  const TunedTemplate &sum = tuned.templates[2];
  ASSERT_FALSE(findPlanted(sum).empty());
  EXPECT_EQ("template " + sum.name + ": " +
                findPlanted(sum).front()->measured.dropped,
            broken);
  EXPECT_GT(sum.timed(), 0u);
  EXPECT_GT(sum.milliseconds, 0);
}

/// That of the rules has nothing that its time could be compared with. The
/// kernel runs in a process of its own, and ends with it.
TEST_F(PlantedSum, EndsWithAChosenKernelThatRunsForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  seconds = 0.5;
  plant(hangKernel, chosenRows());
  auto exitAfterTuning = [&] {
    llvm::errs() << tune().message();
    std::exit(tuned.isBegun() || !hasAbandonedThreads() ? 1 : 0);
  };
  EXPECT_EXIT(exitAfterTuning(), testing::ExitedWithCode(0),
              "^template 2 gcn_2_[^ ]* \\(traverse <dst, edge.in_rows, "
              "features = 64>\\): the chosen schedule runs for more than "
              "3.5 s, and is given up: the device may be busy with it until "
              "this process ends$");
}

/// Once it is given up, nothing else is run, and nothing of the caller is read.
TEST_F(PlantedSumOfOneTime, LeavesTheDeviceAloneOnceTheFirstRunIsGivenUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  seconds = 0.5;
  program.place.patience = {0.5, 0};
  plant(hangKernel, 0); // nothing
  auto exitAfterTuning = [&](const char *error) {
    device->errorOfHeld = error;
    device->held = 2; // that of the second template
    std::string broken = tune().message();
    tuned = {};
    device->isHeld = false;
    while (hasAbandonedThreads())
      std::this_thread::yield();
    llvm::errs() << device->launches << " launches; " << broken;
    std::exit(0);
  };
  for (const char *error : {"", "planted"})
    EXPECT_EXIT(exitAfterTuning(error), testing::ExitedWithCode(0),
                "^2 launches; template 1 gcn_1_[^ ]* \\(.*\\): the chosen "
                "schedule runs for more than 1.0 s, and is given up: ");
}

/// Whether it is the first run, or the one that is timed.
TEST_F(PlantedSumOfOneTime, NamesTheTemplateWhoseChosenScheduleFails) {
  plant(hangKernel, 0); // nothing
  for (int failing : {0, 3}) {
    device->restart();
    device->failing = failing;
    std::string broken = tune().message();
    std::string name = failing ? "template 1 gcn_1_" : "template 0 gcn_0_";
    EXPECT_TRUE(StringRef(broken).starts_with(name)) << broken;
    EXPECT_TRUE(StringRef(broken).ends_with("planted")) << broken;
  }
}

static void expectOthersAreTimed(const TunedTemplate &tuned) {
  auto found = findPlanted(tuned);
  ASSERT_FALSE(found.empty());
  for (const Trial *trial : found)
    EXPECT_FALSE(trial->measured.isTimed());
  EXPECT_GT(tuned.timed(), 0u);
}

/// Whether its own result is wrong, or only those after it.
TEST_F(PlantedSum, EndsWithAKernelThatOverwritesInputs) {
  for (auto [fault, rows] :
       {std::pair(&overwrite<true>, 4), std::pair(&overwrite<false>, 1024)}) {
    plant(fault, rows);
    std::string broken = tune().message();
    EXPECT_TRUE(
        StringRef(broken).contains("has overwritten inputs or workspace of the "
                                   "template: the chosen schedule's result is "
                                   "another one since then (expected "))
        << broken;
    EXPECT_TRUE(StringRef(broken).contains(planted())) << broken;
    expectOthersAreTimed(tuned.templates[2]);
  }
}

/// Whatever the right result is: NaN, and 0 elsewhere.
TEST_F(PlantedSum, DropsWhatLeavesItsResultOut) {
  plant(leaveOut, 4);
  for (float value : {std::numeric_limits<float>::quiet_NaN(), 0.0f}) {
    input = value;
    std::string broken = tune().message();
    EXPECT_EQ(broken, "");
    expectDropped(tuned.templates[2], [](StringRef reason) {
      return reason.starts_with(
          "result: expected the chosen schedule's result");
    });
  }
}

/// What the chosen schedule leaves out, nobody has to write.
TEST_F(PlantedSum, MayLeaveOutWhatTheChosenScheduleDoes) {
  plant(leaveOut, 0); // nothing
  EXPECT_EQ(tune().message(), "");
  const TunedTemplate &sum = tuned.templates[2];
  auto *rows = llvm::find_if(sum.fields, [](const auto &field) {
    return field.name == "rows_per_block";
  });
  plant(leaveOut,
        sum.history.trials.front().schedule[rows - sum.fields.begin()]);
  input = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(tune().message(), "");
  auto found = findPlanted(tuned.templates[2]);
  ASSERT_GT(found.size(), 1u);
  for (const Trial *trial : found)
    EXPECT_TRUE(trial->measured.isTimed()) << trial->measured.dropped;
}

/// Also where only results of faster candidates are compared.
TEST_F(PlantedSumOfOneTime, EndsWithAKernelThatOverwritesInputs) {
  program.place.mostBytesToCheck = 0;
  plant(&overwrite<false>, 4);
  std::string broken = tune().message();
  EXPECT_TRUE(StringRef(broken).contains("has overwritten inputs")) << broken;
  EXPECT_TRUE(StringRef(broken).contains(planted())) << broken;
  expectOthersAreTimed(tuned.templates[2]);
}
