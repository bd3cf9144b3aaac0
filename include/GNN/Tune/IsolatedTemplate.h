//===- IsolatedTemplate.h - One template of a function ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small module to compile in place of a whole package: the function without
// its other templates. Arguments and the workspace stay as they are, so the key
// of the template does too, and the templates of a function, each alone, run
// one after another are the function.
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
  /// The same as text, for other contexts.
  std::string text;
  tile::TemplateKey key;
  /// The numbers of the arguments that it takes as inputs, and of those that it
  /// writes, each in the order of its plan.
  std::vector<unsigned> inputs, outputs;
  /// Whether it reads each of these outputs too.
  std::vector<bool> readsOutput;
  /// Places in the workspace that it writes; whether it reads one of them, and
  /// whether all have elements of f32.
  unsigned numPlaces = 0;
  bool readsPlaces = false, arePlacesF32 = true;
  /// Elements of a row of these places; if they differ, a common divisor.
  int64_t placeWidth = 0;

  /// The template in its module.
  tile::TileOpInterface op() const;
};

/// The one template of a module that has one alone.
tile::TileOpInterface findTemplate(mlir::ModuleOp module);

/// Each template of a function of `module`, which has the form that
/// `lowerToTemplates` makes, alone, in order; none where there is no such
/// function.
std::vector<IsolatedTemplate> isolateTemplates(mlir::ModuleOp module,
                                               llvm::StringRef function);

} // namespace gnn::tune

#endif // GNN_TUNE_ISOLATEDTEMPLATE_H
