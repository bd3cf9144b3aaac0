//===- GNNOpBase.td - Classes that all ops share -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNOPBASE_TD
#define GNN_DIALECT_GNN_IR_GNNOPBASE_TD

include "GNN/Dialect/GNN/IR/GNNTypes.td"
include "GNN/Dialect/GNN/IR/GNNInterfaces.td"

def GNN_Path : DeclareOpInterfaceMethods<GNN_RowPathOpInterface>;
def GNN_RowWise : DeclareOpInterfaceMethods<GNN_RowWiseOpInterface>;
// Operands may be in other row spaces than the result.
def GNN_RowWisePaths : DeclareOpInterfaceMethods<GNN_RowWiseOpInterface,
    ["getOperandPath", "mayLeadElsewhere", "setOperandEnd"]>;
def GNN_Linear : DeclareOpInterfaceMethods<GNN_LinearOpInterface, ["buildTranspose"]>;
// The gradient has a rule for all operands instead of transposes.
def GNN_LinearByGradient : DeclareOpInterfaceMethods<GNN_LinearOpInterface>;
def GNN_Product : DeclareOpInterfaceMethods<GNN_ProductOpInterface>;
def GNN_Cost : DeclareOpInterfaceMethods<GNN_RowCostInterface, ["getFlops"]>;
// A product of rows with weights.
def GNN_ProductCost
    : DeclareOpInterfaceMethods<GNN_RowCostInterface, ["getFlops", "getProductRows"]>;
// The op reads other bytes than those of its operands, each once.
def GNN_CostAndReads
    : DeclareOpInterfaceMethods<GNN_RowCostInterface, ["getFlops", "getReadBytes"]>;
// The op is several kernels.
def GNN_KernelCosts : DeclareOpInterfaceMethods<GNN_RowCostInterface,
    ["getFlops", "getReadBytes", "getWrittenBytes", "getKernels"]>;
// The result is another view of the operand.
def GNN_NoCost : DeclareOpInterfaceMethods<GNN_RowCostInterface,
    ["getFlops", "getReadBytes", "getWrittenBytes"]>;

// How the gradient of an op is built: each operand is transposed (GNN_Linear), by a
// rule of its own, or by one that reads results that the op has only where it is asked.
def GNN_Transposed : TraitList<[GNN_DifferentiableOpInterface]>;
def GNN_Gradient
    : DeclareOpInterfaceMethods<GNN_DifferentiableOpInterface, ["buildGradient"]>;
def GNN_GradientWithNeeds : DeclareOpInterfaceMethods<GNN_DifferentiableOpInterface,
    ["buildGradient", "getWithGradientNeeds"]>;

// An op on rows of one graph, without side effects.
class GNN_RowOp<string mnemonic, list<Trait> traits = [],
                Trait gradient = GNN_Transposed>
    : GNN_Op<mnemonic, !listconcat(
        [Pure, GNN_OnOneGraph, GNN_UsesGraph, gradient], traits)>;

#endif // GNN_DIALECT_GNN_IR_GNNOPBASE_TD
