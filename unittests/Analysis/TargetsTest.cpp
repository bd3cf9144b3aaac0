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
          &target.fp32Flops, &target.productFlops, &target.launchSeconds,
          &target.rowSeconds, &target.edgeSeconds, &target.walkGather,
          &target.roundSeconds, &target.waitSeconds})
      EXPECT_GT(figure->value, 0);
    EXPECT_LT(target.memoryGather, target.l2Gather);
    EXPECT_LT(target.productFlops, target.fp32Flops);
  }
}

TEST(TargetsTest, SourcesAreKept) {
  auto target = lookupTarget("h200");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ((*target)->title, "NVIDIA H200 SXM");
  EXPECT_EQ((*target)->l2Gather.source, FigureSource::Measured);
  EXPECT_EQ((*target)->fp32Flops.source, FigureSource::Datasheet);
  EXPECT_EQ((*lookupTarget("a100"))->l2Gather.source, FigureSource::Derived);
}

TEST(TargetsTest, OfAChip) {
  EXPECT_EQ(getTargetOfChip("sm_90"), "h200");
  EXPECT_EQ(getTargetOfChip("sm_80"), "a100");
  EXPECT_EQ(getTargetOfChip("sm_86"), "rtx3090");
  EXPECT_EQ(getTargetOfChip("sm_75"), "h200");
  EXPECT_EQ(getTargetOfChip(""), "h200");
}

TEST(TargetsTest, UnknownTarget) {
  auto target = lookupTarget("gtx1080");
  ASSERT_FALSE(bool(target));
  EXPECT_EQ(
      llvm::toString(target.takeError()),
      "expected a target of h200, h100, a100, rtx3090 or chip, got 'gtx1080'");
}
