//===- TargetsTest.cpp - Figures of the GPUs ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"

#include <gtest/gtest.h>

using namespace gnn;

TEST(TargetsTest, AllFiguresAreGiven) {
  EXPECT_EQ(getTargets().size(), 4u);
  for (const TargetFigures &target : getTargets()) {
    SCOPED_TRACE(target.name.str());
    EXPECT_FALSE(target.title.empty());
    for (const Figure *figure :
         {&target.memoryBandwidth, &target.l2Bytes, &target.l2Gather,
          &target.memoryGather, &target.l2RowBytes, &target.memoryRowBytes,
          &target.fp32Flops, &target.kernels.productFlops,
          &target.multiprocessors, &target.launchSeconds,
          &target.kernels.rowSeconds, &target.kernels.edgeSeconds,
          &target.kernels.walkGather, &target.kernels.warpSeconds,
          &target.kernels.roundSeconds, &target.kernels.waitSeconds,
          &target.kernels.memoryWaitSeconds})
      EXPECT_GT(figure->value, 0);
    EXPECT_LT(target.memoryGather, target.l2Gather);
    EXPECT_LT(target.kernels.waitSeconds, target.kernels.memoryWaitSeconds);
    EXPECT_LT(target.kernels.productFlops, target.fp32Flops);
  }
}

TEST(TargetsTest, SourcesAreKept) {
  const TargetFigures &target = getFigures(CostTarget::h200);
  EXPECT_EQ(target.title, "NVIDIA H200 SXM");
  EXPECT_EQ(target.l2Gather.source, FigureSource::Measured);
  EXPECT_EQ(target.fp32Flops.source, FigureSource::Datasheet);
  EXPECT_EQ(getFigures(CostTarget::a100).l2Gather.source,
            FigureSource::Derived);
}

TEST(TargetsTest, OfAChip) {
  EXPECT_EQ(getTargetOfChip("sm_90"), CostTarget::h200);
  EXPECT_EQ(getTargetOfChip("sm_80"), CostTarget::a100);
  EXPECT_EQ(getTargetOfChip("sm_86"), CostTarget::rtx3090);
  EXPECT_EQ(getTargetOfChip("sm_75"), CostTarget::h200);
  EXPECT_EQ(getTargetOfChip(""), CostTarget::h200);
  EXPECT_EQ(getFigures(CostTarget::chip).name, "h200");
}

// Each value of the enum is the row of the table with its name.
TEST(TargetsTest, Names) {
  for (const OptionWord<CostTarget> &entry : OptionWords<CostTarget>::list())
    if (entry.value != CostTarget::chip) {
      EXPECT_EQ(getFigures(entry.value).name, entry.word);
    }
  EXPECT_EQ(llvm::toString(parseWord<CostTarget>("gtx1080").takeError()),
            "expected one of h200, h100, a100, rtx3090, chip, got 'gtx1080'");
}

TEST(TargetsTest, Chips) {
  auto message = [](llvm::StringRef chip, llvm::StringRef features) {
    return llvm::toString(checkChip(chip, features));
  };
  EXPECT_EQ(message("sm_70", ""), "");
  EXPECT_EQ(message("sm_90a", "+ptx80,+ptx81"), "");
  for (const char *chip : {"", "sm_35", "sm_50", "sm_62", "h100", "sm_9"}) {
    std::string text = message(chip, "");
    EXPECT_EQ(text.find("expected a chip of sm_70, sm_72, "), 0u) << text;
    EXPECT_NE(text.find(std::string(", got '") + chip + "'"), text.npos);
  }
  EXPECT_EQ(message("sm_90", "+ptx60"),
            "expected PTX 7.8 or later for sm_90, got 6.0");
}
