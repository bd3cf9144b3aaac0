//===- OverlayInterfaces.td - Interface of layers ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYINTERFACES_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYINTERFACES_TD

include "mlir/IR/OpBase.td"

def Overlay_LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::gnn::overlay";
  let description = "The fields of table II that types do not hold.";
  let methods = [
    InterfaceMethod<"The kind of layer.",
        "::gnn::overlay::LayerType", "getLayerType">,
    InterfaceMethod<"The reduction of rows of edges; none for other layers.",
        "::gnn::overlay::Aggregation", "getAggregationKind", (ins), [{}], [{
      return ::gnn::overlay::Aggregation::None;
    }]>,
    InterfaceMethod<"The functions of its output, in order; null: none.",
        "::mlir::ArrayAttr", "getFusedActivations", (ins), [{}], [{
      return $_op->template getAttrOfType<::mlir::ArrayAttr>("activations");
    }]>,
    InterfaceMethod<"Adds functions after the existing ones.",
        "void", "addActivations", (ins "::mlir::ArrayAttr":$more), [{}], [{
      ::llvm::SmallVector<::mlir::Attribute> all;
      if (::mlir::ArrayAttr old = $_op.getFusedActivations())
        all.append(old.begin(), old.end());
      all.append(more.begin(), more.end());
      $_op->setAttr("activations",
                    ::mlir::ArrayAttr::get($_op->getContext(), all));
    }]>,
    InterfaceMethod<"f_in, the number of features that are read from a row of the input.",
        "int64_t", "getInputFeatures", (ins), [{}], [{
      return ::gnn::getNumFeatures(::gnn::getTensorType($_op->getOperand(0)));
    }]>,
    InterfaceMethod<"f_out, the number of features of a row of the output.",
        "int64_t", "getOutputFeatures", (ins), [{}], [{
      return ::gnn::getNumFeatures(::gnn::getTensorType($_op->getResult(0)));
    }]>,
  ];
}

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYINTERFACES_TD
