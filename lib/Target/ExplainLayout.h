//===- ExplainLayout.h - Where kernels and ops are drawn --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are boxes around their ops, below all that they read. Arguments with
// rows of the graph and results are boxes of their own; weights are words in
// the ops that read them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_EXPLAINLAYOUT_H
#define GNN_LIB_TARGET_EXPLAINLAYOUT_H

#include "GNN/Target/Explain.h"

namespace gnn {

/// The picture of one function, in pixels.
class ExplainLayout {
public:
  explicit ExplainLayout(const ExplainedFunction &function);

  struct Box {
    int x = 0, y = 0, width = 0, height = 0;

    int getCenter() const { return x + width / 2; }
    int getBottom() const { return y + height; }
  };
  struct EdgePoint {
    int x = 0, y = 0;
  };
  /// A line from the bottom of a kernel or node down to the top of another one,
  /// through the points.
  struct Edge {
    /// The values: nodes that are read, in their order.
    std::vector<unsigned> values;
    std::vector<EdgePoint> points;
  };

  static constexpr int nodeHeight = 36, headHeight = 40;

  /// By node. Of no width: a weight, which is not drawn.
  std::vector<Box> nodes;
  std::vector<Box> kernels;
  std::vector<Edge> edges;
  /// From an op to one that reads it in the same kernel.
  std::vector<std::pair<unsigned, unsigned>> innerEdges;
  int width = 0, height = 0;

  /// What is written in the two lines of a node.
  std::vector<std::string> labels, types;

private:
  /// What is placed: a kernel, a node of no kernel, or a bend of an edge.
  struct Unit {
    int kernel = -1, node = -1;
    Box box;
    unsigned layer = 0;
    std::vector<unsigned> above, below;
  };
  /// Between two units, with its bends in between.
  struct Route {
    unsigned from, to;
    std::vector<unsigned> values, bends;
  };

  void writeLabels();
  void makeUnits();
  void makeRoutes();
  void assignLayers();
  void bendRoutes();
  void sortLayers();
  void placeUnits();
  void placeNodes();
  void drawEdges();

  const ExplainedFunction &function;
  std::vector<Unit> units;
  std::vector<int> unitOfNode;
  std::vector<Route> routes;
  std::vector<std::vector<unsigned>> layers;
};

/// `text` cut to so many characters, with an ellipsis.
std::string shortened(const std::string &text, size_t size);

} // namespace gnn

#endif // GNN_LIB_TARGET_EXPLAINLAYOUT_H
