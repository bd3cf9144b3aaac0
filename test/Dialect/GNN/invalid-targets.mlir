// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Targets of modules. Each case is named after the constraint it breaks.

// expected-error @+1 {{expected a kind of target, got an empty one}}
module @target_c1 attributes {gnn.target = #gnn.target<kind = "", name = "", chip = "", limits = {}, abilities = [], figures = {}>} {}

// -----

// expected-error @+1 {{expected 'lanes' of at least 0}}
module @target_c2 attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "", limits = {lanes = -1}, abilities = [], figures = {}>} {}

// -----

// expected-error @+1 {{expected 'l2_gather' of at least 0}}
module @target_c2_figure attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "", limits = {lanes = 1}, abilities = [], figures = {l2_gather = -1.0}>} {}

// -----

// expected-error @+1 {{expected a vector of 1, 2, 4, 8 or 16 and 8 to 1024 registers, got 0 and 0}}
module @target_c3 attributes {gnn.target = #gnn.target<kind = "cpu", name = "", chip = "", limits = {}, abilities = [], figures = {}>} {}

// -----

// expected-error @+1 {{'builtin.module' op expected gnn.target to be a #gnn.target of a module, got "cuda"}}
module @dialect_g17 attributes {gnn.target = "cuda"} {}

// -----

// expected-error @+1 {{'func.func' op expected gnn.target to be a #gnn.target of a module, got}}
func.func private @dialect_g17_function() attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "", limits = {}, abilities = [], figures = {}>}

// -----

// expected-error @+2 {{expected ability of tf32, async_copies, cache_policies, fast_powers, long_rows, got 'fp4'}}
// expected-error @+1 {{failed to parse}}
module @unknown attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "", limits = {}, abilities = [fp4], figures = {}>} {}

// -----

// expected-error @+2 {{expected each limit once, got 'lanes' twice}}
// expected-error @+1 {{failed to parse}}
module @twice attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "", limits = {lanes = 1, lanes = 2}, abilities = [], figures = {}>} {}
