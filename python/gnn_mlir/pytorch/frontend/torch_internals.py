# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Internals of torch that the front end uses, which torch does not promise to
keep.

`check` is run when the front end is imported, before the modules that use these: another
torch is an error or a warning there, and no AttributeError within a call.
"""

import functools
import importlib
import inspect
import warnings

import torch

# The oldest and the newest release of torch that the front end is tested with.
TESTED = (2, 11), (2, 13)

# By what happens without them: the names of modules and classes, and what is used of them.

# Nothing is compiled.
REQUIRED = {
    # The capture: a functional graph of dynamo's, with symbols as sizes.
    "torch._dynamo": "optimize substitute_in_graph assume_constant_result "
                     "register_backend list_backends",
    "torch._dynamo.config": "_make_closure_patcher",
    "torch._dynamo.convert_frame": "CatchErrorsWrapper ConvertFrameAssert",
    "torch._dynamo.eval_frame": "_optimize skip_code",
    "torch._dynamo.code_context": "code_context",
    "torch._dynamo.types": "ConvertFrameReturn FrameAction FrameExecStrategy",
    "torch._C._dynamo.eval_frame": "set_code_exec_strategy _debug_get_cache_entry_list",
    "torch.fx.experimental._config": "_make_closure_patcher",
    "torch.fx.experimental.proxy_tensor": "make_fx ProxyTorchDispatchMode "
                                          "track_tensor_tree",
    "torch.fx.experimental.symbolic_shapes": "make_symbol ShapeEnv guard_scalar",
    "torch._functorch._aot_autograd.functional_utils": "from_fun has_data_mutation to_fun",
    "torch._dispatch.python": "enable_python_dispatcher",
    "torch._subclasses.functional_tensor": "FunctionalTensorMode FunctionalTensor",
    "torch._subclasses.fake_tensor": "FakeTensor",
    "torch._C": "_dispatch_has_kernel _dispatch_has_kernel_for_dispatch_key "
                "_get_tracing_state _WeakTensorRef _AutoDispatchBelowAutograd",
    # The patches: dynamo's table of functions of torch.sparse and `matmul`, its way to
    # wrap arguments, and whether PyG takes itself to be traced.
    "torch._dynamo.variables.torch": "get_overridable_functions",
    "torch._dynamo.variables.builtin": "populate_builtin_to_tensor_fn_map "
                                       "BUILTIN_TO_TENSOR_RFN_MAP",
    "torch._dynamo.variables.builder.VariableBuilder": "__call__ _wrap wrap_user_defined",
    # Stand-ins of sparse tensors are tensors where a model asks.
    "torch._dynamo.variables": "ConstantVariable VariableTracker",
    "torch._dynamo.variables.builtin.BuiltinVariable":
        "call_isinstance call_type call_function call_function_handler_cache",
    "torch._dynamo.variables.torch.TorchInGraphFunctionVariable": "_get_handlers call_function",
    "torch._dynamo.variables.user_defined.UserDefinedObjectVariable": "var_getattr",
    "torch._guards.CompileContext": "current_compile_id",
    "torch.compiler": "_is_compiling_flag",
    # Transforms of torch.func and tangents, which are left to torch.
    "torch._C._functorch": "peek_interpreter_stack",
    "torch._dynamo.guards.GuardBuilder": "DUAL_LEVEL",
    "torch._dynamo.source": "GlobalStateSource TypeSource",
    "torch._guards.TracingContext": "try_get",
    "torch.autograd.forward_ad": "_current_level",
    # Functions with gradients of their own.
    "torch._ops": "HigherOrderOperator",
    "torch._functorch.autograd_function": "autograd_function_apply",
    # Whether memory is gone that something is kept of.
    "torch.UntypedStorage": "_expired",
}

# Calls are dynamo's, with its wrappers around them.
FAST_CALLS = {
    "torch._C._dynamo.eval_frame": "_debug_get_cache_entry_list get_eval_frame_callback",
    "torch._dynamo.eval_frame": "_stance skip_code",
    "torch._dynamo.eval_frame._stance": "stance backend",
    "torch._dynamo.convert_frame": "compile_lock",
    "torch.fx._symbolic_trace": "is_fx_symbolic_tracing",
    "torch._C": "_is_tracing",
    "torch.nn.Module": "_compiled_call_impl _call_impl",
}


def missing(internals):
    """The names among these that this torch has not."""
    found = []
    for place, names in internals.items():
        try:
            of = _find(place)
        except (ImportError, AttributeError):
            found.append(place)
            continue
        found += [f"{place}.{name}" for name in names.split() if not hasattr(of, name)]
    return found


def _find(place):
    try:
        return importlib.import_module(place)
    except ImportError:
        of, _, name = place.rpartition(".")
        if not of:
            raise
        return getattr(_find(of), name)


@functools.lru_cache(maxsize=None)
def has_fast_calls():
    return not missing(FAST_CALLS)


@functools.lru_cache(maxsize=None)
def isolated():
    """The settings of torch that keep captures from counting for the limit of another
    torch.compile, where they share the code of a layer behind a graph break: {} before 2.13."""
    known = inspect.signature(torch._dynamo.eval_frame._optimize).parameters
    return {"isolate_recompiles": True} if "isolate_recompiles" in known else {}


def check(version=torch.__version__):
    """Raises ImportError where something is missing that nothing works without. Warns of
    releases of torch that are not tested."""
    found = missing(REQUIRED)
    first, last = (".".join(map(str, one)) for one in TESTED)
    if found:
        raise ImportError(f"gnn_mlir.compile: expected torch {first} to {last}, got {version}, "
                          f"which has no {', '.join(found)}")
    if not TESTED[0] <= tuple(map(int, version.split(".")[:2])) <= TESTED[1]:
        warnings.warn(f"gnn_mlir.compile is tested with torch {first} to {last}, got {version}",
                      stacklevel=2)
