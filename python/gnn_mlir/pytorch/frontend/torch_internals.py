# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Internals of torch that `gnn_mlir.pytorch` uses, which torch does not promise to keep: all of
its private names, but those of ATen's ops.

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
    "torch._dynamo.config": "_make_closure_patcher verbose",
    "torch._dynamo.convert_frame": "CatchErrorsWrapper ConvertFrameAssert",
    "torch._dynamo.eval_frame": "_optimize skip_code OptimizedModule",
    "torch._dynamo.exc": "TorchRuntimeError Unsupported UserError",
    "torch._dynamo.symbolic_convert.InstructionTranslator": "current_tx",
    "torch.nn.modules.module": "_has_any_global_hook",
    "torch._dynamo.types": "ConvertFrameReturn FrameAction FrameExecStrategy",
    "torch._C._dynamo.eval_frame": "set_code_exec_strategy _debug_get_cache_entry_list",
    "torch.fx.experimental._config": "_make_closure_patcher",
    "torch.fx.experimental.proxy_tensor": "make_fx ProxyTorchDispatchMode "
                                          "track_tensor_tree",
    "torch.fx.experimental.symbolic_shapes": "make_symbol ShapeEnv guard_scalar",
    "torch._decomp": "_should_decompose_because_unsafe_op",
    "torch.utils._pytree": "tree_leaves tree_map tree_map_only",
    "torch._functorch._aot_autograd.functional_utils": "from_fun has_data_mutation to_fun",
    "torch._dispatch.python": "enable_python_dispatcher",
    "torch._subclasses.functional_tensor": "FunctionalTensorMode FunctionalTensor",
    "torch._subclasses.fake_tensor": "FakeTensor",
    "torch._subclasses": "FakeTensorMode",
    "torch._C": "_dispatch_has_kernel _dispatch_has_kernel_for_dispatch_key DispatchKey "
                "_get_tracing_state _WeakTensorRef _AutoDispatchBelowAutograd "
                "_are_functorch_transforms_active _has_storage _set_grad_enabled",
    "torch": "_check",
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
    # Attributes of layers that are one op, which are compared at each call.
    "torch._C._dynamo.guards": "TensorGuards",
    # Modes within a model.
    "torch.amp.autocast_mode": "_enter_autocast _exit_autocast",
    "torch.autograd.grad_mode": "_enter_inference_mode _exit_inference_mode",
    # Transforms of torch.func and tangents, which are left to torch.
    "torch._C._functorch": "peek_interpreter_stack",
    "torch._dynamo.guards.GuardBuilder": "DUAL_LEVEL",
    "torch._dynamo.source": "GlobalStateSource TypeSource",
    "torch._guards.TracingContext": "try_get",
    "torch.autograd.forward_ad": "_current_level",
    # Functions with gradients of their own.
    "torch._ops": "HigherOrderOperator OpOverload",
    "torch._functorch.autograd_function": "autograd_function_apply",
    # Whether memory is gone that something is kept of.
    "torch.UntypedStorage": "_expired",
    # Programs under autograd.
    "torch._functorch.utils": "unwrap_dead_wrappers",
}

# Calls are dynamo's, with its wrappers around them.
FAST_CALLS = {
    "torch._C._dynamo.eval_frame": "_debug_get_cache_entry_list get_eval_frame_callback",
    "torch._dynamo.eval_frame": "_stance skip_code",
    "torch._dynamo.eval_frame._stance": "stance backend",
    "torch._dynamo.convert_frame": "compile_lock",
    "torch.fx._symbolic_trace": "is_fx_symbolic_tracing",
    "torch.nn.Module": "_compiled_call_impl _call_impl",
    "torch._dynamo": "utils",
}

# A build for CPUs has no streams, and a message says less.
OPTIONAL = {
    "torch._C": "_cuda_getCurrentRawStream",
    "torch._dynamo.guards": "get_guard_fail_reason",
}

# Attributes of objects, by their classes.
ATTRIBUTES = {
    # The symbol of a size, before equal ones were made one.
    "torch.fx.experimental.sym_node.SymNode": "_expr",
    "torch.Tensor": "_base _cdata _is_view _version",
    "torch.nn.Module": "_backward_hooks _backward_pre_hooks _buffers _forward_hooks "
                       "_forward_pre_hooks _modules _parameters",
    "torch.nn.modules.lazy.LazyModuleMixin": "_initialize_hook",
    "torch._ops.OpOverload": "_op_dk _opname _schema",
    "torch._dynamo.eval_frame.OptimizedModule": "_orig_mod",
    "what dynamo made of a function": "_torchdynamo_disable _torchdynamo_orig_callable",
    "a callback of dynamo": "_inner_convert _torchdynamo_orig_backend",
    "torch_geometric.data.Data": "_store",
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
