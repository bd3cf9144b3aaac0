//===- GNNInterfaces.td - Interfaces of ops ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNINTERFACES_TD
#define GNN_DIALECT_GNN_IR_GNNINTERFACES_TD

include "mlir/IR/OpBase.td"

def GNN_RowPathOpInterface : OpInterface<"RowPathOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op that follows paths of the row lattice: it reads rows of another space
    than its own, or reduces into rows of another space.
  }];
  let methods = [
    InterfaceMethod<"All paths that the op follows, from the finer to the coarser space.",
      "::llvm::SmallVector<::gnn::RowPath>", "getRowPaths">,
  ];
}

def GNN_RowWiseOpInterface : OpInterface<"RowWiseOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op whose result has rows that depend on only one row of each operand: the
    row to which they lead. Such an op can be computed on any coarser rows that
    determine all its operands, and gathered from there. For example, a value
    that depends only on the source and the edge type needs one row a source
    pair, not one row an edge (Hector 3.2.2).
  }];
  let methods = [
    InterfaceMethod<"The path from a row of the result to that of this operand; "
                    "none for an operand without rows.",
      "::std::optional<::gnn::RowPath>", "getOperandPath",
      (ins "unsigned":$operand), [{}],
      /*defaultImplementation=*/"return ::gnn::detail::pathToOwnRows($_op, operand);">,
    InterfaceMethod<"Whether this operand may be in another row space than the result.",
      "bool", "mayLeadElsewhere", (ins "unsigned":$operand), [{}],
      /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Sets the end of the path to this operand, which may lead elsewhere.",
      "void", "setOperandEnd",
      (ins "unsigned":$operand, "::std::optional<::gnn::EndPoint>":$end), [{}],
      /*defaultImplementation=*/"return;">,
  ];
}

def GNN_LinearOpInterface : OpInterface<"LinearOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op that is linear in some operands: with all other operands fixed,
    `op(a * x + b * y) = a * op(x) + b * op(y)`. Their actions
    (`gnn::LinearAction`) determine how two such ops commute: actions on rows
    commute with actions on features, and actions on features by type commute with
    a path that keeps the type.
  }];
  let methods = [
    InterfaceMethod<"The action of the op on this operand; none if it is not linear in it.",
      "::std::optional<::gnn::LinearAction>", "getLinearAction",
      (ins "unsigned":$operand)>,
    InterfaceMethod<"The transpose of the op in an operand in which it is linear, applied "
                    "to `gradient`, which has the type of the result: a value of the "
                    "operand's type. Null without a transpose. Only the default "
                    "`buildGradient` calls it: an op with another one needs none.",
      "::mlir::Value", "buildTranspose",
      (ins "::mlir::OpBuilder &":$builder, "unsigned":$operand, "::mlir::Value":$gradient),
      [{}], /*defaultImplementation=*/"return {};">,
  ];
  let extraSharedClassDeclaration = [{
    /// Whether the op is linear in the operand of this number.
    bool isLinearIn(unsigned operand) {
      return $_op.getLinearAction(operand).has_value();
    }
  }];
}

def GNN_ProductOpInterface : OpInterface<"ProductOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op that multiplies the features of each row by a weight, shared by all
    rows or of the row's type, and may add a bias: it is linear, or affine with a
    bias. Two consecutive such ops are one, with the product of their weights
    (Hector 3.2.3).
  }];
  let methods = [
    InterfaceMethod<"The operands of the product; none if no operand is a weight.",
      "::std::optional<::gnn::ProductOperands>", "getProductOperands">,
  ];
}

def GNN_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op that builds the gradient of its results with respect to its operands.
    `gnn-differentiate` calls these methods for the ops of a function, from the
    last to the first. For operands without a gradient the op gives the reason,
    in words for users. It gives one reason for each operand, and one for all
    values that its body reads from outside.

    A gradient reads operands and results. If the results are not sufficient,
    `getWithGradientNeeds` gives an op with more results: the argument of a
    maximum, the highest score and the sum of powers of a softmax.
  }];
  let methods = [
    InterfaceMethod<"The reason why there is no gradient with respect to this operand; "
                    "empty if there is one.",
      "::llvm::StringRef", "getNoGradientReason", (ins "unsigned":$operand), [{}],
      /*defaultImplementation=*/"return ::gnn::detail::integerHasNoGradient($_op, operand);">,
    InterfaceMethod<"The reason why there is no gradient with respect to values that the "
                    "body reads from outside and that are no operands; never empty.",
      "::llvm::StringRef", "getNoGradientOfBodyReason", (ins), [{}],
      /*defaultImplementation=*/[{
        return "no rule of differentiation is known for the body of this op";
      }]>,
    InterfaceMethod<"The op with the additional results that its gradient reads, after "
                    "its present ones; the op itself if it needs no more.",
      "::mlir::Operation *", "getWithGradientNeeds",
      (ins "::mlir::OpBuilder &":$builder), [{}],
      /*defaultImplementation=*/"return $_op;">,
    InterfaceMethod<"Builds the gradient with respect to each requested operand: a value "
                    "of its type, even if it is 0. `gradients` are those of the "
                    "results, null for missing ones; at least one is not null. If two "
                    "operands are one value, one of them may have the gradient of both. "
                    "Reports the reason of a failure at the op. By default an op is "
                    "transposed in the operands in which its first result is linear.",
      "::llvm::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$gradients,
           "const ::llvm::BitVector &":$asked,
           "::llvm::MutableArrayRef<::mlir::Value>":$ofOperands), [{}],
      /*defaultImplementation=*/[{
        return ::gnn::detail::transposeInOperands($_op, builder, gradients, asked,
                                                  ofOperands);
      }]>,
  ];
}

def GNN_RowCostInterface : OpInterface<"RowCostInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    The cost of an op that runs alone, as a function of the row counts of its
    graph. `gnn::RowCount` keeps a number for each row space and is evaluated
    with statistics. Weights are read once. A row of another space is read once
    for each row that reads it, as if there were no caches. An id that leads to
    another row takes 4 bytes.
  }];
  let methods = [
    InterfaceMethod<"Floating point operations; a function such as exp counts as one.",
      "::gnn::RowCount", "getFlops">,
    InterfaceMethod<"Bytes of tensors and row ids that are read.",
      "::gnn::RowCount", "getReadBytes", (ins), [{}],
      /*defaultImplementation=*/"return ::gnn::detail::bytesOfOperands($_op);">,
    InterfaceMethod<"Bytes of the results.",
      "::gnn::RowCount", "getWrittenBytes", (ins), [{}],
      /*defaultImplementation=*/"return ::gnn::detail::bytesOfResults($_op);">,
    InterfaceMethod<"Rows of a product with weights, to which all flops then belong; "
                    "none for other ops.",
      "::gnn::RowCount", "getProductRows", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The counts of each kernel, in order of execution, of an op that "
                    "becomes several kernels or walks over edges more than once. The "
                    "counts of the op are their sum. None for other ops.",
      "std::vector<::gnn::KernelCounts>", "getKernels", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
  ];
}

def GNN_RowLoopInterface : OpInterface<"RowLoopInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    A loop over all edges or nodes, or over the edges of one node, whose body
    describes the computation of one row.
  }];
  let methods = [
    InterfaceMethod<"The body, a block whose first argument is the row.",
      "::mlir::Block *", "getLoopBody", (ins), [{}],
      /*defaultImplementation=*/"return &$_op.getBody().front();">,
    InterfaceMethod<"The rows over which the loop runs.",
      "::gnn::RowType", "getLoopRows">,
    InterfaceMethod<"The node whose edges are walked; null if all rows are walked.",
      "::mlir::Value", "getCenterNode", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The end of the edges at which the node is.",
      "::gnn::EndPoint", "getCenterEnd", (ins), [{}],
      /*defaultImplementation=*/"return ::gnn::EndPoint::Dst;">,
  ];
  let extraSharedClassDeclaration = [{
    /// The current row of the body.
    ::mlir::Value getLoopRow() { return $_op.getLoopBody()->getArgument(0); }
  }];
}

def GNN_LowerToTileOpInterface : OpInterface<"LowerToTileOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op on rows or weights that `convert-gnn-to-gnn-tile` lowers. Ops of other
    dialects have it by external models, and ops of plugins implement it.
    Outside of loops, an op with this interface may be used like an op of `gnn`.
  }];
  let methods = [
    InterfaceMethod<"Gives each result its lowered form (`Lowering::set`), or "
                    "reports at the op the reason why this is impossible.",
      "::llvm::LogicalResult", "lowerToTile", (ins "::gnn::Lowering &":$lowering)>,
  ];
}

#endif // GNN_DIALECT_GNN_IR_GNNINTERFACES_TD
