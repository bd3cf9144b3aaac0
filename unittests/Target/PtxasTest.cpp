//===- PtxasTest.cpp - Reports of CUDA's assembler ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Ptxas.h"

#include "gtest/gtest.h"

using namespace gnn;

TEST(Ptxas, ReadsWhatItPrints) {
  auto kernels = parsePtxas(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f_0_dot' for 'sm_90'\n"
      "ptxas info    : Function properties for f_0_dot\n"
      "    48 bytes stack frame, 40 bytes spill stores, 56 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 48 bytes "
      "cumulative stack size, 5248 bytes smem, 400 bytes cmem[0]\n"
      "ptxas info    : Compile time = 16.291 ms\n"
      "ptxas info    : Compiling entry function 'f_1_linear' for 'sm_90'\n"
      "ptxas info    : Function properties for f_1_linear\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 0 barriers, 400 bytes "
      "cmem[0]\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels["f_0_dot"].registers, 255);
  EXPECT_EQ(kernels["f_0_dot"].localBytes, 48);
  EXPECT_EQ(kernels["f_0_dot"].staticSharedBytes, 5248);
  EXPECT_EQ(kernels["f_1_linear"].registers, 32);
  EXPECT_EQ(kernels["f_1_linear"].localBytes, 0);
  EXPECT_EQ(kernels["f_1_linear"].staticSharedBytes, 0);
}

TEST(Ptxas, OtherText) {
  EXPECT_TRUE(parsePtxas("").empty());
  EXPECT_TRUE(parsePtxas("ptxas fatal : Used many registers\n").empty());
  auto kernels = parsePtxas("Compiling entry function 'f\nUsed registers");
  EXPECT_EQ(kernels["f"].registers, -1);
}
