//===- AttachGradients.cpp - Gradients asked of a program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/AttachGradients.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;

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
    llvm::Expected<func::FuncOp> func = findFunction(module, name.trim());
    if (!func)
      return module.emitError("gradients: ") << toString(func.takeError());
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
