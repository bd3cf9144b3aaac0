//===- OverlayEnums.td - Words of the overlay --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of one word each, whose enumerators are those of instructions and
// programs (GNN/Overlay/Words.h).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYENUMS_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYENUMS_TD

include "mlir/IR/AttrTypeBase.td"
include "GNN/Dialect/Overlay/IR/OverlayBase.td"

def Overlay_LayerTypeAttr : Overlay_WordAttr<"LayerType", "LayerType", "layer_type",
    "the kind of a layer">;
def Overlay_AggregationAttr : Overlay_WordAttr<"Aggregation", "Aggregation",
    "aggregation", "how the rows of edges become one">;
def Overlay_SpaceAttr : Overlay_WordAttr<"Space", "Space", "space",
    "the memory that a load or a store is of">;
def Overlay_InitValueAttr : Overlay_WordAttr<"InitValue", "InitValue", "init_value",
    "the numbers that an output begins with">;
def Overlay_RegionKindAttr : Overlay_WordAttr<"RegionKind", "RegionKind",
    "region_kind", "the layout of a region">;
def Overlay_RegionRoleAttr : Overlay_WordAttr<"RegionRole", "RegionRole",
    "region_role", "what fills or reads a region beside the program">;
def Overlay_ActivationKindAttr : Overlay_WordAttr<"ActivationKind", "ActivationKind",
    "activation_kind", "a function of one element">;

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYENUMS_TD
