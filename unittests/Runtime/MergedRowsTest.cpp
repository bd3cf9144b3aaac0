//===- MergedRowsTest.cpp - Elements of groups that are merged ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Definition.h"

#include <map>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

TEST(MergedRows, OneGraphByHand) {
  PlainGraph plain;
  plain.srcNodes = 5;
  plain.edgeTypes = 1;
  plain.src = {3, 0, 3, 0, 1, 3};
  plain.dst = {0, 2, 0, 2, 0, 1};
  plain.type = {0, 0, 0, 0, 0, 0};
  plain.srcType = plain.dstType = {0, 0, 0, 0, 0};
  std::shared_ptr<const Graph> graph = plain.build();
  EXPECT_EQ(build(*graph, "map edge.in_rows src"), (Array{3, 3, 1, 3, 0, 0}));
  constexpr int32_t none = INT32_MIN;
  // Rows 0 and 1 share source 3, which row 0 has two edges from.
  Array entries{1,        2, none | 2, 3,        0, 3, 3,       1,
                none | 1, 0, 4,        none | 4, 0, 5, none | 5};
  EXPECT_EQ(build(*graph, "merged dst edge.in_rows src 2"), entries);
  EXPECT_EQ(build(*graph, "merged_rows dst edge.in_rows src 2"),
            (Array{0, 3, 5, 5, 5, 5}));
  EXPECT_EQ(countOf(*graph, "merged_count dst edge.in_rows src 2"), 5);
  // Rows of more than two edges have none.
  EXPECT_EQ(build(*graph, "merged dst edge.in_rows src 2 2"),
            (Array{3, none | 3, 3, 0, 4, none | 4, 0, 5, none | 5}));
  EXPECT_EQ(countOf(*graph, "merged_count dst edge.in_rows src 2 2"), 3);
  // By degree, rows 0, 2, 1, 3, 4 are taken.
  EXPECT_EQ(build(*graph, "merged_rows dst.by_degree edge.in_rows src 3"),
            (Array{0, 5, 5, 5, 5, 5}));
}

/// Each element is in one entry, that of its tile and of where it leads, as
/// many of which there are as elements of one group lead there.
TEST(MergedRows, AreAsDefined) {
  for (const PlainGraph &plain : oddGraphs()) {
    std::shared_ptr<const Graph> graph = plain.build();
    for (const char *of :
         {"dst edge.in_rows src", "src edge.out_rows dst",
          "dst_pair edge.dst_pairs src", "dst.by_degree edge.in_rows src",
          "dst.by_degree edge.in_rows src_pair"})
      for (int64_t rows : {2, 3, 16})
        for (int64_t longest : {0, 3}) {
          std::string text = std::string(of) + " " + std::to_string(rows) +
                             (longest ? " 3" : "");
          StructureKey key = *parseStructureKey("merged " + text);
          std::string group = name(key.group), elements = key.elements.str();
          Array begin = build(*graph, "rows " + group + " " + elements);
          Array target =
              build(*graph, "map " + elements + " " + key.target.str());
          OrderedSpace taken{key.group, key.order};
          Array order = build(*graph, "map " + taken.str() + " " + group);
          Array expected, starts;
          for (size_t first = 0; first < begin.size(); ++first) {
            auto length = static_cast<size_t>(rows + 1);
            starts.push_back(static_cast<int32_t>(expected.size() / length));
            // By target, the positions of each of the groups.
            std::map<int32_t, std::vector<Array>> led;
            size_t tile = first * static_cast<size_t>(rows);
            for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
              if (tile + i >= order.size())
                break;
              auto g = static_cast<size_t>(order[tile + i]);
              if (longest && begin[g + 1] - begin[g] > longest)
                continue;
              for (int32_t p = begin[g]; p < begin[g + 1]; ++p) {
                auto &lists = led[target[static_cast<size_t>(p)]];
                lists.resize(static_cast<size_t>(rows));
                lists[i].push_back(p);
              }
            }
            for (const auto &[row, lists] : led) {
              size_t most = 0;
              for (const Array &list : lists)
                most = std::max(most, list.size());
              for (size_t n = 0; n < most; ++n) {
                int32_t any = -1;
                for (const Array &list : lists)
                  if (any < 0 && n < list.size())
                    any = list[n];
                expected.push_back(row);
                for (const Array &list : lists)
                  expected.push_back(n < list.size() ? list[n]
                                                     : INT32_MIN | any);
              }
            }
          }
          EXPECT_EQ(build(*graph, "merged " + text), expected) << text;
          EXPECT_EQ(build(*graph, "merged_rows " + text), starts) << text;
          EXPECT_EQ(countOf(*graph, "merged_count " + text),
                    static_cast<int64_t>(expected.size()) / (rows + 1))
              << text;
        }
  }
}

TEST(MergedRows, AreTheSameForAnyThreads) {
  PlainGraph plain = randomGraph(5, true, 3000, 0, 400000, 1, 1);
  Array one;
  for (int threads : {1, 4}) {
    setNumThreads(static_cast<unsigned>(threads));
    std::shared_ptr<const Graph> graph = plain.build();
    Array found = build(*graph, "merged dst edge.in_rows src 4");
    if (threads == 1)
      one = found;
    EXPECT_EQ(found, one);
  }
  setNumThreads(0);
}

TEST(MergedRows, BadKeys) {
  struct {
    const char *text, *part;
  } cases[] = {
      {"merged dst edge.in_rows src", "'merged G A B N [L]'"},
      {"merged_rows dst edge.in_rows 4", "'merged_rows G A B N [L]'"},
      {"merged dst edge.in_rows src 4 0", "expected a tile size"},
      {"merged dst edge.in_rows src 4 8 8", "'merged G A B N [L]'"},
      {"merged dst edge.in_rows src 1",
       "expected 2 to 16 rows that are merged"},
      {"merged dst edge.in_rows src 17", "got 17"},
      {"merged dst edge.out_rows src 4", "side by side"},
      {"merged dst.in_rows edge.in_rows src 4", "expected one of dst"},
      {"merged dst edge.in_rows graph 4", "no map leads"},
  };
  for (const auto &[text, part] : cases) {
    auto key = parseStructureKey(text);
    EXPECT_FALSE(key) << text;
    EXPECT_TRUE(contains(key.message(), part)) << text;
  }
  EXPECT_TRUE(contains(parseCountKey("merged_count dst src 4").message(),
                       "'merged_count G A B N [L]'"));
}
