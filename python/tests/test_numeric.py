# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op and every model through the whole compiler, against float64.

A covering set of subject, graph, features and heads (`cases.covering_set`); all of
them with --all. The fixture `run` says where: GNN_TEST_TARGET=cuda is a GPU.
"""

from support import cases, graphs


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        found = (cases.full_product() if metafunc.config.getoption("--all") else
                 cases.covering_set())
        # Cases of one program in a row, and of one schema: the last few programs and graphs
        # are kept.
        schemas = {name: names[0] for names in graphs.OF_ONE_SCHEMA for name in names}
        untyped = {**schemas, **dict.fromkeys(graphs.DATA_SETS, graphs.DATA_SETS[0])}
        found.sort(key=lambda case: (
            cases.GRAPHS.index((schemas if case["subject"].startswith(cases.RELATIONAL)
                                else untyped).get(case["graph"], case["graph"])),
            *(str(value) for name, value in case.items() if name != "graph")))
        metafunc.parametrize("case", found, ids=lambda case: "-".join(
            map(str, case.values())))


def test_case(case, run, run_unchecked):
    """Accesses are checked but on the larger data sets, whose kernels are those of aifb
    and of the odd graphs."""
    larger = case["graph"] in graphs.DATA_SETS and case["graph"] != "aifb"
    cases.check(cases.build(**case), run_unchecked if larger else run)
