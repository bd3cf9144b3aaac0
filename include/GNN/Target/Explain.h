//===- Explain.h - Reports of the graph pipeline ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of the kernels of a module without the passes on whole-graph ops
// and with them, the choices of these passes, pictures of both, and the times
// of a run beside them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_EXPLAIN_H
#define GNN_TARGET_EXPLAIN_H

#include "GNN/Analysis/Targets.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Target/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gnn {

/// The cost of an op or a kernel, as text: numbers on a graph with statistics,
/// else numbers for each row of a space; "-" if unknown, and empty if not
/// applicable.
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
  /// An op in IR, and its place in the model ("-": in no file).
  std::string text, place;
  /// The rows and flops of an op. Bytes and time are of kernels.
  ExplainedCost cost;
};

/// Launches that share an op, mostly only one.
struct ExplainedKernel {
  /// The kernels that are launched, in order, the schedule of each, which may
  /// be empty, and where it is from, which is empty if the rules chose it.
  std::vector<std::string> names, schedules, scheduleFrom;

  /// The sources, each once, with commas between.
  std::string listSources() const;
  ExplainedCost cost;
  /// Numbers of its nodes, which ascend: the ops that it computes, those that
  /// it reads through, and results that it writes in the user's order. A node
  /// is in at most one kernel.
  std::vector<unsigned> nodes;
};

/// A function before or after the passes; operands come before their readers.
struct ExplainedFunction {
  std::string name;
  std::vector<ExplainedNode> nodes;
  /// In the order of their first launches.
  std::vector<ExplainedKernel> kernels;
  /// The cost of all kernels.
  ExplainedCost total;
  /// The reason why there are no kernels. Mostly empty.
  std::string obstacle;
  /// Arguments with a row for each node type of a graph of which each node
  /// gathers one, as the table of an embedding: "node_type of g: rows of the
  /// table emb_weight".
  std::vector<std::string> tables;
};

/// The remark of a pass about a change or a refusal. A refusal has no name.
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
  /// "memory" or "flops", or "launch" if that takes longer than both.
  const char *by = "";
};

/// The complete report of one module.
struct Explanation {
  /// The target of the kernels, the source of the figures of their costs, and
  /// these figures.
  std::string target, figures;
  TargetFigures limits;
  /// The words behind "estimates for": "NVIDIA H200 SXM", or "target cpu, with
  /// the figures of 16 threads of an Intel Xeon".
  std::string subject() const {
    return target == figures
               ? target
               : "target " + target + ", with the figures of " + figures;
  }
  std::vector<ExplainedFunction> before, after;
  std::vector<Choice> choices;
  /// The switches of passes that did not run.
  std::vector<std::string> off;

  /// The limit of a kernel; none if its bytes or flops are unknown.
  std::optional<Limit> limitOf(const ExplainedCost &cost) const;

  /// The device and the number of the runs that times are of (`addTimes`).
  std::string device;
  int64_t measuredRuns = 0;

  /// The functions that passes have created: those that compute gradients.
  std::vector<const ExplainedFunction *> listMade() const;
};

/// Runs the graph pipeline on a copy of `module`, with `passes` in the syntax
/// of `parsePassSwitches`. Kernels and their costs are those of the kind of
/// target and its chip; if both are empty, of the target of the module, or of
/// the first known GPU. Kernels with the passes have the schedules of the files
/// in `options`, which has these beside switches, target and chip, where their
/// templates are there. The user's passes at stages run as they do in a
/// compilation; those on whole-graph ops are left out of `before`. A stage
/// behind kernels is an error, and so is a module without kernels where the
/// user has passes behind whole-graph ops. Errors are at the module.
mlir::FailureOr<Explanation> explain(mlir::ModuleOp module,
                                     const CompileOptions &options);

/// Adds the times of a run to the kernels of its function with the passes, if
/// all launches of a kernel have a time.
void addTimes(Explanation &explanation, const runtime::Report &report);

/// Writes tables before and after, including created functions, and the
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
