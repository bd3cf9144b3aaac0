//===- AttachGradients.cpp - Gradients asked of a program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/AttachGradients.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;

/// The function of that name, or the one there is.
static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> known;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && !func.isPrivate())
      known.push_back(func);
  if (name.empty() && known.size() == 1)
    return known.front();
  for (func::FuncOp func : known)
    if (func.getName() == name)
      return func;
  std::string names = llvm::join(
      llvm::map_range(known, [](func::FuncOp func) { return func.getName(); }),
      ", ");
  return module.emitError("gradients: expected ")
         << (name.empty() ? "one function, or the name of one of "
                          : "a function of ")
         << (names.empty() ? "none" : names) << ", got '" << name << "'";
}

static ArrayAttr listNames(MLIRContext *context, StringRef text) {
  SmallVector<StringRef> names;
  llvm::SplitString(text, names, " \t\n,");
  return Builder(context).getStrArrayAttr(names);
}

LogicalResult gnn::attachGradients(ModuleOp module, StringRef text) {
  if (text.trim().empty())
    return success();
  if (std::optional<Form> form = getForm(module);
      form && *form != Form::Tensors)
    return module.emitError("gradients: expected a module of ops on tensors, "
                            "got one of ")
           << stringifyWord(*form);
  llvm::SmallDenseSet<Operation *> seen;
  for (StringRef entry : llvm::split(text, ';')) {
    if (entry.trim().empty())
      continue;
    auto [name, lists] = entry.split(':');
    if (!entry.contains(':'))
      return module.emitError(
                 "gradients: expected FUNCTION: INPUTS -> OUTPUTS, "
                 "got '")
             << entry.trim() << "'";
    FailureOr<func::FuncOp> func = findFunction(module, name.trim());
    if (failed(func))
      return failure();
    if (!seen.insert(*func).second)
      return module.emitError("gradients: expected each function once, got '")
             << func->getName() << "' again";
    auto [inputs, outputs] = lists.split("->");
    ArrayAttr given = listNames(module.getContext(), outputs);
    if (lists.contains("->") && given.empty())
      return module.emitError("gradients: expected outputs behind '->', got "
                              "none for '")
             << func->getName() << "'";
    ArrayAttr wrt = listNames(module.getContext(), inputs);
    (*func)->setAttr(attribute::gradients,
                     wrt.empty() ? Attribute(UnitAttr::get(module.getContext()))
                                 : wrt);
    (*func)->removeAttr(attribute::gradientOutputs);
    if (!given.empty())
      (*func)->setAttr(attribute::gradientOutputs, given);
  }
  return success();
}
