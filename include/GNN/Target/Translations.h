//===- Translations.h - Outputs of gnn-translate ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_TRANSLATIONS_H
#define GNN_TARGET_TRANSLATIONS_H

#include "llvm/Support/CommandLine.h"

namespace gnn {

/// Registers `--gnn-to-ptx`, `--gnn-to-package`, `--gnn-to-plan` and
/// `--gnn-to-dot`, once per process.
void registerTranslations();

/// The category of the options of these translations.
llvm::cl::OptionCategory &getTranslationOptions();

} // namespace gnn

#endif // GNN_TARGET_TRANSLATIONS_H
