//===- ScheduleFile.cpp - Schedules as lines of JSON ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Schedules/ScheduleFile.h"
#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/Nesting.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace gnn::tile;
namespace json = llvm::json;
using gnn::runtime::Error;
using gnn::runtime::Expected;
using gnn::runtime::failure;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

template <typename T> static std::string printed(const T &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return text;
}

/// An attribute as the assembly of an op has it: without what names its kind,
/// `#gnn_tile.at` of `#gnn_tile.at<...>`, `#gnn_tile<rows` of
/// `#gnn_tile<rows dst>`.
static std::string stripped(Attribute attr) {
  std::string text = printed(attr);
  StringRef rest = text;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (!rest.consume_front("#"))
    return text;
  rest = rest.drop_while(isWord); // the dialect
  if (!rest.consume_front(".") && rest.consume_front("<"))
    rest.consume_back(">");
  return rest.drop_while(isWord).trim().str();
}

/// Writes a body with numbers for its values, so that neither names nor places
/// matter.
static void describeBody(Block &block, DenseMap<Value, unsigned> &numbers,
                         llvm::raw_ostream &os) {
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  for (BlockArgument argument : block.getArguments())
    os << number(argument) << ":" << argument.getType() << ",";
  for (Operation &op : block) {
    os << "\n" << op.getName() << op.getDiscardableAttrDictionary();
    if (Attribute properties = op.getPropertiesAsAttribute())
      os << properties;
    for (Value operand : op.getOperands())
      os << " " << number(operand);
    os << " ->";
    for (Value result : op.getResults())
      os << " " << number(result) << ":" << result.getType();
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        os << "{";
        describeBody(inner, numbers, os);
        os << "}";
      }
  }
}

static std::string hashBody(Block *block) {
  if (!block)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  DenseMap<Value, unsigned> numbers;
  describeBody(*block, numbers, stream);
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

/// The domain as text: the attributes of the op but for those that have a part
/// of their own.
static std::string describeDomain(TileOpInterface op) {
  std::vector<std::string> words;
  for (NamedAttribute attr : op->getAttrs()) {
    StringRef name = attr.getName();
    if (name == "graph" || name == "schedule" || name.ends_with("_at") ||
        name == "operandSegmentSizes" || !op->getInherentAttr(name))
      continue;
    if (name == "domain")
      words.push_back(stripped(attr.getValue()));
    else if (isa<UnitAttr>(attr.getValue()))
      words.push_back(name.str());
    else
      words.push_back((name + " " + stripped(attr.getValue())).str());
  }
  return llvm::join(words, " ");
}

/// Empty where a template stands outside of a function.
static std::string functionOf(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName().str() : "";
}

TemplateKey::TemplateKey(TileOpInterface op)
    : function(functionOf(op)), graph(op.getGraphAttr().getValue()),
      kind(op->getName().stripDialect()), domain(describeDomain(op)),
      body(hashBody(op.getScalarBody())) {
  for (OpOperand &operand : op->getOpOperands()) {
    AtAttr at = op.getAccess(operand);
    accesses.push_back(at ? stripped(at) : "");
    types.push_back(printed(operand.get().getType()));
  }
  // Written over its input, a product has fewer schedules.
  if (auto gemm = dyn_cast<GemmOp>(*op);
      gemm &&
      findOverwritten(op, gemm.getOutputMutable()) == &gemm.getInputMutable())
    accesses.back() += " over the input";
}

std::string TemplateKey::str(StringRef part) const {
  auto list = [](ArrayRef<std::string> values) {
    return "[" + llvm::join(values, ", ") + "]";
  };
  return llvm::StringSwitch<std::string>(part)
      .Case("function", function)
      .Case("graph", graph)
      .Case("template", kind)
      .Case("domain", domain)
      .Case("accesses", list(accesses))
      .Case("types", list(types))
      .Default(body);
}

std::string TemplateKey::findDifference(const TemplateKey &other,
                                        unsigned &parts) const {
  parts = 0;
  for (StringRef part : {"function", "graph", "template", "domain", "accesses",
                         "types", "body"}) {
    if (str(part) != other.str(part))
      return part.str();
    ++parts;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

ScheduleFields gnn::tile::getFields(Attribute attr) {
  ScheduleFields fields;
  if (auto schedule = dyn_cast_if_present<ScheduleInterface>(attr))
    for (auto [field, value] :
         llvm::zip_equal(schedule.getTable(), schedule.getValues()))
      if (value)
        fields[field.name.str()] = field.str(value);
  return fields;
}

ScheduleInterface gnn::tile::getScheduleKind(TileOpInterface op) {
  if (auto schedule =
          dyn_cast_if_present<ScheduleInterface>(op.getTileSchedule()))
    return schedule;
  const gnn::TargetBackend *backend = gnn::findBackend(op.getOperation());
  return backend ? backend->getOpenSchedule(op) : op.getOpenSchedule();
}

FailureOr<Attribute> gnn::tile::makeSchedule(TileOpInterface op,
                                             const ScheduleFields &fields,
                                             Location loc) {
  ScheduleInterface kind = getScheduleKind(op);
  SmallVector<int64_t> values(kind.getTable().size());
  auto report = [&] { return emitError(loc, "schedule: "); };
  for (const auto &[name, text] : fields)
    if (failed(setField(values, kind.getAbstractAttribute().getName(),
                        kind.getTable(), name, text, report)))
      return failure();
  if (Attribute schedule = kind.withValues(values, report))
    return schedule;
  return failure();
}

//===----------------------------------------------------------------------===//
// Lines that are written
//===----------------------------------------------------------------------===//

void gnn::tile::writeKey(json::OStream &out, const TemplateKey &key) {
  auto list = [&](StringRef name, ArrayRef<std::string> values) {
    out.attributeArray(name, [&] {
      for (const std::string &value : values)
        out.value(value);
    });
  };
  out.attribute("function", key.function);
  out.attribute("graph", key.graph);
  out.attribute("template", key.kind);
  out.attribute("domain", key.domain);
  list("accesses", key.accesses);
  list("types", key.types);
  out.attribute("body", key.body);
}

void gnn::tile::writeFields(json::OStream &out, ArrayRef<ScheduleField> table,
                            ArrayRef<int64_t> values) {
  out.attributeObject("schedule", [&] {
    for (auto [field, value] : llvm::zip_equal(table, values))
      if (value)
        out.attribute(field.name, field.words.empty()
                                      ? json::Value(value)
                                      : json::Value(field.str(value)));
  });
}

void gnn::tile::printSchedule(raw_ostream &os, const TemplateKey &key,
                              Attribute schedule, const LayoutFacts *facts) {
  json::OStream out(os);
  out.object([&] {
    writeKey(out, key);
    auto fields = dyn_cast_if_present<ScheduleInterface>(schedule);
    if (fields)
      writeFields(out, fields.getTable(), fields.getValues());
    else
      writeFields(out, {}, {});
    if (facts)
      out.attributeObject("layout", [&] {
        out.attribute("threads", facts->threads);
        out.attribute("rounds", facts->rounds);
        out.attribute("shared_bytes", facts->sharedBytes);
        out.attribute("registers", facts->registers);
      });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Lines that are read
//===----------------------------------------------------------------------===//

static constexpr int maxNesting = 100;

/// The first name that an object of a valid text has twice.
static std::optional<std::string> findDoubledName(StringRef text) {
  SmallVector<llvm::StringSet<>> objects;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{')
      objects.emplace_back();
    if (text[at] == '}')
      objects.pop_back();
    if (text[at] != '"')
      continue;
    size_t begin = at++;
    for (; text[at] != '"'; ++at)
      at += text[at] == '\\';
    if (!text.drop_front(at + 1).ltrim().starts_with(":"))
      continue;
    json::Value name = llvm::cantFail(json::parse(text.slice(begin, at + 1)));
    if (!objects.back().insert(*name.getAsString()).second)
      return name.getAsString()->str();
  }
  return std::nullopt;
}

Expected<json::Object> gnn::tile::parseLine(StringRef line) {
  if (gnn::runtime::findDeepNesting(line, maxNesting,
                                    gnn::runtime::Syntax::Text))
    return failure("expected at most ", maxNesting, " levels of nesting");
  auto value = json::parse(line);
  if (!value)
    return failure("expected a JSON object a line: ",
                   toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return failure("expected a JSON object a line, got ", printed(*value));
  if (auto doubled = findDoubledName(line))
    return failure("expected '", *doubled, "' once, got it twice");
  return std::move(*object);
}

Error gnn::tile::wrongField(const json::Object &line, StringRef name,
                            StringRef wanted) {
  const json::Value *value = line.get(name);
  return failure("expected ", wanted.str(), " as '", name.str(), "', got ",
                 value ? printed(*value) : "nothing");
}

static Error readText(const json::Object &line, StringRef name,
                      std::string &value) {
  auto text = line.getString(name);
  if (!text)
    return wrongField(line, name, "a string");
  value = text->str();
  return {};
}

static Error readTexts(const json::Object &line, StringRef name,
                       std::vector<std::string> &values) {
  const json::Array *list = line.getArray(name);
  if (!list || !llvm::all_of(*list, [](const json::Value &value) {
        return value.getAsString().has_value();
      }))
    return wrongField(line, name, "a list of strings");
  for (const json::Value &value : *list)
    values.push_back(value.getAsString()->str());
  return {};
}

Expected<TemplateKey> gnn::tile::readKey(const json::Object &line) {
  TemplateKey key;
  for (auto [name, value] : {std::pair("function", &key.function),
                             {"graph", &key.graph},
                             {"template", &key.kind},
                             {"domain", &key.domain},
                             {"body", &key.body}})
    if (Error error = readText(line, name, *value))
      return error;
  for (auto [name, values] :
       {std::pair("accesses", &key.accesses), {"types", &key.types}})
    if (Error error = readTexts(line, name, *values))
      return error;
  return key;
}

Expected<ScheduleFields> gnn::tile::readFields(const json::Object &line) {
  const json::Object *object = line.getObject("schedule");
  if (!object)
    return wrongField(line, "schedule", "an object");
  ScheduleFields fields;
  for (const auto &[name, value] : *object) {
    auto word = value.getAsString();
    auto number = value.getAsInteger();
    if (!number && !(word && !word->empty() && llvm::isAlpha(word->front())))
      return failure("expected a whole number or a word as '", name.str(),
                     "' of the schedule, got ", printed(value));
    fields[name.str()] = number ? std::to_string(*number) : word->str();
  }
  return fields;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The place of an error of a file, which is at none of its lines.
static Location startOf(StringRef path, Operation *op) {
  return FileLineColLoc::get(op->getContext(), path, 0, 0);
}

LogicalResult gnn::tile::writeSchedules(Operation *op, StringRef path,
                                        StringRef text) {
  if (gnn::runtime::Error error = gnn::writeOutput(path, text))
    return emitError(startOf(path, op)) << error.message();
  return success();
}

/// A line of a file of schedules.
static Expected<ScheduleEntry> readEntry(StringRef line, Location loc) {
  auto object = gnn::tile::parseLine(line);
  if (!object)
    return object.takeError();
  auto key = readKey(*object);
  if (!key)
    return key.takeError();
  const StringRef names[] = {"function", "graph",    "template",
                             "domain",   "accesses", "types",
                             "body",     "schedule", "layout"};
  for (const auto &part : *object)
    if (!llvm::is_contained(names, part.first.str()))
      return failure("expected function, graph, template, domain, accesses, "
                     "types, body, schedule or layout, got '",
                     part.first.str(), "'");
  auto fields = readFields(*object);
  if (!fields)
    return fields.takeError();
  return ScheduleEntry{std::move(*key), std::move(*fields), loc};
}

FailureOr<std::vector<ScheduleEntry>> gnn::tile::readSchedules(Operation *op,
                                                               StringRef path) {
  auto file = gnn::readInput(path);
  if (!file)
    return emitError(startOf(path, op)) << file.message();
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  std::vector<ScheduleEntry> entries;
  for (auto [i, line] : llvm::enumerate(lines)) {
    if (line.trim().empty())
      continue;
    auto loc = FileLineColLoc::get(op->getContext(), path, i + 1, 1);
    auto entry = readEntry(line, loc);
    if (!entry)
      return emitError(loc, entry.message());
    entries.push_back(std::move(*entry));
  }
  return entries;
}
