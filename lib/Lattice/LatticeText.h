//===- LatticeText.h - Words of row spaces ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_LATTICE_LATTICETEXT_H
#define GNN_LIB_LATTICE_LATTICETEXT_H

#include "GNN/Lattice/Lattice.h"

namespace gnn {

std::string quoted(std::string_view text);

/// Parses the name of a space; else says what is wrong.
bool parseSpace(std::string_view word, Space &space, std::string &error);

} // namespace gnn

#endif // GNN_LIB_LATTICE_LATTICETEXT_H
