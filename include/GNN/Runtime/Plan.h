//===- Plan.h - Launch plans ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PLAN_H
#define GNN_RUNTIME_PLAN_H

#include "GNN/Runtime/DataType.h"
#include "GNN/Runtime/Error.h"
#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/Structures.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// The maximum number of arguments of a kernel (a device accepts 4 KiB of
/// them).
constexpr int64_t kMaxKernelArguments = 256;

/// Alignment in bytes of the workspace and of every offset in it.
constexpr int64_t kWorkspaceAlignment = 256;

/// Alignment in bytes of inputs, outputs and constants: vector accesses are 16
/// bytes.
constexpr int64_t kTensorAlignment = 16;

/// A graph as the function's module declares it.
struct GraphSpec {
  std::string name;
  bool square = true;
  int64_t nodeTypes = 1;
  int64_t edgeTypes = 1;
  /// One entry an edge type, if there is a schema.
  std::optional<std::vector<EdgeTypeEnds>> schema;
  /// Whether each node must have one self loop.
  bool selfLoops = false;
  /// Whether the edges must be sorted by destination.
  bool dstSorted = false;
};

/// Whether a graph of that kind and these numbers of types matches the
/// declaration of a function.
Error checkKind(const GraphSpec &spec, bool square, int64_t nodeTypes,
                int64_t edgeTypes);

/// Whether a graph matches the declaration of a function: its kind, its numbers
/// of types, and its schema, self loops and order of edges if they are
/// declared.
Error checkGraph(const GraphSpec &spec, const Graph &graph);

/// A graph that is derived from the edges of another one when that is bound.
struct DerivedSpec {
  std::string name;
  /// Index of the graph from which it is derived.
  int64_t parent = 0;
  /// The parent's edges that it has, and its loops.
  Derivation made;
  /// One entry an edge type, if there is a schema.
  std::optional<std::vector<EdgeTypeEnds>> schema;
};

/// The role of an input or output: in a function that computes gradients also
/// values that another function has saved for it, and gradients.
enum class Role { Input, Output, Saved, Gradient };

/// "input", "output", "saved", "gradient".
const char *name(Role role);
std::optional<Role> parseRole(std::string_view text);

/// Which pass of another function a function is, if it is one.
enum class GradientPass { None, Forward, Backward };

/// "none", "forward", "backward".
const char *name(GradientPass pass);
/// The pass of a text, "forward" or "backward".
std::optional<GradientPass> parsePass(std::string_view text);

/// An input or output of a function: rows of a space of a graph, or (graph -1)
/// a tensor without rows.
struct TensorSpec {
  std::string name;
  Role role = Role::Input;
  /// Index of the graph, -1 for none.
  int64_t graph = -1;
  /// The space of the rows; none without a graph.
  std::optional<Space> space;
  /// -1 in the first place stands for the number of rows.
  std::vector<int64_t> shape;
  DataType dtype = DataType::F32;
  /// The computation of a saved value as a hash, to test whether two
  /// compilations save the same; may be empty.
  std::string key;
  /// The name of the input or output of a gradient.
  std::string of;
};

/// A 64-bit integer known at bind time.
struct Expr {
  enum class Op { Const, Count, Add, Sub, Mul, CeilDiv, FloorDiv, Min, Max };

  Op op = Op::Const;
  /// Const: the value.
  int64_t value = 0;
  /// Count: index of the graph, and the key of the count.
  int64_t graph = -1;
  CountKey count;
  /// The others: indices of earlier expressions.
  std::array<int64_t, 2> args = {0, 0};
};

/// A structure of one of the function's graphs.
struct StructureSpec {
  int64_t graph = 0;
  StructureKey key;
};

/// An argument of a kernel. `index` is an input, output or structure, the
/// expression of a scalar or of a byte offset in the workspace, or the byte
/// offset itself in the constants of the package.
struct ArgSpec {
  enum class Kind { Input, Output, Workspace, Structure, I32, I64, Constant };

  Kind kind = Kind::Input;
  int64_t index = 0;
  /// Output and workspace: whether the kernel may write there.
  bool written = false;
  /// Workspace: expression of the bytes that the kernel may access. Constant:
  /// the number of these bytes.
  int64_t bytes = -1;
  /// Workspace: its contents, for people: "f32[edge of g, 64] of dot at
  /// layer.mlir:8:3". May be empty.
  std::string value;

  bool isNumber() const { return kind == Kind::I32 || kind == Kind::I64; }
  bool mayBeWritten() const {
    return kind == Kind::Output || kind == Kind::Workspace;
  }
};

/// A launch. All fields but the name and arguments are expressions; -1 for
/// missing optional ones. A step with a zero in its grid is skipped.
struct StepSpec {
  std::string kernel;
  /// The name of the launch if launches share the kernel; empty: the kernel's.
  std::string name;
  std::array<int64_t, 3> grid = {0, 0, 0};
  std::array<int64_t, 3> block = {0, 0, 0};
  /// Bytes of dynamic shared memory; -1 for none.
  int64_t shared = -1;
  std::vector<ArgSpec> args;
  /// Bytes read and written, floating-point operations; -1 if not counted.
  int64_t reads = -1;
  int64_t writes = -1;
  int64_t flops = -1;
  /// For people: the ops of the model that the kernel computes, such as "dot at
  /// layer.mlir:8:3", its schedule, and the file that the schedule is from, if
  /// no rule chose it. May be empty.
  std::vector<std::string> ops;
  std::string schedule, scheduleFrom;
};

/// A condition on several graphs together, e.g. that one block has as many
/// destinations as the next one has sources.
struct Requirement {
  enum class Op { Equal, AtMost };

  Op op = Op::Equal;
  /// Expressions: args[0] == args[1], or args[0] <= args[1].
  std::array<int64_t, 2> args = {0, 0};
  /// The expectation in the words of the function: "as many dst rows of
  /// 'block1' as src rows of 'block2'".
  std::string expected;
};

/// The execution of one function: its inputs and outputs, the data of its
/// graphs, and its launches in order.
struct FunctionPlan {
  std::string name;
  /// The function whose forward or backward pass this function is, and which
  /// pass it is; empty and none for other functions.
  std::string gradientOf;
  GradientPass pass = GradientPass::None;
  /// The graphs that are bound. Indices continue with the derived graphs.
  std::vector<GraphSpec> graphs;
  std::vector<DerivedSpec> derived;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  /// In evaluation order.
  std::vector<Expr> exprs;
  /// Checked when graphs are bound.
  std::vector<Requirement> requirements;
  std::vector<StructureSpec> structures;
  /// Expression of the workspace's bytes.
  int64_t workspace = 0;
  std::vector<StepSpec> steps;

  size_t numGraphs() const { return graphs.size() + derived.size(); }
  /// The name of a graph of either kind.
  const std::string &graphName(size_t index) const {
    return index < graphs.size() ? graphs[index].name
                                 : derived[index - graphs.size()].name;
  }
};

/// The functions of one module, for one target.
struct LaunchPlan {
  /// Plans of earlier versions can be read too: the first derives no graphs,
  /// until the second steps name no ops and no schedule, until the third inputs
  /// are inputs and outputs are outputs, until the fourth kernels may write to
  /// everything that is not an input, until the fifth only names tell the pass
  /// of a function and the value of a gradient, until the seventh there are no
  /// constants, and until the eighth graphs do not state the order of edges and
  /// streams have words in another order: such a plan is refused.
  static constexpr int64_t kVersion = 9;
  static constexpr int64_t kFirstVersionOfTurns = 9;
  static constexpr int64_t kFirstVersionOfWrites = 5;
  static constexpr int64_t kFirstVersionOfPasses = 6;
  static constexpr int64_t kOldestVersion = 1;

  /// E.g. "sm_90"; empty if the kernels are not for a GPU.
  std::string chip;
  /// E.g. "+ptx80"; may be empty.
  std::string features;
  std::vector<FunctionPlan> functions;
  /// Bytes of the constants that kernels read, which are in the package.
  int64_t constantBytes = 0;

  /// Parses JSON text. Strict: unknown or missing fields, a wrong version and
  /// any index out of range are errors with their place.
  static Expected<LaunchPlan> parse(std::string_view text);

  /// The JSON text; `parse` reads it back.
  std::string json() const;

  /// Checks the same as `parse`, for a plan made in memory.
  Error verify() const;

  /// The function of that name; the error lists the existing ones.
  Expected<const FunctionPlan *> find(const std::string &name) const;
};

/// Applies an op of two arguments; nothing if the result has more than 64 bits,
/// and for a division by zero.
std::optional<int64_t> apply(Expr::Op op, int64_t a, int64_t b);

/// The graphs that `plan` derives from the bound ones, following them. A
/// violated schema is an error.
Expected<std::vector<std::shared_ptr<const Graph>>>
withDerived(const FunctionPlan &plan,
            std::vector<std::shared_ptr<const Graph>> graphs);

/// Evaluates all expressions of `plan`; `count` gives the counts of the graphs
/// that it declares and derives, by their index. Overflow and division by zero
/// are errors that name the expression, and a violated requirement is an error
/// with the expectation.
Expected<std::vector<int64_t>>
evaluate(const FunctionPlan &plan,
         const std::function<Expected<int64_t>(size_t graph, const CountKey &)>
             &count);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_PLAN_H
