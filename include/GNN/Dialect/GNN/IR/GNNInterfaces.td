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
    than the one it works on, or reduces into one.
  }];
  let methods = [
    InterfaceMethod<"All paths that the op follows, from the finer to the coarser space.",
      "::llvm::SmallVector<::gnn::RowPath>", "getRowPaths">,
  ];
}

def GNN_RowWiseOpInterface : OpInterface<"RowWiseOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op each row of whose result depends, of each operand with rows, on the one
    row that it leads to. Such an op can be computed on any coarser rows that all
    its operands are known for, and gathered from there: what depends on the
    source and the edge type alone needs one row a source pair, not one an edge
    (Hector 3.2.2).
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
    `op(a * x + b * y) = a * op(x) + b * op(y)`. How two such ops commute follows
    from their actions (`gnn::LinearAction`): what acts on rows commutes with
    what acts on features, and what acts on features by type commutes with a
    path that keeps the type.
  }];
  let methods = [
    InterfaceMethod<"How the op acts on this operand, none where it is not linear in it.",
      "::std::optional<::gnn::LinearAction>", "getLinearAction",
      (ins "unsigned":$operand)>,
    InterfaceMethod<"The transpose of the op in an operand that it is linear in, applied "
                    "to `gradient`, which is like the result: a value like the operand. "
                    "Null where it has none. The default `buildGradient` alone asks for "
                    "it: an op with another one needs none.",
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
    rows or of the row's type, and may add a bias: linear, or affine where there
    is a bias. Two such ops in a row are one, with the product of their weights
    (Hector 3.2.3).
  }];
  let methods = [
    InterfaceMethod<"The operands of the product; none where no operand is a weight.",
      "::std::optional<::gnn::ProductOperands>", "getProductOperands">,
  ];
}

def GNN_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op that knows with respect to which operands its results have a gradient,
    and builds it: `gnn-differentiate` asks the ops of a function from the last to
    the first. An op without a gradient says why, in words a user understands: it is
    asked about an operand by its number, and about all values at once that its body
    reads from outside.

    A gradient reads operands and results. Where the results do not say
    enough, `getWithGradientNeeds` gives an op that has more of them: the argument
    of a maximum, the highest score and the sum of powers of a softmax.
  }];
  let methods = [
    InterfaceMethod<"Why there is no gradient with respect to this operand; "
                    "empty where there is one.",
      "::llvm::StringRef", "getNoGradientReason", (ins "unsigned":$operand), [{}],
      /*defaultImplementation=*/"return ::gnn::detail::integerHasNoGradient($_op, operand);">,
    InterfaceMethod<"Why there is no gradient with respect to what the body reads from "
                    "outside and is no operand; never empty.",
      "::llvm::StringRef", "getNoGradientOfBodyReason", (ins), [{}],
      /*defaultImplementation=*/[{
        return "no rule of differentiation is known for the body of this op";
      }]>,
    InterfaceMethod<"The op with the results that its gradient reads besides, which come "
                    "behind those that it has; itself where it needs no more.",
      "::mlir::Operation *", "getWithGradientNeeds",
      (ins "::mlir::OpBuilder &":$builder), [{}],
      /*defaultImplementation=*/"return $_op;">,
    InterfaceMethod<"The gradient with respect to each operand that is asked for: a value "
                    "of its type, also where it is 0. `gradients` are those of the "
                    "results, null where there is none, and one is not. Where two "
                    "operands are one value, one of them may have the gradient of both. "
                    "Reports at the op why it fails. By default an op is transposed in "
                    "the operands that its first result is linear in.",
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
    graph: `gnn::RowCount` keeps a number for each row space and is evaluated
    with statistics. Weights are read once, rows once for each row that they are
    read for; caches are ignored. An id that leads to another row is 4 bytes.
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
    InterfaceMethod<"Rows that go through a product with weights, which all flops "
                    "are of then; none for other ops.",
      "::gnn::RowCount", "getProductRows", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The counts of each kernel, in the order in which they run, of an op "
                    "that becomes several or walks over edges more than once. The op "
                    "counts their sum. None for other ops.",
      "std::vector<::gnn::KernelCounts>", "getKernels", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
  ];
}

def GNN_RowLoopInterface : OpInterface<"RowLoopInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    A loop whose body says what one row gives: over all edges or nodes, or over
    the edges of one node.
  }];
  let methods = [
    InterfaceMethod<"The body, a block whose first argument is the row.",
      "::mlir::Block *", "getLoopBody", (ins), [{}],
      /*defaultImplementation=*/"return &$_op.getBody().front();">,
    InterfaceMethod<"The rows that the loop is over.",
      "::gnn::RowType", "getLoopRows">,
    InterfaceMethod<"The node whose edges are walked; null where all rows are.",
      "::mlir::Value", "getCenterNode", (ins), [{}],
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The end of the edges that is the node.",
      "::gnn::EndPoint", "getCenterEnd", (ins), [{}],
      /*defaultImplementation=*/"return ::gnn::EndPoint::Dst;">,
  ];
  let extraSharedClassDeclaration = [{
    /// The row that the body is at.
    ::mlir::Value getLoopRow() { return $_op.getLoopBody()->getArgument(0); }
  }];
}

def GNN_LowerToTileOpInterface : OpInterface<"LowerToTileOpInterface"> {
  let cppNamespace = "::gnn";
  let description = [{
    An op on rows or weights that `convert-gnn-to-gnn-tile` lowers. Ops of other
    dialects have it by external models, ops of plugins implement it: an op with
    it may stand wherever one of `gnn` may, outside of loops.
  }];
  let methods = [
    InterfaceMethod<"Gives each result its lowered form (`Lowering::set`), or "
                    "reports at the op why there is none.",
      "::llvm::LogicalResult", "lowerToTile", (ins "::gnn::Lowering &":$lowering)>,
  ];
}

#endif // GNN_DIALECT_GNN_IR_GNNINTERFACES_TD
