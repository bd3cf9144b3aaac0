//===- Diagnostics.cpp - Diagnostics as lines of text ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Where in a file a location is, first of all.
static std::string place(Location location, llvm::StringRef name) {
  std::string text = name.str();
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file || !file.getLine()) // as a module's
      return WalkResult::advance();
    text.clear();
    llvm::raw_string_ostream(text) << file.getFilename().getValue() << ":"
                                   << file.getLine() << ":" << file.getColumn();
    return WalkResult::interrupt();
  });
  return text;
}

void gnn::capi::addLines(Diagnostic &diagnostic, llvm::StringRef name,
                         std::vector<std::string> &lines) {
  lines.push_back(place(diagnostic.getLocation(), name) + ": " +
                  diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    lines.push_back(place(note.getLocation(), name) + ": note: " + note.str());
}
