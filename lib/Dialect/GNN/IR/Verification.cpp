//===- Verification.cpp - Checks that several ops share -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

LogicalResult
gnn::detail::checkOperands(std::optional<Location> location, StringRef opName,
                           function_ref<LogicalResult(EmitError)> check) {
  return check([&]() -> Failure {
    if (!location)
      return InFlightDiagnostic();
    return mlir::emitError(*location) << "'" << opName << "' op ";
  });
}

LogicalResult gnn::detail::verifyPathExists(EmitError emitError, RowPath path,
                                            StringRef what) {
  if (path.exists())
    return success();
  return emitError() << "no path to " << what << ": a "
                     << stringifyRowSpace(path.from)
                     << " row does not lead to one "
                     << stringifyRowSpace(path.to) << " row";
}

LogicalResult gnn::detail::verifyVia(EmitError emitError, RowPath path,
                                     StringRef what) {
  if (path.isAmbiguous() == path.via.has_value())
    return success();
  auto from = stringifyRowSpace(path.from), to = stringifyRowSpace(path.to);
  if (path.isAmbiguous())
    return emitError() << "two paths to " << what << " from " << from
                       << " rows to " << to
                       << " rows: expected 'via src' or 'via dst', got none";
  return emitError() << "one path to " << what << " from " << from
                     << " rows to " << to << " rows: expected no via, got 'via "
                     << stringifyEndPoint(*path.via) << "'";
}

std::string gnn::detail::formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

static LogicalResult verifyTakes(EmitError emitError, ActivationKind kind,
                                 bool takes, bool has, StringRef what,
                                 StringRef article = "") {
  if (takes == has)
    return success();
  return emitError() << stringifyActivationKind(kind) << ": expected "
                     << (takes ? article : "no ") << what << ", got "
                     << (has ? "one" : "none");
}

LogicalResult gnn::detail::verifyAlpha(EmitError emitError, ActivationKind kind,
                                       Attribute alpha) {
  bool takes = kind == ActivationKind::LeakyRelu || kind == ActivationKind::Elu;
  return verifyTakes(emitError, kind, takes, static_cast<bool>(alpha), "alpha");
}

LogicalResult gnn::detail::verifyWeight(EmitError emitError,
                                        ActivationKind kind, Value weight) {
  return verifyTakes(emitError, kind, kind == ActivationKind::Prelu,
                     static_cast<bool>(weight), "weight", "a ");
}

LogicalResult gnn::detail::verifySameFeatures(EmitError emitError,
                                              RankedTensorType expected,
                                              RankedTensorType got,
                                              StringRef what) {
  if (getFeatures(expected) == getFeatures(got))
    return success();
  return emitError() << "expected features "
                     << formatShape(getFeatures(expected)) << " of " << what
                     << ", got " << formatShape(getFeatures(got));
}

LogicalResult gnn::detail::verifySameRows(EmitError emitError,
                                          RankedTensorType expected,
                                          RankedTensorType got,
                                          StringRef what) {
  if (getRows(expected) == getRows(got))
    return success();
  auto name = [](RankedTensorType type) -> std::string {
    std::optional<RowSpace> space = getRowSpace(type);
    return space ? stringifyRowSpace(*space).str() + " rows" : "no row space";
  };
  return emitError() << "expected " << name(expected) << " of " << what
                     << ", got " << name(got);
}

bool gnn::detail::isSuffix(ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> features) {
  return !shape.empty() && shape.size() <= features.size() &&
         features.take_back(shape.size()) == shape;
}

bool gnn::detail::isPrefix(ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> features) {
  return shape.size() <= features.size() &&
         features.take_front(shape.size()) == shape;
}
