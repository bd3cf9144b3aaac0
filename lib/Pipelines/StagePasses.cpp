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

/// All points: those of stages in the order in which their passes run.
static SmallVector<std::string> listPoints() {
  SmallVector<std::string> points;
  for (const Stage &stage : getStages())
    for (StringRef side : {"begin", "end"})
      points.push_back(joinPoint(stage.name, side));
  for (const FormPoint &point : formPoints)
    points.push_back(point.name.str());
  return points;
}

/// The first message of a parser that shows the text as well; empty if it wrote
/// none, as for values of options, whose errors go to the standard error
/// stream.
static StringRef firstMessage(StringRef messages) {
  size_t at = messages.find("error: ");
  if (at != StringRef::npos)
    messages = messages.drop_front(at + strlen("error: "));
  messages.consume_front("<Pass-Options-Parser>: ");
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

/// The text in the parentheses that follow.
static StringRef takeInner(StringRef text) {
  size_t open = 1, end = 0;
  for (; end < text.size() && open; ++end)
    open += (text[end] == '(') - (text[end] == ')');
  return text.take_front(end).drop_back();
}

/// The first pass on modules that `any(...)` has within it, where it runs on
/// nothing; else empty.
static std::string findModulePassInAny(StringRef printed) {
  constexpr StringRef any = "any(";
  for (size_t at = 0; (at = printed.find(any, at)) != StringRef::npos;) {
    at += any.size();
    OpPassManager inside;
    if (failed(parsePasses(takeInner(printed.drop_front(at)), inside,
                           llvm::nulls())))
      continue;
    for (Pass &pass : inside.getPasses())
      if (pass.getOpName() == ModuleOp::getOperationName())
        return pass.getArgument().str();
  }
  return "";
}

/// Checks passes on the module; fails with what was expected.
static LogicalResult checkPasses(StringRef text, std::string &message) {
  OpPassManager pm(ModuleOp::getOperationName());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsePasses(text, pm, stream))) {
    message = firstMessage(errors).str();
    if (message.empty())
      message = "expected passes with valid options, got '" + text.str() + "'";
    if (StringRef(message).contains("does not refer to a registered pass"))
      message += " (those of a plugin are registered where it is loaded: "
                 "docs/Plugins.md)";
    return failure();
  }
  std::string printed = printPasses(pm);
  if (pm.empty())
    message = "expected passes, got none";
  else if (StringRef(printed).contains("builtin.module(")) // run on nothing
    message = "expected passes on the module and on what is in it, got passes "
              "on modules inside: '" +
              printed + "'";
  else if (std::string pass = findModulePassInAny(printed); !pass.empty())
    message = "expected '" + pass +
              "' on the module, got it within any(...), where no module is";
  return success(message.empty());
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
  if (failed(checkPasses(passes, message))) {
    message = (point + ": " + message).str();
    return failure();
  }
  std::string &all = texts[point.str()];
  all += (all.empty() ? "" : ",") + passes.str();
  return success();
}

bool PassesParser::parse(llvm::cl::Option &option, StringRef, StringRef text,
                         std::string &value) {
  value = text.str();
  std::string message;
  return !text.empty() && failed(checkPasses(text, message)) &&
         option.error(message);
}

void gnn::addPasses(OpPassManager &pm, StringRef text) {
  if (!text.empty()) // parsed before, and passes stay registered
    (void)parsePasses(text, pm, llvm::nulls());
}

StringRef StagePasses::getStage(StringRef point) {
  for (const FormPoint &named : formPoints)
    if (named.name == point)
      return named.stage;
  return point.rsplit('-').first;
}

StringRef StagePasses::getText(StringRef point) const {
  auto found = texts.find(point.str());
  return found == texts.end() ? StringRef() : StringRef(found->second);
}

StringRef StagePasses::getText(StringRef stage, StringRef side) const {
  return getText(joinPoint(stage, side));
}

void StagePasses::build(OpPassManager &pm, StringRef stage,
                        StringRef side) const {
  addPasses(pm, getText(stage, side));
}
