//===- StagePasses.cpp - Passes of the user around stages -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/StagePasses.h"

#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Plugins.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;

static std::string joinPoint(StringRef stage, StringRef side) {
  return (stage + "-" + side).str();
}

/// All points, in the order in which their passes run.
static SmallVector<std::string> listPoints() {
  SmallVector<std::string> points;
  for (const Stage &stage : getStages())
    for (StringRef side : {"begin", "end"})
      points.push_back(joinPoint(stage.name, side));
  return points;
}

/// The first message of a parser that shows the text as well.
static StringRef firstMessage(StringRef messages) {
  size_t at = messages.find("error: ");
  if (at != StringRef::npos)
    messages = messages.drop_front(at + strlen("error: "));
  return messages.take_until([](char c) { return c == '\n'; });
}

/// The passes of a module without the module around them.
static std::string printPasses(OpPassManager &pm) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      pm.getPasses(), stream,
      [&](Pass &pass) { pass.printAsTextualPipeline(stream); }, ",");
  return text;
}

LogicalResult StagePasses::add(StringRef text, std::string &message) {
  auto [point, passes] = text.split('=');
  auto points = listPoints();
  if (!text.contains('=') || !llvm::is_contained(points, point)) {
    message = ("expected POINT=PASSES with a point of " +
               llvm::join(points, ", ") + ", got '" + text + "'")
                  .str();
    return failure();
  }
  auto fail = [&, point = point](const Twine &what) {
    message = (point + ": " + what).str();
    return failure();
  };
  OpPassManager pm(ModuleOp::getOperationName());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsePasses(passes, pm, stream)))
    return fail(firstMessage(errors));
  if (pm.empty())
    return fail("expected passes, got none");
  std::string printed = printPasses(pm);
  if (StringRef(printed).contains("builtin.module(")) // they run on nothing
    return fail(
        "expected passes on the module and on what is in it, got passes "
        "on modules inside: '" +
        printed + "'");
  std::string &all = texts[point.str()];
  all += (all.empty() ? "" : ",") + passes.str();
  return success();
}

StringRef StagePasses::getText(StringRef stage, StringRef side) const {
  auto found = texts.find(joinPoint(stage, side));
  return found == texts.end() ? StringRef() : StringRef(found->second);
}

void StagePasses::build(OpPassManager &pm, StringRef stage,
                        StringRef side) const {
  if (StringRef text = getText(stage, side); !text.empty())
    // Parsed before, and passes stay registered.
    (void)parsePasses(text, pm, llvm::nulls());
}
