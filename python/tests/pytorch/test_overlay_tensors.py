# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Captured PyG models, unmodified, as programs of the overlay (GraphAGILE, listing 1), and
the IR that a capture holds as a `gnn_mlir.overlay.Program`."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric import nn  # noqa: E402
from torch_geometric.data import Data  # noqa: E402

import gnn_mlir  # noqa: E402
from gnn_mlir import overlay  # noqa: E402
from support.overlay import listing3  # noqa: E402

NODES, FEATURES, CLASSES = 70, 24, 5


class Layers(torch.nn.Module):
    """Two layers with relu between them, as listing 1 has them."""

    def __init__(self, make):
        super().__init__()
        self.conv1, self.conv2 = make(FEATURES, 16), make(16, CLASSES)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        return self.conv2(x, edge_index)


def _gin(inputs, outputs):
    return nn.GINConv(torch.nn.Sequential(torch.nn.Linear(inputs, outputs), torch.nn.ReLU(),
                                          torch.nn.Linear(outputs, outputs)))


LAYERS = {"gcn": nn.GCNConv, "sage": nn.SAGEConv, "gat": nn.GATConv, "gin": _gin,
          "gat_mean": lambda inputs, outputs: nn.GATConv(inputs, outputs, heads=3, concat=False),
          "gat_channel": lambda inputs, outputs: nn.GATConv(inputs, 1, heads=outputs),
          "sgc": lambda inputs, outputs: nn.SGConv(inputs, outputs, K=2)}


@pytest.fixture(scope="module")
def data():
    torch.manual_seed(0)
    edges = torch.randint(0, NODES, (2, 300))
    edges[1, :90] = 7  # a hub
    edges[:, 200:250] = edges[:, 100:150]  # edges that there are twice
    return torch.randn(NODES, FEATURES), edges


@pytest.mark.parametrize("name", LAYERS)
def test_captured(name, data):
    torch.manual_seed(1)
    model = Layers(LAYERS[name]).eval()
    compiled = gnn_mlir.compile(model, target="overlay", fullgraph=True)
    with torch.no_grad():
        out, expected = compiled(*data), model(*data)
    torch.testing.assert_close(out, expected, atol=5e-6, rtol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_one_node(name):
    model = Layers(LAYERS[name]).eval()
    compiled = gnn_mlir.compile(model, target="overlay", fullgraph=True)
    call = torch.randn(1, FEATURES), torch.zeros(2, 3, dtype=torch.long)
    with torch.no_grad():
        torch.testing.assert_close(compiled(*call), model(*call), atol=5e-6, rtol=1e-5)


@pytest.mark.parametrize("name", ["gcn", "sage", "gat", "sgc"])
def test_captured_program(name, data):
    """The IR that a capture holds is a Program with the same bits, on the graph as the
    module takes it: self loops are added by the program."""
    torch.manual_seed(1)
    model = Layers(LAYERS[name]).eval()
    compiled = gnn_mlir.compile(model, target="overlay", fullgraph=True)
    x, edges = data
    with torch.no_grad():
        out = compiled(x, edges)
    [capture] = compiled.captures.report()
    [captured] = capture.programs
    graph = gnn_mlir.Graph(*edges.numpy(), num_nodes=NODES)
    program = overlay.compile(captured.text, graph=graph)
    assert program.facts["loops"] == ("" if name == "sage" else "replace")
    inputs = {key.replace(".", "_"): value.numpy() for key, value in model.state_dict().items()}
    found = program.run(graph, {**inputs, "x": x.numpy()})
    assert found.tobytes() == out.numpy().tobytes()
    assert program.simulate(graph).cycles > program.simulate(graph, memory="ideal").cycles


def test_no_layer(data):
    """A model that no layers mean says so."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.GCNConv(FEATURES, CLASSES)

        def forward(self, x, edge_index):
            return torch.nn.functional.elu(self.conv(x, edge_index))

    with pytest.raises(gnn_mlir.CompileError, match="has no overlay layer"), torch.no_grad():
        gnn_mlir.compile(Model().eval(), target="overlay", fullgraph=True)(*data)


def test_gradients(data):
    """Weights of a model require gradients unless a call is under no_grad."""
    compiled = gnn_mlir.compile(Layers(LAYERS["gcn"]).eval(), target="overlay", fullgraph=True)
    with pytest.raises(ValueError, match="gradients has no meaning for target overlay: expected "
                       "one of target, passes, keep_phases.*: '.*' requires one; call the model "
                       r"under torch.no_grad\(\)"):
        compiled(*data)


def test_listing3_of_a_data(data):
    """The listing gives a PyG Data as the graph."""
    x, edges = data
    model = listing3(NODES, edges.shape[1], FEATURES, Data(x=x, edge_index=edges))
    for step in (model.orderoptize, model.layerfusion, model.datapartition,
                 model.kernelMapping, model.taskScheduling):
        step()
    program = model.codeGeneration()
    f, graph = model.module().functions["model"], model.graph()
    inputs = {**f.random_inputs(graph, seed=1), "x": x.numpy()}
    expected = f.evaluate(graph, inputs)["out"]
    torch.testing.assert_close(program.run(graph, inputs), expected.astype("float32"),
                               atol=1e-4, rtol=1e-5)
