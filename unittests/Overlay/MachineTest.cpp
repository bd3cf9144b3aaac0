//===- MachineTest.cpp - Layers against double precision ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Machine.h"

#include "Builder.h"
#include "Graphs.h"

#include "GNN/Runtime/ThreadPool.h"

#include <cmath>
#include <limits>

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
using Values = std::vector<float>;
using Doubles = std::vector<double>;

/// How a program is made and run.
struct Form {
  bool unroll = false, skipEmpty = false;
  uint64_t n1 = 32, maxEdges = 65536, pes = 8;
  unsigned threads = 1;
};

const Form forms[] = {
    {},
    {true},
    {false, true},
    {true, true},
    {false, false, 32, 65536, 1, 2},
    {false, false, 16, 5},
    {false, true, 48, 5, 1, 3},
};

Values randomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-1, 1);
  Values values(count);
  for (float &value : values)
    value = draw(random);
  return values;
}

/// A graph, values by name, and what a program gives for them.
struct Case {
  explicit Case(const TestGraph &graph, const Form &form = {})
      : graph(graph), form(form) {
    Parameters parameters;
    parameters.edges = form.maxEdges;
    parameters.pes = form.pes;
    auto made =
        Partition::create(graph.graph, form.n1, parameters, {form.skipEmpty});
    EXPECT_TRUE(bool(made)) << made.message();
    partition = std::make_unique<Partition>(std::move(*made));
    builder = std::make_unique<Builder>(*partition, parameters);
    builder->unroll = form.unroll;
  }

  size_t rows() const { return static_cast<size_t>(graph.vertices); }

  /// An input of features, weights, or a row.
  void input(const std::string &name, RegionKind kind, uint64_t height,
             uint64_t width) {
    builder->add(name, kind, RegionRole::Input, height, width);
    uint64_t lines = kind == RegionKind::Affine ? 2 : height;
    values[name] =
        randomValues(lines * width, static_cast<unsigned>(values.size() + 1));
  }
  void edges(const std::string &name, bool weighted = true) {
    builder->addEdges(name, RegionRole::Input, weighted);
    if (weighted)
      values[name] =
          randomValues(graph.edges(), static_cast<unsigned>(values.size() + 1));
  }

  gnn::runtime::Error execute(const RunOptions &options = {}) {
    const Program &program = builder->program;
    auto bytes = write(program);
    EXPECT_TRUE(bool(bytes)) << bytes.message();
    auto decoded = read(*bytes);
    EXPECT_TRUE(bool(decoded)) << decoded.message();
    std::map<std::string, Argument> arguments;
    auto shapes = argumentShapes(program);
    for (const auto &[name, array] : values) {
      auto size = static_cast<int64_t>(array.size());
      const std::vector<int64_t> &shape = shapes[name];
      arguments[name] = {array, {size}};
      if (shape.size() == 2 && size % shape[1] == 0)
        arguments[name].shape = {size / shape[1], shape[1]};
    }
    auto made = Memory::create(*decoded);
    if (!made)
      return made.takeError();
    memory = std::make_unique<Memory>(std::move(*made));
    if (auto error = memory->fill(*decoded, *partition, arguments))
      return error;
    gnn::runtime::setNumThreads(form.threads);
    auto error = gnn::overlay::execute(*decoded, *memory, options);
    gnn::runtime::setNumThreads(0);
    return error;
  }

  Values features(const std::string &name) const {
    auto result = memory->readFeatures(builder->program, builder->region(name));
    EXPECT_TRUE(bool(result)) << result.message();
    return *result;
  }
  Values weights(const std::string &name) const {
    auto result = memory->readWeights(builder->program, builder->region(name),
                                      *partition);
    EXPECT_TRUE(bool(result)) << result.message();
    return *result;
  }

  TestGraph graph;
  Form form;
  std::unique_ptr<Partition> partition;
  std::unique_ptr<Builder> builder;
  std::map<std::string, Values> values;
  std::unique_ptr<Memory> memory;
};

void expectNear(const Values &found, const Doubles &expected,
                const std::string &where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 2e-5 * (1 + std::abs(expected[i])))
        << where << " at " << i;
}

/// Builds and runs a layer on all graphs and forms, and compares `y` with the
/// reference; results of forms without chunks have the same bits.
template <typename Build, typename Reference>
void expectLayer(Build build, Reference reference, bool onEdges = false) {
  for (const TestGraph &graph : oddGraphs()) {
    Values first;
    for (const Form &form : forms) {
      Case run(graph, form);
      build(run);
      auto error = run.execute();
      ASSERT_FALSE(bool(error)) << graph.name << ": " << error.message();
      Values found = onEdges ? run.weights("y") : run.features("y");
      expectNear(found, reference(run), graph.name);
      // The same number of rows in a block, so the same order of sums.
      if (form.n1 != 32)
        continue;
      if (!first.empty())
        EXPECT_EQ(found, first) << graph.name;
      first = found;
    }
  }
}

double slopeOf(double value, float slope) {
  return value < 0 ? slope * value : value;
}
} // namespace

TEST(Machine, Linear) {
  for (auto [in, out] :
       {std::pair<uint64_t, uint64_t>{5, 3}, {16, 16}, {37, 20}})
    expectLayer(
        [in = in, out = out](Case &run) {
          run.input("x", RegionKind::Features, run.rows(), in);
          run.input("w", RegionKind::Weights, in, out);
          run.input("b", RegionKind::Row, 1, out);
          run.builder->addFeatures("y", RegionRole::Output, out);
          run.builder->linear("x", "w", "y", in, out,
                              {ActivationKind::Prelu, bitsOfFloat(0.2f)}, "b");
        },
        [in = in, out = out](const Case &run) {
          const Values &x = run.values.at("x"), &w = run.values.at("w");
          Doubles y(run.rows() * out);
          for (size_t row = 0; row < run.rows(); ++row)
            for (size_t column = 0; column < out; ++column) {
              double sum = run.values.at("b")[column];
              for (size_t k = 0; k < in; ++k)
                sum += double(x[row * in + k]) * w[k * out + column];
              y[row * out + column] = slopeOf(sum, 0.2f);
            }
          return y;
        });
}

TEST(Machine, Aggregate) {
  for (Aggregation kind : {Aggregation::Max, Aggregation::Sum, Aggregation::Min,
                           Aggregation::Mean})
    for (uint64_t f : {16, 21})
      expectLayer(
          [=](Case &run) {
            run.input("x", RegionKind::Features, run.rows(), f);
            run.edges("a");
            run.builder->addFeatures("y", RegionRole::Output, f);
            run.builder->aggregate("x", "a", "y", f, kind);
          },
          [=](const Case &run) {
            const Values &x = run.values.at("x"), &a = run.values.at("a");
            Doubles y(run.rows() * f);
            std::vector<bool> touched(run.rows());
            for (size_t e = 0; e < run.graph.edges(); ++e) {
              auto src = static_cast<size_t>(run.graph.src[e]);
              auto dst = static_cast<size_t>(run.graph.dst[e]);
              for (size_t column = 0; column < f; ++column) {
                double value = double(a[e]) * x[src * f + column];
                double &to = y[dst * f + column];
                bool isFirst = !touched[dst];
                if (kind == Aggregation::Max)
                  to = isFirst ? value : std::max(to, value);
                else if (kind == Aggregation::Min)
                  to = isFirst ? value : std::min(to, value);
                else
                  to += value;
              }
              touched[dst] = true;
            }
            return y;
          });
}

TEST(Machine, AggregateWithoutWeightsIsOfOnes) {
  TestGraph graph = randomGraph("graph", 50, 200, 0, 50, 9);
  Case run(graph);
  run.input("x", RegionKind::Features, 50, 1);
  run.values["x"] = Values(50, 1.0f);
  run.edges("a", /*weighted=*/false);
  run.builder->addFeatures("y", RegionRole::Output, 1);
  run.builder->aggregate("x", "a", "y", 1, Aggregation::Sum);
  ASSERT_EQ(run.execute().message(), "");
  Values degrees(50);
  for (int32_t dst : graph.dst)
    degrees[static_cast<size_t>(dst)] += 1;
  EXPECT_EQ(run.features("y"), degrees);
}

TEST(Machine, VectorInner) {
  for (uint64_t f : {1, 16, 39})
    expectLayer(
        [=](Case &run) {
          run.input("x", RegionKind::Features, run.rows(), f);
          run.input("x2", RegionKind::Features, run.rows(), f);
          run.edges("a");
          run.builder->addEdges("y", RegionRole::Output);
          run.builder->vectorInner("x", "x2", "a", "y", f,
                                   {{ActivationKind::Prelu, bitsOfFloat(0.25f)},
                                    {ActivationKind::Exp, 0}});
        },
        [=](const Case &run) {
          const Values &x = run.values.at("x"), &x2 = run.values.at("x2");
          Doubles y(run.graph.edges());
          for (size_t e = 0; e < y.size(); ++e) {
            auto src = static_cast<size_t>(run.graph.src[e]);
            auto dst = static_cast<size_t>(run.graph.dst[e]);
            double sum = 0;
            for (size_t column = 0; column < f; ++column)
              sum += double(x[src * f + column]) * x2[dst * f + column];
            y[e] = std::exp(slopeOf(sum, 0.25f));
          }
          return y;
        },
        /*onEdges=*/true);
}

TEST(Machine, VectorAdd) {
  expectLayer(
      [](Case &run) {
        run.input("x", RegionKind::Features, run.rows(), 21);
        run.input("x2", RegionKind::Features, run.rows(), 21);
        run.builder->addFeatures("y", RegionRole::Output, 21);
        run.builder->vectorAdd("x", "x2", "y", 21, {ActivationKind::Relu, 0});
      },
      [](const Case &run) {
        Doubles y;
        for (size_t i = 0; i < run.rows() * 21; ++i)
          y.push_back(std::max(
              double(run.values.at("x")[i]) + run.values.at("x2")[i], 0.0));
        return y;
      });
}

TEST(Machine, Activations) {
  for (ActivationKind kind :
       {ActivationKind::Relu, ActivationKind::Prelu, ActivationKind::Swish,
        ActivationKind::Exp, ActivationKind::Sigmoid}) {
    auto apply = [=](double x) {
      switch (kind) {
      case ActivationKind::Relu:
        return std::max(x, 0.0);
      case ActivationKind::Prelu:
        return slopeOf(x, 0.125f);
      case ActivationKind::Swish:
        return x / (1 + std::exp(-x));
      case ActivationKind::Exp:
        return std::exp(x);
      default:
        return 1 / (1 + std::exp(-x));
      }
    };
    Activation act{kind,
                   kind == ActivationKind::Prelu ? bitsOfFloat(0.125f) : 0};
    auto reference = [&](const Values &x) {
      Doubles y;
      for (float value : x)
        y.push_back(apply(value));
      return y;
    };
    expectLayer(
        [&](Case &run) {
          run.input("x", RegionKind::Features, run.rows(), 19);
          run.builder->addFeatures("y", RegionRole::Output, 19);
          run.builder->activation("x", "y", 19, act);
        },
        [&](const Case &run) { return reference(run.values.at("x")); });
    expectLayer(
        [&](Case &run) {
          run.edges("x");
          run.builder->addEdges("y", RegionRole::Output);
          run.builder->activateEdges("x", "y", act);
        },
        [&](const Case &run) { return reference(run.values.at("x")); },
        /*onEdges=*/true);
  }
}

TEST(Machine, EdgesInTheSecondBuffer) {
  TestGraph graph = randomGraph("graph", 50, 200, 0, 50, 13);
  std::vector<Values> found;
  for (uint64_t buffer : {0, 1}) {
    Case run(graph);
    run.edges("x");
    run.builder->addEdges("y", RegionRole::Output);
    run.builder->activateEdges("x", "y", {ActivationKind::Swish, 0});
    for (Instruction &instruction : run.builder->program.instructions)
      if (instruction.as<Load>() || instruction.as<Act>())
        instruction.buffer = buffer;
    ASSERT_EQ(run.execute().message(), "");
    found.push_back(run.weights("y"));
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(Machine, DivideByAColumn) {
  expectLayer(
      [](Case &run) {
        run.input("x", RegionKind::Features, run.rows(), 20);
        for (size_t row = 0; row < run.rows(); row += 3)
          run.values["x"][row * 20 + 19] = 0;
        run.builder->addFeatures("y", RegionRole::Output, 19);
        run.builder->activation("x", "y", 19, {ActivationKind::Divide, 3}, "x",
                                1);
      },
      [](const Case &run) {
        Doubles y(run.rows() * 19);
        for (size_t row = 0; row < run.rows(); ++row)
          for (size_t column = 0; column < 19; ++column) {
            double by = run.values.at("x")[row * 20 + 19];
            y[row * 19 + column] =
                by == 0 ? 0 : run.values.at("x")[row * 20 + column] / by;
          }
        return y;
      });
}

TEST(Machine, BatchNorm) {
  expectLayer(
      [](Case &run) {
        run.input("x", RegionKind::Features, run.rows(), 23);
        run.input("s", RegionKind::Affine, 1, 23);
        run.builder->addFeatures("y", RegionRole::Output, 23);
        run.builder->activation(
            "x", "y", 23,
            {ActivationKind::Affine,
             run.builder->region("s").address / addressUnit});
      },
      [](const Case &run) {
        Doubles y(run.rows() * 23);
        const Values &s = run.values.at("s");
        for (size_t i = 0; i < y.size(); ++i)
          y[i] = double(run.values.at("x")[i]) * s[i % 23] + s[23 + i % 23];
        return y;
      });
}

TEST(Machine, LayersInARow) {
  // A softmax over edges as the compiler makes it: exp of scores, a sum of
  // [h, 1], and a division.
  expectLayer(
      [](Case &run) {
        run.input("x", RegionKind::Features, run.rows(), 18);
        for (size_t row = 0; row < run.rows(); ++row)
          run.values["x"][row * 18 + 17] = 1;
        run.edges("a");
        run.builder->addEdges("e", RegionRole::Temporary);
        run.builder->addFeatures("h", RegionRole::Temporary, 18);
        run.builder->addFeatures("y", RegionRole::Output, 17);
        run.builder->activateEdges("a", "e", {ActivationKind::Exp, 0});
        run.builder->aggregate("x", "e", "h", 18, Aggregation::Sum);
        run.builder->activation("h", "y", 17, {ActivationKind::Divide, 1}, "h",
                                1);
      },
      [](const Case &run) {
        Doubles y(run.rows() * 17), sums(run.rows());
        for (size_t e = 0; e < run.graph.edges(); ++e)
          sums[run.graph.dst[e]] += std::exp(double(run.values.at("a")[e]));
        for (size_t e = 0; e < run.graph.edges(); ++e)
          for (size_t column = 0; column < 17; ++column)
            y[run.graph.dst[e] * 17 + column] +=
                std::exp(double(run.values.at("a")[e])) /
                sums[run.graph.dst[e]] *
                run.values.at("x")[run.graph.src[e] * 18 + column];
        return y;
      });
}

TEST(Machine, StoresZerosBehindTheLastFeature) {
  // A region whose memory others had before.
  TestGraph graph = randomGraph("graph", 40, 10, 0, 40, 1);
  Case run(graph);
  run.input("x", RegionKind::Features, 40, 5);
  run.builder->addFeatures("y", RegionRole::Output, 5);
  run.builder->vectorAdd("x", "x", "y", 5);
  const Program &program = run.builder->program;
  auto memory = Memory::create(program);
  ASSERT_EQ(
      memory->fill(program, *run.partition, {{"x", {run.values["x"], {40, 5}}}})
          .message(),
      "");
  auto *y = reinterpret_cast<float *>(memory->data() +
                                      run.builder->region("y").address);
  std::fill_n(y, 64 * 16, 7.0f);
  ASSERT_EQ(gnn::overlay::execute(program, *memory).message(), "");
  for (size_t row = 0; row < 64; ++row)
    for (size_t column = 5; column < 16; ++column)
      EXPECT_EQ(y[row * 16 + column], 0);
  EXPECT_EQ(y[16 * 3 + 4], 2 * run.values["x"][3 * 5 + 4]);
}

TEST(Machine, FillsFromPieces) {
  TestGraph graph = randomGraph("graph", 20, 10, 0, 20, 1);
  Case run(graph);
  run.input("x", RegionKind::Features, 20, 4);
  run.input("w", RegionKind::Weights, 4, 3);
  run.builder->addFeatures("y", RegionRole::Output, 3);
  run.builder->linear("x", "w", "y", 4, 3);
  // w = [p^T (3 x 2 of 2 x 5, from row 1), -1; ...]: 4 x 3.
  Piece turned, number;
  turned.argument = "p";
  turned.transposed = true;
  turned.pitch = 5;
  turned.argumentRow = 1;
  turned.rows = 4;
  turned.columns = 2;
  number.value = -1;
  number.row = 1;
  number.column = 2;
  number.rows = 3;
  number.columns = 1;
  run.builder->program.regions[1].pieces = {turned, number};
  run.values.erase("w");
  run.values["p"] = randomValues(10, 5);
  ASSERT_EQ(run.execute().message(), "");
  Doubles y(60);
  for (size_t row = 0; row < 20; ++row)
    for (size_t column = 0; column < 3; ++column)
      for (size_t k = 0; k < 4; ++k) {
        double w =
            column < 2 ? run.values["p"][column * 5 + 1 + k] : (k ? -1 : 0);
        y[row * 3 + column] += double(run.values["x"][row * 4 + k]) * w;
      }
  expectNear(run.features("y"), y, "pieces");
  auto shapes = argumentShapes(run.builder->program);
  EXPECT_EQ(shapes["p"], (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(shapes["x"], (std::vector<int64_t>{20, 4}));
  run.values["q"] = {1};
  EXPECT_EQ(run.execute().message(),
            "expected no argument 'q', which the program does not read");
  run.values.erase("q");
  run.values["x"].resize(79);
  EXPECT_EQ(run.execute().message(),
            "input 'x': expected shape (20, 4), got (79,)");
  run.values.erase("x");
  EXPECT_EQ(run.execute().message(), "expected an argument 'x', got none");
  run.values["x"].resize(80);
  run.values["p"].resize(5);
  EXPECT_EQ(run.execute().message(),
            "input 'p': expected shape (2, 5), got (1, 5)");
}

/// As many values of another shape are other values.
TEST(Machine, ShapesOfArguments) {
  TestGraph graph = randomGraph("graph", 20, 60, 0, 20, 7);
  Case run(graph);
  run.input("x", RegionKind::Features, 20, 4);
  run.input("w", RegionKind::Weights, 4, 3);
  run.input("b", RegionKind::Row, 1, 3);
  Builder &builder = *run.builder;
  auto memory = Memory::create(builder.program);
  ASSERT_TRUE(bool(memory)) << memory.message();
  std::vector<float> values(200, 1);
  auto fill = [&](std::vector<int64_t> x, std::vector<int64_t> w,
                  std::vector<int64_t> b) {
    std::map<std::string, Argument> arguments;
    for (auto &[name, shape] : {std::pair("x", x), {"w", w}, {"b", b}}) {
      size_t size = 1;
      for (int64_t extent : shape)
        size *= static_cast<size_t>(extent);
      arguments[name] = {{values.data(), size}, shape};
    }
    return memory->fill(builder.program, *run.partition, arguments).message();
  };
  EXPECT_EQ(fill({20, 4}, {4, 3}, {3}), "");
  EXPECT_EQ(fill({20, 4}, {2, 2, 3}, {1, 3}), "");
  EXPECT_EQ(fill({4, 20}, {4, 3}, {3}),
            "input 'x': expected shape (20, 4), got (4, 20)");
  EXPECT_EQ(fill({80}, {4, 3}, {3}),
            "input 'x': expected shape (20, 4), got (80,)");
  EXPECT_EQ(fill({20, 4}, {3, 4}, {3}),
            "input 'w': expected shape (4, 3), got (3, 4)");
  EXPECT_EQ(fill({20, 4}, {12}, {3}),
            "input 'w': expected shape (4, 3), got (12,)");
  EXPECT_EQ(fill({20, 4}, {5, 3}, {3}),
            "input 'w': expected shape (4, 3), got (5, 3)");
  EXPECT_EQ(fill({20, 4}, {4, 3}, {6}),
            "input 'b': expected shape (1, 3), got (6,)");
}
