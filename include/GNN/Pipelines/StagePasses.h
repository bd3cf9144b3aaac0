//===- StagePasses.h - Passes of the user around stages ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places where passes of plugins run during compilation (docs/Plugins.md).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_PIPELINES_STAGEPASSES_H
#define GNN_PIPELINES_STAGEPASSES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gnn {

/// The points that are named by the form of the module: a point, and the stage
/// with its option.
struct FormPoint {
  llvm::StringLiteral name, stage;
};

/// Schedules before their check, loops over blocks, and loops.
inline constexpr FormPoint formPoints[] = {{"after-schedule", "schedule"},
                                           {"after-blocked", "block"},
                                           {"after-loops", "loops"}};

/// Passes of the user, by the points at which they run.
class StagePasses {
public:
  /// Adds the passes of "POINT=PASSES", where a point is `STAGE-begin`,
  /// `STAGE-end` or that of a form, after the existing ones. PASSES is a
  /// pipeline on the module. Fails with the expectation in `message`.
  mlir::LogicalResult add(llvm::StringRef text, std::string &message);

  /// The points with passes.
  auto getPoints() const { return llvm::make_first_range(texts); }
  /// The stage that runs the passes of a point.
  static llvm::StringRef getStage(llvm::StringRef point);

  /// Adds the passes of a point to `pm`.
  void build(mlir::OpPassManager &pm, llvm::StringRef stage,
             llvm::StringRef side) const;
  /// Their text as it was given; empty without passes.
  llvm::StringRef getText(llvm::StringRef stage, llvm::StringRef side) const;
  llvm::StringRef getText(llvm::StringRef point) const;

private:
  /// By point; passes with commas between.
  std::map<std::string, std::string> texts;
};

/// Parses an option that is a pipeline on the module, or empty.
class PassesParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value);
};

/// Adds passes that were parsed before, as text; nothing for an empty text.
void addPasses(mlir::OpPassManager &pm, llvm::StringRef text);

} // namespace gnn

#endif // GNN_PIPELINES_STAGEPASSES_H
