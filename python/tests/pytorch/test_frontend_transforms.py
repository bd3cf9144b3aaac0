# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward-mode derivatives and torch.func around models and within them are torch's."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch.autograd import forward_ad  # noqa: E402
from torch_geometric.utils import scatter, softmax  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
INPUTS = zoo.Inputs(20, 60)


def tangent(model, x, *others):
    with forward_ad.dual_level():
        out = model(forward_ad.make_dual(x, x.cos()), *others)
        return forward_ad.unpack_dual(out).tangent


@pytest.mark.parametrize("name, enabled", [("RGCNConv", True), ("custom-Raw", False)])
def test_tangents(name, enabled):
    """Of a model that is captured before without them, and is a program again behind them."""
    case = zoo.CASES[name]
    model, given = case.make().eval(), case.inputs(INPUTS)
    compiled = capture.compile_module(model)
    with torch.set_grad_enabled(enabled):
        for _ in range(2):
            torch.testing.assert_close(compiled(*given), model(*given))
            assert len(capture._made) == 1
            torch.testing.assert_close(tangent(compiled, *given), tangent(model, *given))
        with pytest.raises(Exception, match=r"outside of dual_level\(\)"):
            tangent(capture.compile_module(model, fullgraph=True), *given)


@pytest.mark.parametrize("transform", [
    lambda f, x: tangent(f, x), lambda f, x: torch.func.jvp(f, (x,), (x.cos(),))[1],
    lambda f, x: torch.func.grad(lambda x: f(x).square().sum())(x)])
def test_transforms_within(transform, request):
    """Have PyG's own functions, of ops that torch has rules for."""
    if "0" not in request.node.callspec.id and torch.__version__ < "2.12":
        pytest.skip("this torch does not trace them with a tensor of the model")
    def model(x, edges):
        def summed(x):
            x = torch.nn.functional.linear(x, INPUTS.x[:16])
            scores = softmax(x.tanh()[edges[0]], edges[1], num_nodes=20)
            return scatter(x[edges[0]] * scores, edges[1], dim_size=20, reduce="mean")
        return transform(summed, x)
    x, edges = INPUTS.x.clone().requires_grad_(), INPUTS.edge_index
    expected, found = ((out, *torch.autograd.grad(out.square().sum(), x)) for out in (
        model(x, edges), capture.compile_module(model)(x, edges)))
    torch.testing.assert_close(found, expected)
