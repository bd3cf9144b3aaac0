//===- PtxText.cpp - PTX as one text that says what it computes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX knows parameters by number alone; the launch plan knows what they are.
// Files of line tables are numbered by module.
//
//===----------------------------------------------------------------------===//

#include "PtxText.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace gnn;
using runtime::ArgSpec;
using runtime::Expr;
using runtime::FunctionPlan;

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Takes a line with its end from the front of `text`.
static llvm::StringRef takeLine(llvm::StringRef &text) {
  size_t end = text.find('\n');
  llvm::StringRef line =
      end == llvm::StringRef::npos ? text : text.take_front(end + 1);
  text = text.drop_front(line.size());
  return line;
}

/// Calls `visit` on each line, its end included.
static void forEachLine(llvm::StringRef text,
                        llvm::function_ref<void(llvm::StringRef)> visit) {
  while (!text.empty())
    visit(takeLine(text));
}

/// Takes "\t.file\t1 " or "\t.loc\t1 " from the front of `line`.
static bool consumeNumbered(llvm::StringRef &line, llvm::StringRef directive,
                            unsigned &number) {
  llvm::StringRef rest = line;
  if (!rest.consume_front(directive) || rest.consumeInteger(10, number) ||
      !rest.consume_front(" "))
    return false;
  line = rest;
  return true;
}

/// Up to the end of the last line of what each text begins with, without it.
static size_t headerLength(llvm::StringRef text) {
  return text.find('\n', text.find(".address_size"));
}

std::string gnn::joinPtx(llvm::ArrayRef<llvm::StringRef> texts) {
  constexpr llvm::StringLiteral fileWord = "\t.file\t", lineWord = "\t.loc\t";
  std::string result, sections;
  llvm::MapVector<llvm::StringRef, unsigned> files; // from 1 on
  for (auto [i, text] : llvm::enumerate(texts)) {
    llvm::StringRef body = text;
    if (i > 0 && body.starts_with("//"))
      body = body.drop_front(headerLength(body));
    // The files of a text are at its end, and ascend.
    llvm::SmallVector<unsigned> numbers = {0};
    forEachLine(body, [&](llvm::StringRef line) {
      unsigned number;
      if (consumeNumbered(line, fileWord, number))
        numbers.push_back(
            files.try_emplace(line.trim(), files.size() + 1).first->second);
    });
    forEachLine(body, [&](llvm::StringRef line) {
      llvm::StringRef rest = line;
      unsigned number;
      if (consumeNumbered(rest, fileWord, number))
        return;
      if (line.starts_with("\t.section\t"))
        sections = line.str(); // says that there are line tables
      else if (consumeNumbered(rest, lineWord, number))
        result += (lineWord + llvm::Twine(numbers[number]) + " " + rest).str();
      else
        result += line;
    });
  }
  result += sections;
  for (auto [name, number] : files)
    result += (fileWord + llvm::Twine(number) + " " + name + "\n").str();
  return result;
}

llvm::StringRef gnn::getPtx(mlir::gpu::BinaryOp binary) {
  auto object = mlir::cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]);
  llvm::StringRef ptx = object.getObject().getValue();
  return ptx.take_until([](char c) { return c == '\0'; });
}

namespace {
/// A part without the lines that a module has once.
struct SplitPart {
  llvm::StringRef header, first, kernels;
  /// Lines about shared memory, which is declared in the kernels.
  llvm::StringRef demoted;
  unsigned numKernels = 0, numPlaces = 0;
};
} // namespace

/// Calls `visit` for each label of LLVM in `text`: what is in front of it
/// without labels, its word and its number. Gives what is behind the last.
static llvm::StringRef
forEachLabel(llvm::StringRef text,
             llvm::function_ref<void(llvm::StringRef before,
                                     llvm::StringRef word, unsigned number)>
                 visit) {
  constexpr llvm::StringLiteral sign = "$L__";
  size_t begin = 0;
  for (size_t at; (at = text.find(sign, begin)) != llvm::StringRef::npos;) {
    llvm::StringRef rest = text.drop_front(at + sign.size());
    llvm::StringRef word =
        rest.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    unsigned number;
    begin = at + sign.size() + word.size();
    if (rest.consumeInteger(10, number))
      continue;
    visit(text.take_front(begin), word, number);
    text = rest;
    begin = 0;
  }
  return text;
}

/// Whether a label has the number of a place, as "tmp" has. Others have that of
/// their function: "func_begin", "func_end", "BB".
static bool isOfPlace(llvm::StringRef word) { return word == "tmp"; }

static std::optional<SplitPart> splitPart(llvm::StringRef text) {
  SplitPart part;
  size_t length = headerLength(text);
  if (length == llvm::StringRef::npos)
    return std::nullopt;
  part.header = text.take_front(length + 2); // and an empty line
  text = text.drop_front(part.header.size());
  part.first = takeLine(text);
  llvm::StringRef all = text;
  while (text.take_until([](char c) { return c == '\n'; })
             .ends_with(" has been demoted"))
    takeLine(text);
  part.demoted = all.drop_back(text.size());
  text.consume_front("\n");
  part.kernels = text;
  if (!part.header.ends_with("\n\n") ||
      !part.first.starts_with("\t// .globl\t") ||
      !text.starts_with(".visible .entry "))
    return std::nullopt;
  part.numKernels = text.count(".visible .entry ");
  forEachLabel(text, [&](llvm::StringRef, llvm::StringRef word, unsigned i) {
    if (isOfPlace(word))
      part.numPlaces = std::max(part.numPlaces, i + 1);
  });
  return part;
}

/// The kernels of a part behind others of its module, by whose numbers labels
/// go on.
static std::string shiftLabels(const SplitPart &part, unsigned numKernels,
                               unsigned numPlaces) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << forEachLabel(part.kernels, [&](llvm::StringRef before,
                                           llvm::StringRef word, unsigned i) {
    stream << before << i + (isOfPlace(word) ? numPlaces : numKernels);
  });
  return result;
}

std::optional<std::string> gnn::joinPtxParts(llvm::ArrayRef<PtxPart> parts) {
  std::vector<SplitPart> split;
  for (const PtxPart &part : parts) {
    std::optional<SplitPart> one = splitPart(part.text);
    if (!one)
      return std::nullopt;
    split.push_back(*one);
  }
  std::vector<std::string> texts;
  unsigned numKernels = 0, numPlaces = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string text;
    if (i == 0 || parts[i].module != parts[i - 1].module) {
      numKernels = numPlaces = 0;
      text = (split[i].header + split[i].first).str();
      bool hasDemoted = false;
      for (size_t j = i; j < parts.size() && parts[j].module == parts[i].module;
           ++j) {
        text += split[j].demoted;
        hasDemoted |= !split[j].demoted.empty();
      }
      text += hasDemoted ? "\n" : "";
    } else {
      text = split[i].first.str();
    }
    texts.push_back(text + shiftLabels(split[i], numKernels, numPlaces));
    numKernels += split[i].numKernels;
    numPlaces += split[i].numPlaces;
  }
  return joinPtx(
      llvm::SmallVector<llvm::StringRef>(texts.begin(), texts.end()));
}

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// A name of the user may hold anything; a comment ends with its line.
static std::string inOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !llvm::isPrint(c); }, '?');
  return text;
}

/// "ceil(dst rows of g / 128)".
static std::string comment(const FunctionPlan &plan, int64_t index) {
  const Expr &expr = plan.exprs[static_cast<size_t>(index)];
  if (expr.op == Expr::Op::Const)
    return std::to_string(expr.value);
  if (expr.op == Expr::Op::Count) {
    std::string text = expr.count.str();
    llvm::StringRef key = text;
    std::string of = " of " + plan.graphName(static_cast<size_t>(expr.graph));
    return key.consume_front("count ") ? (key + " rows" + of).str() : text + of;
  }
  std::string a = comment(plan, expr.args[0]), b = comment(plan, expr.args[1]);
  switch (expr.op) {
  case Expr::Op::Add:
    return "(" + a + " + " + b + ")";
  case Expr::Op::Sub:
    return "(" + a + " - " + b + ")";
  case Expr::Op::Mul:
    return "(" + a + " * " + b + ")";
  case Expr::Op::CeilDiv:
    return "ceil(" + a + " / " + b + ")";
  case Expr::Op::FloorDiv:
    return "floor(" + a + " / " + b + ")";
  case Expr::Op::Min:
    return "min(" + a + ", " + b + ")";
  case Expr::Op::Max:
    return "max(" + a + ", " + b + ")";
  case Expr::Op::Const:
  case Expr::Op::Count:
    break;
  }
  llvm_unreachable("handled above");
}

/// "'x', f32[node of g, 64]".
static std::string comment(const FunctionPlan &plan,
                           const runtime::TensorSpec &tensor) {
  std::string text = "'" + tensor.name + "', " + name(tensor.dtype) + "[";
  for (auto [i, size] : llvm::enumerate(tensor.shape)) {
    text += i ? ", " : "";
    bool isRows = i == 0 && tensor.space;
    text += isRows ? name(*tensor.space) + std::string(" of ") +
                         plan.graphName(static_cast<size_t>(tensor.graph))
                   : std::to_string(size);
  }
  return text + "]";
}

static std::string comment(const FunctionPlan &plan, const ArgSpec &arg) {
  auto index = static_cast<size_t>(arg.index);
  switch (arg.kind) {
  case ArgSpec::Kind::Input:
    return "input " + comment(plan, plan.inputs[index]);
  case ArgSpec::Kind::Output:
    return "output " + comment(plan, plan.outputs[index]);
  case ArgSpec::Kind::Workspace:
    return arg.value.empty() ? "workspace" : "workspace, " + arg.value;
  case ArgSpec::Kind::Structure: {
    const runtime::StructureSpec &structure = plan.structures[index];
    return "structure '" + structure.key.str() + "' of " +
           plan.graphName(static_cast<size_t>(structure.graph));
  }
  case ArgSpec::Kind::Constant:
    return "constant, " + std::to_string(arg.bytes) + " bytes";
  case ArgSpec::Kind::I32:
  case ArgSpec::Kind::I64:
    return comment(plan, arg.index);
  }
  llvm_unreachable("all kinds are handled");
}

/// "layer_0_dot: dot at layer.mlir:8:3".
static std::string titleOf(const runtime::StepSpec &step) {
  return inOneLine((step.name.empty() ? step.kernel : step.name) +
                   (step.ops.empty() ? "" : ": ") + llvm::join(step.ops, ", "));
}

/// The comment on one kernel.
static std::string comment(const FunctionPlan &plan,
                           const runtime::StepSpec &step) {
  std::string text;
  auto addLine = [&](const std::string &line) {
    text += "// " + inOneLine(line) + "\n";
  };
  text += "// " + titleOf(step) + "\n";
  if (!step.schedule.empty())
    addLine("  schedule " + step.schedule);
  for (auto [i, arg] : llvm::enumerate(step.args))
    addLine("  param_" + std::to_string(i) + ": " + comment(plan, arg));
  return text;
}

std::string gnn::commentKernels(llvm::StringRef ptx,
                                const runtime::LaunchPlan &plan) {
  llvm::StringMap<std::string> comments;
  for (const FunctionPlan &function : plan.functions)
    for (const runtime::StepSpec &step : function.steps) {
      auto [text, isNew] = comments.try_emplace(step.kernel, "");
      text->second +=
          isNew ? comment(function, step) : "// also " + titleOf(step) + "\n";
    }
  std::string result;
  constexpr llvm::StringLiteral entry = ".visible .entry ";
  forEachLine(ptx, [&](llvm::StringRef line) {
    llvm::StringRef name = line;
    if (name.consume_front(entry))
      result +=
          comments.lookup(name.take_until([](char c) { return c == '('; }));
    result += line;
  });
  return result;
}
