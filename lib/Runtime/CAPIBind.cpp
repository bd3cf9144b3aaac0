//===- CAPIBind.cpp - C API of binding ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPIBinding.h"

using namespace gnn::runtime;

GnnError *gnnBind(const GnnPackage *package, const char *function,
                  GnnGraph *const *graphs, int64_t numGraphs,
                  const GnnDevice *device, const GnnBindOptions *options,
                  GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error =
            expectPointers("a package, a function's name, a device and a "
                           "result",
                           package, function, device, bound))
      return error;
    Expected<BindOptions> converted = convertOptions(options);
    if (!converted)
      return converted.takeError();
    std::vector<std::shared_ptr<const Graph>> values;
    for (GnnGraph *graph : pointers(graphs, numGraphs))
      values.push_back(unwrap(graph));
    auto value = BoundFunction::bind(
        package->value, function, std::move(values), device->value, *converted);
    if (!value)
      return value.takeError();
    auto handle = std::make_unique<GnnBoundFunction>();
    handle->value = std::move(*value);
    *bound = handle.release();
    return {};
  });
}

/// Those of the named graphs that a function declares, in its order.
static Expected<std::vector<std::shared_ptr<const Graph>>>
graphsOf(const FunctionPlan &function, const char *const *names,
         ArrayView<GnnGraph *> graphs) {
  std::vector<std::shared_ptr<const Graph>> values;
  for (const GraphSpec &spec : function.graphs) {
    size_t i = 0;
    while (i < graphs.size() && spec.name != names[i])
      ++i;
    if (i == graphs.size())
      return failure("function '", function.name, "': expected a graph '",
                     spec.name, "', got none of that name");
    values.push_back(unwrap(graphs[i]));
  }
  return values;
}

GnnError *gnnBindAll(const GnnPackage *package, const char *const *functions,
                     int64_t numFunctions, const char *const *graphNames,
                     GnnGraph *const *graphs, int64_t numGraphs,
                     const GnnDevice *device, const GnnBindOptions *options,
                     GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error = expectPointers("a package, functions' names, a device "
                                     "and results",
                                     package, functions, device, bound))
      return error;
    ArrayView<GnnGraph *> given = pointers(graphs, graphNames ? numGraphs : 0);
    Expected<BindOptions> converted = convertOptions(options);
    if (!converted)
      return converted.takeError();
    using Result = Expected<std::shared_ptr<const BoundFunction>>;
    return bindEach(pointers(functions, numFunctions), bound,
                    [&](const char *function) -> Result {
                      auto plan = package->value->plan().find(function);
                      if (!plan)
                        return plan.takeError();
                      auto values = graphsOf(**plan, graphNames, given);
                      if (!values)
                        return values.takeError();
                      return BoundFunction::bind(package->value, function,
                                                 std::move(*values),
                                                 device->value, *converted);
                    });
  });
}
