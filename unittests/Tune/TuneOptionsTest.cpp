//===- TuneOptionsTest.cpp - How to tune ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/TuneOptions.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace gnn;
using namespace gnn::tune;

/// What gets lines is no file of the same run: every caller is told.
TEST(TuneOptions, FilesAreDistinct) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tune", "jsonl", path));
  auto open = [&](llvm::StringRef first, llvm::StringRef second) {
    TuneOptions options;
    EXPECT_FALSE(options.set("search", "ranked"));
    EXPECT_FALSE(options.set(first, path));
    EXPECT_FALSE(options.set(second, path));
    runtime::Error error = options.open();
    EXPECT_EQ(error.kind(), runtime::ErrorKind::Option);
    return error.message();
  };
  std::string got = "'s, got '" + path.str().str() + "'";
  EXPECT_EQ(open("model", "store"),
            "store: expected another file than model" + got);
  EXPECT_EQ(open("store", "records"),
            "records: expected another file than store" + got);
  llvm::sys::fs::remove(path);
}

TEST(TuneOptions, FilesThatCannotBeOpenedAreErrorsOfOptions) {
  for (llvm::StringRef name : {"model", "store", "records"}) {
    TuneOptions options;
    if (name == "model")
      EXPECT_FALSE(options.set("search", "ranked"));
    EXPECT_FALSE(options.set(name, "/nonexistent/x"));
    runtime::Error error = options.open();
    EXPECT_EQ(error.kind(), runtime::ErrorKind::Option) << name.str();
    EXPECT_EQ(error.message().find(name.str() + ": "), 0u) << error.message();
  }
}
