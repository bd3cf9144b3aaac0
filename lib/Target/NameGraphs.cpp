//===- NameGraphs.cpp - Graphs of a function by name ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/NameGraphs.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;

std::vector<std::string> gnn::listGraphs(ModuleOp module, StringRef function) {
  // A derived graph is made of its parent, of which there is a file.
  llvm::SmallSetVector<StringRef, 2> ofFunction;
  auto add = [&](StringRef name) {
    auto graph = module.lookupSymbol<GraphOp>(name);
    ofFunction.insert(graph && graph.isDerived() ? *graph.getParentGraph()
                                                 : name);
  };
  auto addGraphs = [&](TypeRange types) {
    for (Type type : types)
      if (RowsAttr rows = getRows(type))
        add(rows.getGraph().getValue());
  };
  // The passes of a function that is to be differentiated are not there yet.
  for (auto func : module.getOps<func::FuncOp>()) {
    StringRef name = func.getName();
    if (function != name && function != passName(name, "forward") &&
        function != passName(name, "backward"))
      continue;
    func.walk([&](Operation *op) {
      addGraphs(op->getOperandTypes());
      addGraphs(op->getResultTypes());
      // Behind the graph stage types have no rows, but ops name their graph.
      if (auto graph = op->getAttrOfType<FlatSymbolRefAttr>("graph"))
        add(graph.getValue());
    });
  }
  return std::vector<std::string>(ofFunction.begin(), ofFunction.end());
}

FailureOr<std::vector<NamedGraph>>
gnn::nameGraphs(ModuleOp module, StringRef function,
                ArrayRef<run::LoadedGraph> graphs) {
  std::vector<std::string> ofFunction = listGraphs(module, function);
  std::vector<NamedGraph> named;
  for (const run::LoadedGraph &graph : graphs) {
    std::string name = graph.name;
    if (name.empty() && ofFunction.size() == 1)
      name = ofFunction.front();
    auto declared = module.lookupSymbol<GraphOp>(name);
    if (!declared)
      continue;
    if (runtime::Error error =
            graph.checkEdgeTypes(name, declared.getEdgeTypes()))
      return declared.emitError() << error.message();
    named.push_back({name, graph.graph});
  }
  return named;
}
