//===- Explain.h - Reports of the graph pipeline ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of the kernels that a module becomes without the passes on
// whole-graph ops and with them, the choices of these, and pictures of both;
// and the times of a run beside them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_EXPLAIN_H
#define GNN_TARGET_EXPLAIN_H

#include "GNN/Analysis/Targets.h"
#include "GNN/Runtime/BoundFunction.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gnn {

/// The cost of an op or a kernel, as text: numbers on a graph with statistics,
/// else numbers for each row of a space; "-" where it is unknown, and nothing
/// where it is no question.
struct ExplainedCost {
  std::string rows, productRows, flops, bytes, milliseconds;
  /// The estimates; none without statistics.
  std::optional<double> seconds, totalBytes, totalFlops;
  /// The seconds of a run (`addTimes`).
  std::optional<double> measured;
};

/// An argument, op or result of a function.
struct ExplainedNode {
  enum class Kind { Argument, Op, Result };

  Kind kind = Kind::Op;
  std::string label, type;
  /// Numbers of the nodes that it reads.
  std::vector<unsigned> operands;
  /// An argument without rows that depend on the graph: a weight.
  bool isWeight = false;
  /// An op in IR, and where it is in the model ("-": in no file).
  std::string text, place;
  /// The rows and flops of an op. Bytes and time are of kernels.
  ExplainedCost cost;
};

/// Launches that share an op, which are mostly one.
struct ExplainedKernel {
  /// The kernels that are launched, in order, and the schedule of each, which
  /// may be empty.
  std::vector<std::string> names, schedules;
  ExplainedCost cost;
  /// Numbers of its nodes, which ascend: the ops that it computes, those that
  /// it reads through, and results that it writes in the order of the user. A
  /// node is in one kernel at most.
  std::vector<unsigned> nodes;
};

/// A function at one time; operands are before their readers.
struct ExplainedFunction {
  std::string name;
  std::vector<ExplainedNode> nodes;
  /// In the order of their first launches.
  std::vector<ExplainedKernel> kernels;
  /// The cost of all kernels.
  ExplainedCost total;
  /// Why there are no kernels: what it cannot be lowered for. Mostly empty.
  std::string obstacle;
};

/// The report of a pass on what it has done or refused. A refusal has no name.
struct Choice {
  std::string pass, name, place, message;
  bool isDone = false;

  /// "done, NAME: MESSAGE", or "refused: MESSAGE".
  std::string text() const;
  bool operator==(const Choice &other) const {
    return std::tie(pass, name, place, message, isDone) ==
           std::tie(other.pass, other.name, other.place, other.message,
                    other.isDone);
  }
};

/// The least time of a kernel by the roofline of a target: that of its bytes at
/// the bandwidth of the memory, or of its flops, whichever is longer.
struct Limit {
  double seconds = 0;
  /// "memory" or "flops"; "launch" where that is longer than both.
  const char *by = "";
};

/// All of it for one module.
struct Explanation {
  /// The target of the kernels, whose figures their costs are by, and these.
  std::string target, figures;
  TargetFigures limits;
  /// "its kernels", or "kernels for cpu, for which its figures stand in".
  std::string kernels() const {
    return target == figures
               ? "its kernels"
               : "kernels for " + target + ", for which its figures stand in";
  }
  std::vector<ExplainedFunction> before, after;
  std::vector<Choice> choices;
  /// The switches of passes that did not run.
  std::vector<std::string> off;

  /// The limit of a kernel; none where its bytes or flops are not known.
  std::optional<Limit> limitOf(const ExplainedCost &cost) const;

  /// The device and the number of the runs that times are of (`addTimes`).
  std::string device;
  int64_t measuredRuns = 0;

  /// The functions that passes have made: those that give gradients.
  std::vector<const ExplainedFunction *> listMade() const;
};

/// Runs the graph pipeline on a copy of `module`, with `passes` as
/// `parsePassSwitches` reads them. Kernels are those of the kind of target and
/// its chip, and their costs are weighed for it; where both are empty, of the
/// target of the module, or of the first GPU that is known. Errors are at the
/// module.
mlir::FailureOr<Explanation> explain(mlir::ModuleOp module,
                                     llvm::StringRef passes,
                                     llvm::StringRef kind = "",
                                     llvm::StringRef chip = "");

/// Adds the times of a run to the kernels of its function with the passes,
/// where all launches of a kernel have one.
void addTimes(Explanation &explanation, const runtime::Report &report);

/// Writes tables before and after, also of functions that are made, and the
/// choices.
void printText(const Explanation &explanation, llvm::raw_ostream &os);

/// Writes the dataflow of both in Graphviz's language: kernels are clusters of
/// ops, with costs and choices as tooltips.
void printDot(const Explanation &explanation, llvm::raw_ostream &os);

/// Writes a page of HTML that needs no other file: pictures before and after
/// beside each other, kernels with their schedules, their times and their share
/// of the roofline, and the choices, each once.
void printHtml(const Explanation &explanation, llvm::raw_ostream &os);

/// Write one of them to a file; errors have its path.
runtime::Error writeDot(const Explanation &explanation, llvm::StringRef path);
runtime::Error writeHtml(const Explanation &explanation, llvm::StringRef path);

} // namespace gnn

#endif // GNN_TARGET_EXPLAIN_H
