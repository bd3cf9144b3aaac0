//===- PtxEntries.cpp - The kernels of a PTX text -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/PtxEntries.h"

#include "Parallel.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

/// Bytes that are worth a module of their own: the driver takes milliseconds.
static constexpr size_t kBytesOfModule = size_t(1) << 13;

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Takes a line with its end from the front of `text`.
static std::string_view takeLine(std::string_view &text) {
  size_t end = text.find('\n');
  size_t size = end == std::string_view::npos ? text.size() : end + 1;
  std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

/// Lines between kernels that say nothing to the driver.
static bool isEmpty(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ||
         startsWith(line.substr(first), "//");
}

std::optional<PtxEntries> PtxEntries::split(const std::string &text) {
  constexpr std::string_view word = ".visible .entry ";
  PtxEntries result;
  size_t at = text.find("\n.address_size ");
  if (at == std::string::npos)
    return std::nullopt;
  std::string_view rest = std::string_view(text).substr(at + 1);
  takeLine(rest);
  result.header = text.substr(0, text.size() - rest.size());
  while (!rest.empty()) {
    std::string_view begin = rest, line = takeLine(rest);
    if (isEmpty(line))
      continue;
    if (startsWith(line, "\t.section\t") || startsWith(line, "\t.file\t")) {
      result.trailer += line; // of line tables
      continue;
    }
    size_t end = line.find('(');
    if (!startsWith(line, word) || end == std::string_view::npos)
      return std::nullopt;
    std::string name(line.substr(word.size(), end - word.size()));
    do
      if (rest.empty())
        return std::nullopt;
    while (!startsWith(takeLine(rest), "}"));
    std::string entry(begin.substr(0, begin.size() - rest.size()));
    if (!result.entries.emplace(std::move(name), std::move(entry)).second)
      return std::nullopt;
  }
  if (result.entries.empty())
    return std::nullopt;
  return result;
}

/// Takes a word with the white space around it from the front of `text`.
static std::string_view takeWord(std::string_view &text) {
  constexpr std::string_view space = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  size_t end = std::min(text.find_first_of(space), text.size());
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// A number in the base 10, at most 2^30.
static int64_t readNumber(std::string_view text) {
  int64_t number = 0;
  for (char c : text)
    if (c >= '0' && c <= '9' && number < (1 << 27))
      number = 10 * number + (c - '0');
    else
      break;
  return number;
}

/// ".param .u64 .ptr .global .align 16 name", without the first word: a pointer
/// says so, arrays have their bytes in brackets behind the name.
static KernelParameter readParameter(std::string_view text) {
  KernelParameter parameter;
  int64_t elements = 1;
  if (size_t bracket = text.find('['); bracket != std::string_view::npos)
    elements = readNumber(text.substr(bracket + 1));
  parameter.size = 0;
  for (std::string_view word = takeWord(text); !word.empty();
       word = takeWord(text)) {
    if (word == ".ptr") {
      parameter.kind = KernelParameter::Kind::Memory;
    } else if (word == ".align") {
      int64_t alignment = readNumber(takeWord(text));
      if (parameter.isMemory())
        parameter.alignment = std::max<int64_t>(alignment, 1);
    } else if (word.size() > 2 && word[0] == '.' &&
               std::string_view("bsuf").find(word[1]) !=
                   std::string_view::npos) {
      if (int64_t bits = readNumber(word.substr(2)))
        parameter.size = bits / 8 * elements;
    }
  }
  return parameter;
}

std::vector<KernelParameter>
PtxEntries::parameters(const std::string &name) const {
  constexpr std::string_view word = ".param ";
  std::string list; // without comments
  std::string_view entry = entries.at(name);
  while (!entry.empty()) {
    std::string_view line = takeLine(entry);
    line = line.substr(0, line.find("//"));
    list += line;
    if (line.find(')') != std::string_view::npos)
      break;
  }
  list.resize(std::min(list.find(')'), list.size()));
  std::vector<KernelParameter> parameters;
  for (size_t at = list.find(word); at != std::string::npos;) {
    size_t begin = at + word.size(), next = list.find(word, begin);
    size_t end = std::min({next, list.find(',', begin), list.size()});
    parameters.push_back(
        readParameter(std::string_view(list).substr(begin, end - begin)));
    at = next;
  }
  return parameters;
}

std::vector<std::vector<std::string>>
PtxEntries::group(const std::vector<std::string> &names, size_t count) const {
  auto size = [&](const std::string &name) { return entries.at(name).size(); };
  std::vector<size_t> sorted(names.size());
  std::iota(sorted.begin(), sorted.end(), size_t(0));
  std::sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
    return std::pair(size(names[b]), a) < std::pair(size(names[a]), b);
  });
  size_t bytes = 0;
  for (const std::string &name : names)
    bytes += size(name);
  count = std::min({count, names.size(), bytes / kBytesOfModule + 1});
  std::vector<std::vector<std::string>> groups(count);
  std::vector<size_t> sizes(count);
  for (size_t next : sorted) { // the largest first, to the least
    auto least = std::min_element(sizes.begin(), sizes.end());
    *least += size(names[next]);
    groups[static_cast<size_t>(least - sizes.begin())].push_back(names[next]);
  }
  return groups;
}

std::string PtxEntries::textOf(const std::vector<std::string> &names) const {
  std::string text = header;
  for (const std::string &name : names)
    text += entries.at(name);
  return text + trailer;
}

Error PtxModules::load(const std::vector<std::string> &names) {
  std::vector<std::string> missing;
  for (const std::string &name : names)
    if (entries.has(name) && !moduleOf.count(name) &&
        std::find(missing.begin(), missing.end(), name) == missing.end())
      missing.push_back(name);
  if (missing.empty())
    return {};
  auto groups = entries.group(missing, numThreads());
  std::vector<Expected<Module>> made(groups.size(), Error("not loaded"));
  forTasks(groups.size(), static_cast<unsigned>(groups.size()),
           [&](unsigned, size_t i) {
             made[i] = loadModule(entries.textOf(groups[i]));
           });
  Error first;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!made[i]) {
      first = first ? first : made[i].takeError();
      continue;
    }
    modules.push_back(*made[i]);
    for (const std::string &name : groups[i])
      moduleOf[name] = *made[i];
  }
  return first;
}

Expected<Module> PtxModules::find(const std::string &name) {
  if (!entries.has(name))
    return failure("expected a kernel of the PTX");
  if (Error error = load({name}))
    return error;
  return moduleOf.at(name);
}
