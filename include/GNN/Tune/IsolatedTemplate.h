//===- IsolatedTemplate.h - One template of a function ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module with one template of a function. It compiles faster than the whole
// function. Arguments and workspace are those of the function, and so the key
// of the template stays the same. The isolated templates of a function, run one
// after another, compute the function.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_ISOLATEDTEMPLATE_H
#define GNN_TUNE_ISOLATEDTEMPLATE_H

#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gnn::tune {

struct IsolatedTemplate {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The text of the module, for other contexts.
  std::string text;
  tile::TemplateKey key;
  /// The numbers of the arguments that the template reads, and of those that it
  /// writes, in the order of the plan.
  std::vector<unsigned> inputs, outputs;
  /// Whether the template also reads each of its outputs.
  std::vector<bool> readsOutput;
  /// The number of places in the workspace that the template writes, whether it
  /// also reads one of them, and whether all have elements of type f32.
  unsigned numPlaces = 0;
  bool readsPlaces = false, arePlacesF32 = true;
  /// Elements of a row of these places; if they differ, a common divisor.
  int64_t placeWidth = 0;

  /// The template in its module.
  tile::TileOpInterface op() const;
};

/// The template of a module with one template.
tile::TileOpInterface findTemplate(mlir::ModuleOp module);

/// Isolates the templates of a function of `module`, in order. `module` has the
/// form that `lowerToTemplates` makes. The result is empty if there is no such
/// function.
std::vector<IsolatedTemplate> isolateTemplates(mlir::ModuleOp module,
                                               llvm::StringRef function);

} // namespace gnn::tune

#endif // GNN_TUNE_ISOLATEDTEMPLATE_H
