//===- Program.h - A module of examples with a graph ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_TUNE_PROGRAM_H
#define GNN_UNITTESTS_TUNE_PROGRAM_H

#include "TimedEmulator.h"

#include "GNN/CPU/Compile.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/InitDialects.h"
#include "GNN/Runtime/CPUDevice.h"
#include "GNN/Target/AttachStatistics.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Tune/CompileTemplate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

namespace gnn::tune {

/// A module of examples with a graph, and the CPU.
class Program {
public:
  explicit Program(llvm::StringRef example, bool isForGPU = false) {
    gnn::registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
    auto file = llvm::MemoryBuffer::getFile(llvm::Twine(GNN_EXAMPLES) + "/" +
                                            example + ".mlir");
    EXPECT_TRUE(file);
    module = mlir::parseSourceString<mlir::ModuleOp>((*file)->getBuffer(),
                                                     context.get());
    EXPECT_TRUE(module);
    function = (*module->getOps<mlir::func::FuncOp>().begin()).getName().str();
    registerBackends();
    options.target = isForGPU ? "emulator" : "cpu";
    place.device = runtime::createCPUDevice(2, cpu::compileKernels);
    if (isForGPU)
      place.device = std::make_shared<TimedEmulator>();
    makeGraph(*module->getOps<GraphOp>().begin());
    place.options = options;
    place.threads = 2;
  }

  std::vector<std::shared_ptr<const runtime::Graph>> graphs() const {
    return {place.graphs.begin()->second};
  }
  /// As the tuner takes it.
  void makeTemplates() {
    EXPECT_TRUE(mlir::succeeded(
        lowerToTemplates(*module, options, /*choosesSchedules=*/false)));
  }

  /// Gives the function and the graph other names.
  void rename(llvm::StringRef newFunction, llvm::StringRef newGraph) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    auto replace = [&](const std::string &from, const std::string &to) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
           at += to.size())
        text.replace(at, from.size(), to);
    };
    replace("@" + function + "(", "@" + newFunction.str() + "(");
    std::string graph = place.graphs.begin()->first;
    for (const char *end : {",", " "})
      replace("@" + graph + end, "@" + newGraph.str() + end);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    function = newFunction.str();
  }

  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string function;
  CompileOptions options;
  Place place;

private:
  /// Hubs, nodes without edges, several edges between two nodes, and one self
  /// loop a node where the declaration asks for them.
  void makeGraph(GraphOp declared) {
    constexpr int32_t nodes = 67;
    std::vector<int32_t> src, dst, type, nodeType;
    auto add = [&](int32_t from, int32_t to, int64_t number) {
      src.push_back(from);
      dst.push_back(to);
      type.push_back(number % declared.getEdgeTypes());
    };
    for (int32_t i = 0; i < 400; ++i)
      if (int32_t from = i * 31 % nodes, to = i % 3 ? i * i % 50 : 7;
          from != to || !declared.getSelfLoops())
        add(from, to, i * 5 / 3);
    for (int32_t i = 0; i < nodes; ++i) {
      nodeType.push_back(i % declared.getNodeTypes());
      if (declared.getSelfLoops())
        add(i, i, 0);
    }
    runtime::GraphArrays arrays;
    arrays.numSrcNodes = nodes;
    arrays.numEdges = src.size();
    arrays.numNodeTypes = declared.getNodeTypes();
    arrays.numEdgeTypes = declared.getEdgeTypes();
    arrays.edgeSrc = src.data();
    arrays.edgeDst = dst.data();
    arrays.edgeType = type.data();
    arrays.srcNodeType = nodeType.data();
    auto graph = runtime::Graph::create(arrays);
    ASSERT_TRUE(graph) << graph.message();
    std::string name = declared.getSymName().str();
    ASSERT_TRUE(mlir::succeeded(attachStatistics(*module, {{name, *graph}})));
    place.graphs[name] = *graph;
  }
};

} // namespace gnn::tune

#endif // GNN_UNITTESTS_TUNE_PROGRAM_H
