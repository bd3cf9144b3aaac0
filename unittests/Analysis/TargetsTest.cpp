//===- TargetsTest.cpp - Figures of the GPUs ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"

#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace gnn;
using namespace mlir;

TEST(TargetsTest, AllFiguresAreGiven) {
  EXPECT_EQ(getKnownTargets().size(), 5u);
  for (const KnownTarget &target : getKnownTargets()) {
    SCOPED_TRACE(target.name.str());
    EXPECT_FALSE(target.title.empty());
    const TargetFigures &figures = target.figures;
    size_t count = 0;
#define GNN_FIGURE(name, keyword, summary)                                     \
  EXPECT_GT(figures.name, 0) << keyword;                                       \
  ++count;
#include "GNN/Dialect/GNN/IR/TargetFields.def"
    EXPECT_EQ(target.sources.size(), count);
    EXPECT_LT(figures.memoryGather, figures.l2Gather);
    EXPECT_LE(figures.waitSeconds, figures.memoryWaitSeconds);
    EXPECT_LT(figures.productFlops, figures.fp32Flops);
  }
}

TEST(TargetsTest, SourcesAreKept) {
  auto sourceOf = [](llvm::StringRef target, llvm::StringRef figure) {
    for (auto [name, source] : findTarget(target)->sources)
      if (name == figure)
        return source;
    ADD_FAILURE() << "expected a figure, got " << figure.str();
    return FigureSource::Derived;
  };
  EXPECT_EQ(findTarget("h200")->title, "NVIDIA H200 SXM");
  EXPECT_EQ(sourceOf("h200", "l2Gather"), FigureSource::Measured);
  EXPECT_EQ(sourceOf("h200", "fp32Flops"), FigureSource::Datasheet);
  EXPECT_EQ(sourceOf("a100", "l2Gather"), FigureSource::Derived);
  EXPECT_EQ(sourceOf("h100", "warpSeconds"), FigureSource::Raced);
  for (llvm::StringRef measured : {"h200", "h100", "cpu"})
    for (auto [figure, source] : findTarget(measured)->sources)
      EXPECT_NE(source, FigureSource::Derived) << figure.str();
  EXPECT_EQ(findTarget("gtx1080"), nullptr);
}

// A target of a plugin, which says no figures, is weighed as the stand-in.
TEST(TargetsTest, WithoutFigures) {
  MLIRContext context;
  context.loadDialect<GNNDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  module.get()->setAttr(
      "gnn.target", TargetAttr::get(&context, "printer", "", "", TargetLimits(),
                                    TargetAbilities(), TargetFigures()));
  EXPECT_TRUE(getFigures(module.get()) == getFigures("h200"));
}

// A GPU by its name, by its chip, and by neither.
TEST(TargetsTest, OfAGPU) {
  MLIRContext context;
  auto nameOf = [&](llvm::StringRef given) {
    return llvm::cantFail(makeGPUTarget(&context, "cuda", given)).getName();
  };
  EXPECT_EQ(nameOf("sm_90"), "h200");
  EXPECT_EQ(nameOf("h100"), "h100");
  EXPECT_EQ(nameOf("sm_80"), "a100");
  EXPECT_EQ(nameOf("sm_86"), "rtx3090");
  EXPECT_EQ(nameOf("sm_75"), "");
  EXPECT_EQ(nameOf(""), "h200");
  TargetAttr turing = llvm::cantFail(makeGPUTarget(&context, "cuda", "sm_75"));
  EXPECT_EQ(turing.getChip(), "sm_75");
  EXPECT_TRUE(turing.getFigures() == getFigures("h200"));
  EXPECT_FALSE(turing.getAbilities().tf32 || turing.getAbilities().asyncCopies);
  EXPECT_EQ(describeTarget(turing), "sm_75");
  EXPECT_EQ(turing.getLimits().lanes, 32);
  llvm::Error error = makeGPUTarget(&context, "cuda", "gtx1080").takeError();
  std::string text = llvm::toString(std::move(error));
  EXPECT_EQ(
      text.find("expected h200, h100, a100, rtx3090 or a chip of sm_70, "), 0u)
      << text;
}

// The description by a driver gives the figures that stand for a GPU as
// derived.
TEST(TargetsTest, OfADescription) {
  MLIRContext context;
  auto make = [&](llvm::StringRef text) {
    return llvm::cantFail(makeGPUTarget(&context, "cuda", text));
  };
  TargetAttr known = make("sm_86, NVIDIA GeForce RTX 3090: processors=1");
  EXPECT_TRUE(known == make("rtx3090"));
  TargetAttr target =
      make("sm_86, RTX 3090 of another: processors=82 "
           "clock=1.695e9 l2_bytes=6e6 memory_bandwidth=9.36e11");
  EXPECT_EQ(describeTarget(target), "RTX 3090 of another");
  EXPECT_TRUE(target.getAbilities().tf32);
  TargetFigures found = target.getFigures(), wanted = getFigures("rtx3090");
#define GNN_FIGURE(figure, keyword, summary)                                   \
  EXPECT_NEAR(found.figure / wanted.figure, 1, 0.04) << keyword;
#include "GNN/Dialect/GNN/IR/TargetFields.def"
  EXPECT_EQ(make("sm_75, T4:").getFigures().memoryBandwidth,
            getFigures("h200").memoryBandwidth);
}

// Passes weigh a CPU by figures of cores, and nobody compiles for "cpu" as a
// chip.
TEST(TargetsTest, OfACPU) {
  MLIRContext context;
  TargetAttr cores =
      llvm::cantFail(makeCPUTarget(&context, "znver4", CoreRegisters()));
  EXPECT_TRUE(cores.getFigures() == getFigures("cpu"));
  EXPECT_LT(cores.getFigures().memoryBandwidth,
            getFigures("h200").memoryBandwidth / 10);
  EXPECT_EQ(getStandIn("cuda").name, "h200");
  llvm::Error error = makeGPUTarget(&context, "cuda", "cpu").takeError();
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

// A module without a target is for the first GPU.
TEST(TargetsTest, OfAModule) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_EQ(findTarget(module->getOperation()), nullptr);
  EXPECT_TRUE(getFigures(*module) == getFigures("h200"));
  EXPECT_TRUE(getAbilities(*module).tf32);
  EXPECT_EQ(getChip(*module), "sm_90");
  TargetAttr other = llvm::cantFail(makeGPUTarget(&context, "cuda", "a100"));
  EXPECT_TRUE(succeeded(attachTarget(*module, other)));
  EXPECT_EQ(findTarget(module->getOperation()), other);
  EXPECT_TRUE(getFigures(*module) == getFigures("a100"));
  EXPECT_EQ(getChip(*module), "sm_80");
  EXPECT_TRUE(succeeded(attachTarget(*module, other)));
}

TEST(TargetsTest, Chips) {
  auto message = [](llvm::StringRef chip, llvm::StringRef features) {
    return llvm::toString(checkChip(chip, features));
  };
  EXPECT_EQ(message("sm_70", ""), "");
  EXPECT_EQ(message("sm_90a", "+ptx80,+ptx81"), "");
  for (const char *chip : {"", "sm_35", "sm_50", "sm_62", "h100", "sm_9"}) {
    std::string text = message(chip, "");
    EXPECT_EQ(
        text.find(
            "expected h200, h100, a100, rtx3090 or a chip of sm_70, sm_72, "),
        0u)
        << text;
    EXPECT_NE(text.find(std::string(", got '") + chip + "'"), text.npos);
  }
  EXPECT_EQ(message("sm_90", "+ptx60"),
            "expected PTX 7.8 or later for sm_90, got 6.0");
}
