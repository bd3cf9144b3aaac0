# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the tests of this folder are found and which tools they may call.

import os
import platform

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "GNN"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.gnn_obj_root, "test")

llvm_config.use_default_substitutions()
llvm_config.with_system_environment(
    ["HOME", "TMP", "TEMP", "GNN_TEST_DATA", "GLIBC_TUNABLES"]
)
llvm_config.with_environment("GNN_MLIR_CACHE", "off")
for folder in (config.llvm_tools_dir, config.gnn_tools_dir):
    llvm_config.with_environment("PATH", folder, append_path=True)

config.substitutions.append(("%gnn_src_root", config.gnn_src_root))
config.substitutions.append(("%gnn_obj_root", config.gnn_obj_root))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%python", f'"{config.python_executable}"'))

# With GNN_CHECK_ROUNDTRIP set, every gnn-opt also prints, parses and compares.
gnn_opt = "gnn-opt"
if "GNN_CHECK_ROUNDTRIP" in os.environ:
    gnn_opt += " --verify-roundtrip"
tools = [
    ToolSubst("gnn-opt", gnn_opt, unresolved="fatal"),
    ToolSubst("gnn-translate", unresolved="ignore"),
    ToolSubst("gnn-run", unresolved="ignore"),
    ToolSubst("gnn-tune", unresolved="ignore"),
    ToolSubst("gnn-lsp-server", unresolved="ignore"),
    ToolSubst("gnn-reduce", unresolved="ignore"),
    ToolSubst("gnn-overlay-sim", unresolved="ignore"),
]
llvm_config.add_tool_substitutions(
    tools, [config.gnn_tools_dir, config.llvm_tools_dir]
)

# Tests with REQUIRES: cuda need a GPU; those with REQUIRES: test-data the real
# graphs, and those with REQUIRES: x86_64 such a processor.
config.available_features.add(platform.machine())
if config.gnn_enable_cuda_tests:
    config.available_features.add("cuda")
if os.environ.get("GNN_TEST_DATA"):
    config.available_features.add("test-data")
