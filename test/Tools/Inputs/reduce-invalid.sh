# reduce-invalid.sh PLUGIN FILE: ends with 1 where the verifier refuses a product behind a pass.
! gnn-opt "$2" --load-pass-plugin="$1" \
    --pass-pipeline='builtin.module(func.func(test-leaves-invalid))' 2>&1 > /dev/null |
    grep -q "error: 'gnn.typed_linear' op"
