//===- Keys.cpp - Names of structures and counts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LatticeText.h"

using namespace gnn;

namespace {
/// Takes the next word of a text whose words are separated by single spaces; a
/// space too many gives an empty word.
class Words {
public:
  explicit Words(std::string_view text) : rest(text) {}

  bool atEnd() const { return done; }
  std::string_view next() {
    size_t end = rest.find(' ');
    std::string_view word = rest.substr(0, end);
    done = end == std::string_view::npos;
    rest = done ? std::string_view() : rest.substr(end + 1);
    return word;
  }

private:
  std::string_view rest;
  bool done = false;
};

/// A tile size from 1 to the largest int32, without signs and leading zeros.
bool parseTile(std::string_view word, int64_t &tile, std::string &error) {
  bool digits = !word.empty() && word.size() <= 10 && word.front() != '0';
  int64_t value = 0;
  for (char c : word.substr(0, 10)) {
    digits &= c >= '0' && c <= '9';
    value = value * 10 + (c - '0');
  }
  if (digits && value <= INT32_MAX) {
    tile = value;
    return true;
  }
  error = "expected a tile size from 1 to " + std::to_string(INT32_MAX) +
          ", got " + quoted(word);
  return false;
}

bool checkBlock(int64_t size, std::string &error) {
  if (TeamShare::isBlock(size))
    return true;
  error = "expected blocks of a power of two from " +
          std::to_string(TeamShare::elements) + " to " +
          std::to_string(TeamShare::mostOfBlock) + " elements, got " +
          std::to_string(size);
  return false;
}

/// Parses the words "G A" or "G A N" behind the kind of a key.
bool parseGrouping(std::string_view kind, Words words, bool tiled, Space &group,
                   OrderedSpace &elements, int64_t &tile, std::string &error) {
  std::string form = "expected " +
                     quoted(std::string(kind) + (tiled ? " G A N" : " G A")) +
                     " separated by single spaces";
  if (words.atEnd()) {
    error = form;
    return false;
  }
  std::string_view groupWord = words.next();
  if (words.atEnd()) {
    error = form;
    return false;
  }
  std::string_view elementsWord = words.next();
  if (words.atEnd() == tiled) {
    error = form;
    return false;
  }
  std::string_view tileWord = tiled ? words.next() : "";
  if (tiled && !words.atEnd()) {
    error = form;
    return false;
  }
  if (!parseSpace(groupWord, group, error))
    return false;
  std::optional<OrderedSpace> parsed = OrderedSpace::parse(elementsWord, error);
  if (!parsed)
    return false;
  elements = *parsed;
  error = checkRows(group, elements);
  return error.empty() && (!tiled || parseTile(tileWord, tile, error));
}
} // namespace

static constexpr const char *kStructures[] = {
    "map",    "rows",   "tiles",  "tile_rows", "long_tiles", "long_tile_rows",
    "stream", "filled", "shares", "cut_rows",  "merged",     "merged_rows"};
static constexpr const char *kCounts[] = {
    "count",           "tile_count",         "max_row",
    "long_tile_count", "long_element_count", "piece_count",
    "cut_row_count",   "merged_count"};

/// "A, B or C".
template <size_t N> static std::string listAll(const char *const (&names)[N]) {
  std::string list;
  for (size_t i = 0; i < N; ++i)
    list += std::string(i == 0 ? "" : i + 1 < N ? ", " : " or ") + names[i];
  return list;
}

/// The place of `word` in a list of names; none where it is not there.
template <size_t N>
static std::optional<size_t> placeOf(std::string_view word,
                                     const char *const (&names)[N]) {
  for (size_t i = 0; i < N; ++i)
    if (word == names[i])
      return i;
  return std::nullopt;
}

/// Parses the words "G A B" of elements that lead to rows.
static std::optional<StructureKey>
parseLeading(const std::string_view (&texts)[3], std::string &error) {
  auto groups = OrderedSpace::parse(texts[0], error);
  auto elements = groups ? OrderedSpace::parse(texts[1], error) : std::nullopt;
  auto target = elements ? OrderedSpace::parse(texts[2], error) : std::nullopt;
  if (!target)
    return std::nullopt;
  error = checkRows(groups->space, *elements);
  if (error.empty())
    error = checkMap(*elements, *target);
  if (!error.empty())
    return std::nullopt;
  StructureKey key = StructureKey::stream(groups->space, *elements, *target);
  key.order = groups->order;
  return key;
}

/// Parses the words "G A B" of a stream.
static std::optional<StructureKey> parseStream(Words words,
                                               std::string &error) {
  std::string_view texts[3];
  for (std::string_view &text : texts)
    text = words.atEnd() ? "" : words.next();
  if (texts[2].empty() || !words.atEnd()) {
    error = "expected 'stream G A B' separated by single spaces";
    return std::nullopt;
  }
  Space group;
  if (!parseSpace(texts[0], group, error))
    return std::nullopt;
  return parseLeading(texts, error);
}

/// Parses the words "G A B N" of merged rows, or "G A B N L".
static std::optional<StructureKey>
parseMerged(std::string_view kind, Words words, std::string &error) {
  std::string_view texts[3], size;
  for (std::string_view *text : {&texts[0], &texts[1], &texts[2], &size})
    *text = words.atEnd() ? "" : words.next();
  bool hasLongest = !words.atEnd();
  std::string_view longest = hasLongest ? words.next() : "";
  if (size.empty() || !words.atEnd()) {
    error = "expected " + quoted(std::string(kind) + " G A B N [L]") +
            " separated by single spaces";
    return std::nullopt;
  }
  std::optional<StructureKey> key = parseLeading(texts, error);
  if (!key || !parseTile(size, key->tile, error) ||
      (hasLongest && !parseTile(longest, key->longest, error)))
    return std::nullopt;
  if (!MergedRows::isSize(key->tile)) {
    error = "expected 2 to " + std::to_string(MergedRows::mostRows) +
            " rows that are merged, got " + std::to_string(key->tile);
    return std::nullopt;
  }
  return StructureKey::merged({key->group, key->order}, key->elements,
                              key->target, key->tile, key->longest);
}

std::optional<StructureKey> StructureKey::parse(std::string_view text,
                                                std::string &error) {
  Words words(text);
  std::string_view kindWord = words.next();
  std::optional<size_t> kind = placeOf(kindWord, kStructures);
  StructureKey key;
  if (!kind) {
    error = "expected " + listAll(kStructures) + ", got " + quoted(kindWord);
    return std::nullopt;
  }
  key.kind = static_cast<Kind>(*kind);
  if (key.kind == Kind::Stream)
    return parseStream(words, error);
  if (key.isMerged()) {
    std::optional<StructureKey> parsed = parseMerged(kindWord, words, error);
    if (parsed)
      parsed->kind = key.kind;
    return parsed;
  }
  if (key.kind != Kind::Map) {
    if (!parseGrouping(kindWord, words, key.hasSize(), key.group, key.elements,
                       key.tile, error) ||
        (key.isOfBlocks() && !checkBlock(key.tile, error)))
      return std::nullopt;
    return key;
  }
  std::string_view from = words.atEnd() ? "" : words.next();
  std::string_view to = words.atEnd() ? "" : words.next();
  if (from.empty() || to.empty() || !words.atEnd()) {
    error = "expected 'map A B' separated by single spaces";
    return std::nullopt;
  }
  auto parsedFrom = OrderedSpace::parse(from, error);
  auto parsedTo = parsedFrom ? OrderedSpace::parse(to, error) : std::nullopt;
  if (!parsedTo)
    return std::nullopt;
  error = checkMap(*parsedFrom, *parsedTo);
  if (!error.empty())
    return std::nullopt;
  return map(*parsedFrom, *parsedTo);
}

std::string StructureKey::str() const {
  std::string text = kStructures[static_cast<size_t>(kind)];
  if (kind == Kind::Map)
    return text + " " + elements.str() + " " + target.str();
  text += " " + OrderedSpace{group, order}.str() + " " + elements.str();
  if (hasTarget())
    text += " " + target.str();
  if (hasSize())
    text += " " + std::to_string(tile);
  if (longest)
    text += " " + std::to_string(longest);
  return text;
}

StructureKey StructureKey::map(OrderedSpace from, OrderedSpace to) {
  StructureKey key;
  key.kind = Kind::Map;
  key.elements = from;
  key.target = to;
  return key;
}

StructureKey StructureKey::rows(Space group, OrderedSpace elements) {
  StructureKey key;
  key.kind = Kind::Rows;
  key.group = group;
  key.elements = elements;
  return key;
}

StructureKey StructureKey::tiles(Space group, OrderedSpace elements,
                                 int64_t tile) {
  StructureKey key = rows(group, elements);
  key.kind = Kind::Tiles;
  key.tile = tile;
  return key;
}

StructureKey StructureKey::longTiles(Space group, OrderedSpace elements,
                                     int64_t tile) {
  StructureKey key = tiles(group, elements, tile);
  key.kind = Kind::LongTiles;
  return key;
}

StructureKey StructureKey::tileRows(const StructureKey &tiles) {
  StructureKey key = tiles;
  key.kind = tiles.isOfLong() ? Kind::LongTileRows : Kind::TileRows;
  return key;
}

StructureKey StructureKey::stream(Space group, OrderedSpace elements,
                                  OrderedSpace target) {
  StructureKey key = rows(group, elements);
  key.kind = Kind::Stream;
  key.target = target;
  return key;
}

StructureKey StructureKey::filled(Space group, OrderedSpace elements) {
  StructureKey key = rows(group, elements);
  key.kind = Kind::Filled;
  return key;
}

StructureKey StructureKey::shares(Space group, OrderedSpace elements,
                                  int64_t block) {
  StructureKey key = tiles(group, elements, block);
  key.kind = Kind::Shares;
  return key;
}

StructureKey StructureKey::cutRows(Space group, OrderedSpace elements,
                                   int64_t block) {
  StructureKey key = tiles(group, elements, block);
  key.kind = Kind::CutRows;
  return key;
}

StructureKey StructureKey::merged(OrderedSpace groups, OrderedSpace elements,
                                  OrderedSpace target, int64_t rows,
                                  int64_t longest) {
  StructureKey key = stream(groups.space, elements, target);
  key.kind = Kind::Merged;
  key.order = groups.order;
  key.tile = rows;
  key.longest = longest;
  return key;
}

StructureKey StructureKey::mergedRows(const StructureKey &merged) {
  StructureKey key = merged;
  key.kind = Kind::MergedRows;
  return key;
}

std::optional<CountKey> CountKey::parse(std::string_view text,
                                        std::string &error) {
  Words words(text);
  std::string_view kindWord = words.next();
  std::optional<size_t> kind = placeOf(kindWord, kCounts);
  CountKey key;
  if (!kind) {
    error = "expected " + listAll(kCounts) + ", got " + quoted(kindWord);
    return std::nullopt;
  }
  key.kind = static_cast<Kind>(*kind);
  if (key.kind == Kind::MergedCount) {
    auto merged = parseMerged(kindWord, words, error);
    return merged ? std::optional(mergedCount(*merged)) : std::nullopt;
  }
  if (key.kind != Kind::Count) {
    if (!parseGrouping(kindWord, words, key.hasSize(), key.space, key.elements,
                       key.tile, error) ||
        (key.isOfBlocks() && !checkBlock(key.tile, error)))
      return std::nullopt;
    return key;
  }
  std::string_view space = words.atEnd() ? "" : words.next();
  if (space.empty() || !words.atEnd()) {
    error = "expected 'count SPACE' separated by single spaces";
    return std::nullopt;
  }
  if (!parseSpace(space, key.space, error))
    return std::nullopt;
  return key;
}

std::string CountKey::str() const {
  std::string text = kCounts[static_cast<size_t>(kind)];
  if (kind == Kind::MergedCount) { // as the structure behind its kind
    std::string of = merged().str();
    return text + of.substr(of.find(' '));
  }
  text += std::string(" ") + name(space);
  if (kind != Kind::Count)
    text += " " + elements.str();
  if (hasSize())
    text += " " + std::to_string(tile);
  return text;
}

CountKey CountKey::count(Space space) {
  CountKey key;
  key.space = space;
  return key;
}

CountKey CountKey::tileCount(Space group, OrderedSpace elements, int64_t tile) {
  CountKey key = count(group);
  key.kind = Kind::TileCount;
  key.elements = elements;
  key.tile = tile;
  return key;
}

CountKey CountKey::longTileCount(Space group, OrderedSpace elements,
                                 int64_t tile) {
  CountKey key = tileCount(group, elements, tile);
  key.kind = Kind::LongTileCount;
  return key;
}

CountKey CountKey::longElementCount(Space group, OrderedSpace elements,
                                    int64_t tile) {
  CountKey key = tileCount(group, elements, tile);
  key.kind = Kind::LongElementCount;
  return key;
}

CountKey CountKey::pieceCount(Space group, OrderedSpace elements,
                              int64_t block) {
  CountKey key = tileCount(group, elements, block);
  key.kind = Kind::PieceCount;
  return key;
}

CountKey CountKey::cutRowCount(Space group, OrderedSpace elements,
                               int64_t block) {
  CountKey key = tileCount(group, elements, block);
  key.kind = Kind::CutRowCount;
  return key;
}

CountKey CountKey::mergedCount(const StructureKey &merged) {
  CountKey key = tileCount(merged.group, merged.elements, merged.tile);
  key.kind = Kind::MergedCount;
  key.target = merged.target;
  key.order = merged.order;
  key.longest = merged.longest;
  return key;
}
