//===- Forms.h - Forms of a module between stages ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_FORMS_H
#define GNN_TRANSFORMS_FORMS_H

#include "GNN/Analysis/OptionWords.h"

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// The forms of a module, in the order in which the compiler makes them. The
/// description of `gnn-verify-form` defines them.
enum class Form { Tensors, Buffers, Blocked, Loops, Lanes, Kernels, Binaries };

template <> struct OptionWords<Form> {
  static llvm::ArrayRef<OptionWord<Form>> list();
};

/// The forms of functions that become programs of the overlay, in the order in
/// which gnn-overlay-pipeline makes them. The description of
/// `gnn-overlay-verify-form` defines them.
enum class OverlayForm {
  Layers,
  Prepared,
  Partitioned,
  Mapped,
  Annotated,
  Resident
};

template <> struct OptionWords<OverlayForm> {
  static llvm::ArrayRef<OptionWord<OverlayForm>> list();
};

/// The earliest form that an op of `module` has; none if no op has one.
std::optional<Form> getForm(mlir::ModuleOp module);

} // namespace gnn

template <>
class llvm::cl::parser<gnn::Form> : public gnn::WordParser<gnn::Form> {
  using WordParser::WordParser;
};

template <>
class llvm::cl::parser<gnn::OverlayForm>
    : public gnn::WordParser<gnn::OverlayForm> {
  using WordParser::WordParser;
};

#endif // GNN_TRANSFORMS_FORMS_H
