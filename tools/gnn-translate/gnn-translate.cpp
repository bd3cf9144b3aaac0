//===- gnn-translate.cpp - Write PTX, packages and pictures ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Translations.h"
#include "GNN/Transforms/OptionFiles.h"
#include "GNN/Version.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/WithColor.h"

#include <csignal>
#include <sys/mman.h>

/// Puts a file in memory in place of the value of -o, which it gives: the
/// driver of MLIR empties the file that is there before it translates. Empty
/// where there is no such option.
static std::string replaceOutput(std::vector<std::string> &arguments,
                                 const std::string &replacement) {
  std::string output;
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef option = arguments[i];
    if (!option.consume_front("--o"))
      if (!option.consume_front("-o"))
        continue;
    if (option.empty() && i + 1 < arguments.size())
      output = std::exchange(arguments[++i], replacement);
    else if (option.consume_front("=")) {
      output = option.str();
      arguments[i] = "-o=" + replacement;
    }
  }
  return output;
}

static int translate(std::vector<std::string> &arguments) {
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return mlir::failed(mlir::mlirTranslateMain(
      static_cast<int>(arguments.size()), pointers.data(),
      "gnn-mlir translation driver\n"));
}

int main(int argc, char **argv) {
  gnn::setVersionPrinter();
  gnn::registerTranslations();
  // LLVM has some hundreds, which nobody looks for here; all can be given.
  llvm::cl::HideUnrelatedOptions(gnn::getTranslationOptions());
  std::vector<std::string> arguments(argv, argv + argc);
  std::signal(SIGXFSZ, SIG_IGN); // a limit of files is an error of writing
  int memory = memfd_create("gnn-translate", MFD_CLOEXEC);
  std::string inMemory = "/proc/self/fd/" + std::to_string(memory);
  std::string output = replaceOutput(arguments, inMemory);
  if (int status = translate(arguments); status != 0 || output.empty())
    return status;
  auto text = gnn::runtime::readFile(inMemory);
  gnn::runtime::Error error =
      text ? gnn::writeOutput(output, *text) : text.takeError();
  if (!error)
    return 0;
  llvm::WithColor::error(llvm::errs(), "gnn-translate")
      << error.message() << "\n";
  return 1;
}
