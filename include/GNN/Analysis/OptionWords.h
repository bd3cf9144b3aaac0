//===- OptionWords.h - Options whose values are words -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An enum for options of passes and tools lists its words once, in
// `OptionWords<Enum>::list()`. The errors of upstream's parser of enums do not
// list the words.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_OPTIONWORDS_H
#define GNN_ANALYSIS_OPTIONWORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace gnn {

/// The words of an enum: `static ArrayRef<OptionWord<Enum>> list()`.
template <typename Enum> struct OptionWords;

template <typename Enum> struct OptionWord {
  llvm::StringRef word;
  Enum value;
};

/// "full, rows" of an enum.
template <typename Enum> std::string joinWords() {
  return llvm::join(
      llvm::map_range(OptionWords<Enum>::list(),
                      [](const OptionWord<Enum> &entry) { return entry.word; }),
      ", ");
}

template <typename Enum> llvm::StringRef stringifyWord(Enum value) {
  for (const OptionWord<Enum> &entry : OptionWords<Enum>::list())
    if (entry.value == value)
      return entry.word;
  llvm_unreachable("every value has a word");
}

/// The value of a word; the error text lists all of them.
template <typename Enum> llvm::Expected<Enum> parseWord(llvm::StringRef word) {
  for (const OptionWord<Enum> &entry : OptionWords<Enum>::list())
    if (entry.word == word)
      return entry.value;
  return llvm::createStringError("expected one of " + joinWords<Enum>() +
                                 ", got '" + word + "'");
}

/// Parses an option by `parseWord`.
template <typename Enum>
class WordParser : public llvm::cl::basic_parser<Enum> {
public:
  using llvm::cl::basic_parser<Enum>::basic_parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef word,
             Enum &value) {
    llvm::Expected<Enum> parsed = parseWord<Enum>(word);
    if (!parsed)
      return option.error(llvm::toString(parsed.takeError()));
    value = *parsed;
    return false;
  }

  static void print(llvm::raw_ostream &os, Enum value) {
    os << stringifyWord(value);
  }

  void printOptionDiff(const llvm::cl::Option &option, Enum value,
                       const llvm::cl::OptionValue<Enum> &,
                       size_t width) const {
    this->printOptionName(option, width);
    llvm::outs() << "= " << stringifyWord(value) << "\n";
  }

  llvm::StringRef getValueName() const override { return "word"; }
};

} // namespace gnn

#endif // GNN_ANALYSIS_OPTIONWORDS_H
