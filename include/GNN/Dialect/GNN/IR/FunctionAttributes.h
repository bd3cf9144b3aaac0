//===- FunctionAttributes.h - Attributes of functions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of functions, arguments and results (G6, G10 to G16, G18), the
// attribute of modules (G17), and default names.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_FUNCTIONATTRIBUTES_H
#define GNN_DIALECT_GNN_IR_FUNCTIONATTRIBUTES_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace gnn::attribute {
// Attributes of a module.
inline constexpr llvm::StringLiteral target = "gnn.target";
// Attributes of an argument or a result.
inline constexpr llvm::StringLiteral name = "gnn.name";
inline constexpr llvm::StringLiteral role = "gnn.role";
inline constexpr llvm::StringLiteral key = "gnn.key";
inline constexpr llvm::StringLiteral of = "gnn.of";
// The attributes of a function that gnn-differentiate reads.
inline constexpr llvm::StringLiteral gradients = "gnn.gradients";
inline constexpr llvm::StringLiteral gradientOutputs = "gnn.gradient_outputs";
// Attributes of its passes.
inline constexpr llvm::StringLiteral gradientOf = "gnn.gradient_of";
inline constexpr llvm::StringLiteral pass = "gnn.pass";
// Attribute of a function that has some of its templates alone.
inline constexpr llvm::StringLiteral excerpt = "gnn.excerpt";
// Attribute of a template whose schedule no rule chose, of its blocks and its
// launch (ScheduleFrom.h).
inline constexpr llvm::StringLiteral scheduleFrom = "gnn.schedule_from";
} // namespace gnn::attribute

namespace gnn {
/// The name by which a caller passes an argument or a result without one.
inline std::string defaultInputName(size_t number) {
  return "arg" + std::to_string(number);
}
inline std::string defaultResultName(size_t number) {
  return "out" + std::to_string(number);
}

/// The name of a pass of `function`: "forward" or "backward" of it.
inline std::string passName(llvm::StringRef function, llvm::StringRef pass) {
  return (function + "_" + pass).str();
}
/// The name of the gradient of a tensor, and of a saved value.
inline std::string gradientName(llvm::StringRef tensor) {
  return ("d_" + tensor).str();
}
inline constexpr llvm::StringLiteral savedPrefix = "saved_";
} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_FUNCTIONATTRIBUTES_H
