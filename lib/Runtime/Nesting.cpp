//===- Nesting.cpp - Limits of texts that are parsed ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Nesting.h"

#include <algorithm>
#include <unordered_map>

using namespace gnn::runtime;

/// Length of the string that `text` starts with.
static size_t stringLength(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\n')
      return i + 1;
    if (text[i] == '\\')
      ++i;
  }
  return text.size();
}

/// Length of the comment, string, operator, alias or character that `text`
/// starts with.
static size_t tokenLength(std::string_view text, Syntax syntax) {
  char next = text.size() > 1 ? text[1] : 0;
  if (text.front() == '/' && next == '/')
    return std::min(text.find('\n'), text.size());
  if (syntax == Syntax::Ptx)
    return 1;
  switch (text.front()) {
  case '"':
    return stringLength(text);
  case '-':
    return next == '>' ? 2 : 1;
  case '<':
  case '>':
    return next == '=' ? 2 : 1;
  case '#':
  case '!':
    return std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_$.-",
                                           1),
                    text.size());
  default:
    return 1;
  }
}

namespace {
/// Follows a text token by token.
class Scanner {
public:
  explicit Scanner(Syntax syntax) : syntax(syntax) {}

  /// Reads the token at the beginning of `text`, of that length. Returns how
  /// deep it is.
  int read(std::string_view text, size_t length);

private:
  int readAlias(std::string_view name);
  int readCharacter(std::string_view text);
  void define(std::string_view name);

  Syntax syntax;
  int brackets = 0;
  /// Since the last delimiter: a parser of affine expressions recurses for each
  /// operator.
  int operators = 0;
  /// The depth of each alias that is defined so far.
  std::unordered_map<std::string_view, int> aliases;
  /// The alias whose definition is read, and how deep that is.
  std::string_view defined;
  int deepest = 0;
  /// An alias outside of brackets: a definition where `=` follows.
  std::string_view last;
};
} // namespace

int Scanner::readAlias(std::string_view name) {
  if (name == defined) { // none is used in its own definition
    aliases[name] = deepest;
    defined = {};
  }
  last = brackets == 0 ? name : std::string_view();
  operators = 0;
  auto found = aliases.find(name);
  return brackets + (found == aliases.end() ? 0 : found->second);
}

int Scanner::readCharacter(std::string_view text) {
  char c = text.front();
  bool isText = syntax == Syntax::Text;
  switch (c) {
  case '<':
  case '>':
    if (!isText)
      break;
    [[fallthrough]];
  case '(':
  case '[':
  case '{':
  case ')':
  case ']':
  case '}': {
    bool isOpening = c == '(' || c == '[' || c == '{' || c == '<';
    if (isOpening || brackets > 0)
      brackets += isOpening ? 1 : -1;
    if (c != '(' && c != ')')
      operators = 0;
    break;
  }
  case '=':
    if (isText && !last.empty())
      define(last);
    [[fallthrough]];
  case ',':
  case ':':
  case '@':
    operators = 0;
    break;
  case 'd':
  case 'm': {
    std::string_view word = text.substr(0, 3);
    operators += isText && (word == "div" || word == "mod");
    break;
  }
  case '+':
  case '-':
  case '*':
    operators += isText;
    break;
  default:
    break;
  }
  if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
    last = {};
  return brackets + operators;
}

void Scanner::define(std::string_view name) {
  if (!defined.empty())
    aliases[defined] = deepest;
  defined = name;
  deepest = 0;
}

int Scanner::read(std::string_view text, size_t length) {
  int depth = brackets;
  char c = text.front();
  if (syntax == Syntax::Text && (c == '#' || c == '!'))
    depth = readAlias(text.substr(0, length));
  else if (length == 1)
    depth = readCharacter(text);
  deepest = std::max(deepest, depth);
  return depth;
}

static TextPlace placeOf(std::string_view text, size_t at) {
  std::string_view before = text.substr(0, at);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return {static_cast<unsigned>(line), static_cast<unsigned>(column)};
}

std::optional<TextPlace>
gnn::runtime::findDeepNesting(std::string_view text, int most, Syntax syntax) {
  Scanner scanner(syntax);
  for (size_t at = 0, length; at < text.size(); at += length) {
    std::string_view rest = text.substr(at);
    length = tokenLength(rest, syntax);
    if (scanner.read(rest, length) > most)
      return placeOf(text, at);
  }
  return std::nullopt;
}

Error gnn::runtime::checkNesting(std::string_view text, int most,
                                 Syntax syntax) {
  std::optional<TextPlace> place = findDeepNesting(text, most, syntax);
  if (!place)
    return {};
  return failure("line ", place->line, ", column ", place->column,
                 ": expected at most ", most, " levels of nesting");
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Where the next token begins, from `at` on.
static size_t skipBlanks(std::string_view text, size_t at) {
  constexpr std::string_view blanks(" \t\r\n\0", 5); // as MLIR's lexer
  for (;;) {
    at = std::min(text.find_first_not_of(blanks, at), text.size());
    if (text.substr(at, 2) != "//")
      return at;
    at += tokenLength(text.substr(at), Syntax::Text);
  }
}

/// How many elements the dimensions that `text` starts with make, or `most` + 1
/// where those are more. Dynamic dimensions count as 1.
static int64_t countElements(std::string_view text, int64_t most) {
  int64_t count = 1;
  for (size_t at = 0;; ++at) {
    at = skipBlanks(text, at);
    if (at < text.size() && text[at] == '[') // scalable
      at = skipBlanks(text, at + 1);
    int64_t size = 0;
    size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      size = std::min(size, most) * 10 + (text[at] - '0');
    if (at == begin) {
      if (at == text.size() || text[at] != '?')
        return count;
      size = 1;
      ++at;
    }
    size = std::min(size, most + 1);
    count = std::min(count * size, most + 1);
    at = skipBlanks(text, at);
    if (at < text.size() && text[at] == ']')
      at = skipBlanks(text, at + 1);
    if (at == text.size() || text[at] != 'x')
      return count;
  }
}

/// Where the dimensions begin of the vector or tensor type that `text` starts
/// with; 0 where it starts with none.
static size_t findDimensions(std::string_view text) {
  std::string_view word = text.substr(0, 6);
  if (word != "vector" && word != "tensor")
    return 0;
  size_t at = skipBlanks(text, word.size());
  return at < text.size() && text[at] == '<' ? at + 1 : 0;
}

Error gnn::runtime::checkVectors(std::string_view text, int64_t most) {
  for (size_t at = 0, length; at < text.size(); at += length) {
    std::string_view rest = text.substr(at);
    bool isSkipped = rest.front() == '"' || rest.front() == '/';
    length = isSkipped ? tokenLength(rest, Syntax::Text) : 1;
    size_t dimensions = findDimensions(rest);
    if (dimensions == 0 || countElements(rest.substr(dimensions), most) <= most)
      continue;
    TextPlace place = placeOf(text, at);
    return failure("line ", place.line, ", column ", place.column,
                   ": expected a ", rest.substr(0, 6), " of at most ", most,
                   " elements, got ",
                   rest.substr(0, std::min<size_t>(rest.find('>'), 79) + 1));
  }
  return {};
}
