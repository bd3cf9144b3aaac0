//===- TreeModel.cpp - Trees of LightGBM ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/TreeModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>

using namespace gnn;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Between this and its negative LightGBM takes a value as 0: a float.
static constexpr double zero = 1e-35f;

double TreeModel::Tree::score(llvm::ArrayRef<double> row) const {
  int node = splits.empty() ? ~0 : 0;
  while (node >= 0) {
    const Split &split = splits[node];
    double value = row[split.feature];
    if (std::isnan(value) && split.missing != Missing::NaN)
      value = 0;
    bool isMissing = split.missing == Missing::NaN ? std::isnan(value)
                     : split.missing == Missing::Zero
                         ? value >= -zero && value <= zero
                         : false;
    bool isLeft = isMissing ? split.goesLeft : value <= split.threshold;
    node = isLeft ? split.left : split.right;
  }
  return leaves[~node];
}

double TreeModel::score(llvm::ArrayRef<double> row) const {
  double sum = 0; // in the order of the trees
  for (const Tree &tree : trees)
    sum += tree.score(row);
  return sum;
}

/// The fields that schedules set and a model does not know, as "n, kind": it
/// was trained on templates of another kind, or before there were such fields.
static std::string listUnknownFields(const FeatureTable &table,
                                     llvm::ArrayRef<std::string> known) {
  std::string unknown;
  for (auto [column, name] : llvm::enumerate(table.names)) {
    auto isSet = [column = column](const std::vector<double> &row) {
      return row[column] != 0;
    };
    llvm::StringRef field = name;
    if (field.consume_front(fieldPrefix) && !llvm::is_contained(known, name) &&
        llvm::any_of(table.rows, isSet))
      unknown += (unknown.empty() ? "" : ", ") + field.str();
  }
  return unknown;
}

Expected<std::vector<double>>
TreeModel::weigh(const FeatureTable &table) const {
  if (std::string unknown = listUnknownFields(table, names); !unknown.empty())
    return runtime::failure(
        name, ": expected a model of all fields that these schedules set, ",
        "got one without ", unknown, howToTrain.str());
  std::vector<std::optional<size_t>> columns;
  for (const std::string &name : names)
    columns.push_back(table.find(name));
  std::vector<double> weights, values(names.size());
  for (const std::vector<double> &row : table.rows) {
    for (auto [value, column] : llvm::zip_equal(values, columns))
      value = column ? row[*column] : std::numeric_limits<double>::quiet_NaN();
    weights.push_back(-score(values));
  }
  if (Error error = expectFinite(name, weights))
    return error;
  return weights;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace gnn {
/// Reads a model, line by line: `KEY=VALUE`, `tree`, `Tree=0`, `end of trees`.
class TreeReader {
public:
  TreeReader(llvm::StringRef text, const std::string &name)
      : rest(text), name(name) {}

  Expected<std::shared_ptr<const TreeModel>> read();

private:
  struct Value {
    llvm::StringRef text;
    size_t line;
  };
  using Values = std::map<llvm::StringRef, Value>;

  Error fail(size_t line, const llvm::Twine &why) const {
    return runtime::failure(name, ":", line, ": ", why.str());
  }
  bool next(llvm::StringRef &line);
  Error readValues(Values &values);
  Error readHeader(TreeModel &model);
  Error readTree(const Values &values, size_t line, TreeModel &model);
  Error readEnd();
  Error readSplits(const Values &values, size_t line, size_t features,
                   TreeModel::Tree &tree);
  template <typename T>
  Error readList(const Values &values, llvm::StringRef key, size_t line,
                 size_t count, std::vector<T> &list) const;
  /// A number that a key without a line has by default.
  Error readNumber(const Values &values, llvm::StringRef key, size_t line,
                   std::optional<int64_t> otherwise, int64_t &number) const;

  llvm::StringRef rest;
  const std::string &name;
  size_t number = 0; ///< of the last line
};
} // namespace gnn

bool TreeReader::next(llvm::StringRef &line) {
  if (rest.empty())
    return false;
  ++number;
  std::tie(line, rest) = rest.split('\n');
  line = line.rtrim('\r');
  return true;
}

/// The lines up to the next empty one.
Error TreeReader::readValues(Values &values) {
  llvm::StringRef line;
  while (next(line) && !line.trim().empty()) {
    auto [key, value] = line.split('=');
    if (!values.insert({key, {value, number}}).second)
      return fail(number, "expected '" + key + "' once, got it again");
  }
  return {};
}

static bool parse(llvm::StringRef text, double &value) {
  return llvm::to_float(text, value) && !std::isnan(value);
}
static bool parse(llvm::StringRef text, int64_t &value) {
  return llvm::to_integer(text, value, 10);
}

template <typename T>
Error TreeReader::readList(const Values &values, llvm::StringRef key,
                           size_t line, size_t count,
                           std::vector<T> &list) const {
  auto found = values.find(key);
  if (found == values.end())
    return fail(line, "expected '" + key + "=' of this tree, got none");
  llvm::SmallVector<llvm::StringRef> words;
  found->second.text.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() != count)
    return fail(found->second.line, "expected " + llvm::Twine(count) +
                                        " numbers of '" + key + "', got " +
                                        llvm::Twine(words.size()));
  for (llvm::StringRef word : words) {
    T value;
    if (!parse(word, value))
      return fail(found->second.line,
                  "expected numbers of '" + key + "', got '" + word + "'");
    list.push_back(value);
  }
  return {};
}

Error TreeReader::readNumber(const Values &values, llvm::StringRef key,
                             size_t line, std::optional<int64_t> otherwise,
                             int64_t &number) const {
  if (otherwise)
    number = *otherwise;
  if (otherwise && !values.count(key))
    return {};
  std::vector<int64_t> list;
  if (Error error = readList(values, key, line, 1, list))
    return error;
  number = list.front();
  return {};
}

Error TreeReader::readHeader(TreeModel &model) {
  llvm::StringRef first;
  if (!next(first) || first != "tree")
    return fail(1, "expected 'tree', with which a text model of LightGBM "
                   "begins, got '" +
                       first.take_front(40) + "'");
  Values values;
  if (Error error = readValues(values))
    return error;
  auto version = values.find("version");
  if (version == values.end() ||
      (version->second.text != "v3" && version->second.text != "v4"))
    return fail(version == values.end() ? 1 : version->second.line,
                "expected version=v3 or v4");
  if (auto found = values.find("average_output"); found != values.end())
    return fail(found->second.line, "expected trees that are added up, got "
                                    "such whose mean is taken");
  for (llvm::StringRef key : {"num_class", "num_tree_per_iteration"}) {
    int64_t count;
    if (Error error = readNumber(values, key, 1, {}, count))
      return error;
    if (count != 1)
      return fail(values[key].line,
                  "expected '" + key + "=1', got " + llvm::Twine(count));
  }
  auto names = values.find("feature_names");
  if (names == values.end())
    return fail(1, "expected 'feature_names=' before the trees, got none");
  for (llvm::StringRef word : llvm::split(names->second.text, ' ')) {
    if (!isFeature(word))
      return fail(names->second.line, "expected features of schedules, got '" +
                                          word + "'" + howToTrain);
    model.names.push_back(word.str());
  }
  int64_t last;
  if (Error error = readNumber(values, "max_feature_idx", 1, {}, last))
    return error;
  if (last + 1 != int64_t(model.names.size()))
    return fail(names->second.line,
                "expected " + llvm::Twine(last + 1) +
                    " names, one beyond max_feature_idx, got " +
                    llvm::Twine(model.names.size()));
  return {};
}

Error TreeReader::readSplits(const Values &values, size_t line, size_t features,
                             TreeModel::Tree &tree) {
  size_t count = tree.leaves.size() - 1;
  std::vector<int64_t> ofFeature, kinds, left, right;
  std::vector<double> thresholds;
  for (auto [key, list] : {std::pair("split_feature", &ofFeature),
                           {"decision_type", &kinds},
                           {"left_child", &left},
                           {"right_child", &right}})
    if (Error error = readList(values, key, line, count, *list))
      return error;
  if (Error error = readList(values, "threshold", line, count, thresholds))
    return error;
  auto lineOf = [&](llvm::StringRef key) { return values.at(key).line; };
  for (size_t i = 0; i < count; ++i) {
    // Bits: 1 a categorical split, 2 whether missing values go left, 4 and 8
    // which values are missing.
    if (kinds[i] & 1)
      return fail(lineOf("decision_type"),
                  "expected numerical splits, got a categorical one");
    if (kinds[i] < 0 || kinds[i] >> 2 > 2)
      return fail(lineOf("decision_type"),
                  "expected a decision of 0 to 11, got " +
                      llvm::Twine(kinds[i]));
    if (ofFeature[i] < 0 || ofFeature[i] >= int64_t(features))
      return fail(lineOf("split_feature"),
                  "expected one of " + llvm::Twine(features) +
                      " features, got " + llvm::Twine(ofFeature[i]));
    // A split comes before those below it, so that there is no cycle.
    for (auto [key, child] :
         {std::pair("left_child", left[i]), std::pair("right_child", right[i])})
      if (child < -int64_t(tree.leaves.size()) || child >= int64_t(count) ||
          (child >= 0 && child <= int64_t(i)))
        return fail(lineOf(key), "expected a leaf, or a split behind split " +
                                     llvm::Twine(i) + ", got " +
                                     llvm::Twine(child));
    tree.splits.push_back({size_t(ofFeature[i]), thresholds[i],
                           TreeModel::Missing(kinds[i] >> 2),
                           (kinds[i] & 2) != 0, int(left[i]), int(right[i])});
  }
  return {};
}

Error TreeReader::readTree(const Values &values, size_t line,
                           TreeModel &model) {
  int64_t leaves, categories, isLinear;
  if (Error error = readNumber(values, "num_leaves", line, {}, leaves))
    return error;
  if (leaves < 1)
    return fail(values.at("num_leaves").line,
                "expected a leaf or more, got " + llvm::Twine(leaves));
  if (Error error = readNumber(values, "num_cat", line, 0, categories))
    return error;
  if (categories)
    return fail(values.at("num_cat").line,
                "expected numerical splits, got categorical ones");
  if (Error error = readNumber(values, "is_linear", line, 0, isLinear))
    return error;
  if (isLinear)
    return fail(values.at("is_linear").line,
                "expected leaves that are numbers, got linear ones");
  TreeModel::Tree tree;
  if (Error error = readList(values, "leaf_value", line, leaves, tree.leaves))
    return error;
  // Thresholds may be infinite: all values but missing ones are below.
  if (!llvm::all_of(tree.leaves,
                    [](double leaf) { return std::isfinite(leaf); }))
    return fail(values.at("leaf_value").line,
                "expected finite numbers of 'leaf_value', got an infinite one");
  if (leaves > 1)
    if (Error error = readSplits(values, line, model.names.size(), tree))
      return error;
  model.trees.push_back(std::move(tree));
  return {};
}

/// The importance of features and the settings of the training, if LightGBM
/// wrote them, are whole, as the trees before them.
Error TreeReader::readEnd() {
  llvm::StringRef line, last;
  while (next(line)) {
    if (line == "end of parameters")
      return {};
    if (!line.trim().empty())
      last = line;
  }
  if (last.empty())
    return {};
  return fail(number, "expected 'end of parameters', got the end of the file");
}

Expected<std::shared_ptr<const TreeModel>> TreeReader::read() {
  auto model = std::make_shared<TreeModel>();
  model->name = name;
  if (Error error = readHeader(*model))
    return error;
  llvm::StringRef line;
  while (next(line)) {
    if (line.trim().empty())
      continue;
    if (line == "end of trees") {
      if (model->trees.empty())
        return fail(number, "expected a tree, got none");
      if (Error error = readEnd())
        return error;
      return std::shared_ptr<const TreeModel>(std::move(model));
    }
    if (line != "Tree=" + std::to_string(model->trees.size()))
      return fail(number, "expected 'Tree=" + llvm::Twine(model->trees.size()) +
                              "' or 'end of trees', got '" +
                              line.take_front(40) + "'");
    size_t begin = number;
    Values values;
    if (Error error = readValues(values))
      return error;
    if (Error error = readTree(values, begin, *model))
      return error;
  }
  return fail(number, "expected 'end of trees', got the end of the file");
}

Expected<std::shared_ptr<const TreeModel>>
TreeModel::parse(llvm::StringRef text, const std::string &name) {
  return TreeReader(text, name).read();
}
