//===- StaticPluginsTest.cpp - Plugins of a static build ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin would bring a second MLIR into a process that holds one statically.
//
//===----------------------------------------------------------------------===//

#include "GNN/Plugins.h"

#include "gtest/gtest.h"

TEST(StaticPlugins, AreRefused) {
  // Files that are there and files that are not.
  for (const char *path : {"/proc/self/exe", "missing.so"}) {
    llvm::Error error = gnn::loadPlugin(path);
    ASSERT_TRUE(static_cast<bool>(error));
    EXPECT_EQ(llvm::toString(std::move(error)),
              "plugin '" + std::string(path) +
                  "': expected a build with a shared MLIR, this one is static "
                  "and loads no plugins");
  }
}
