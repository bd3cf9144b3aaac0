# reduce-crash.sh PLUGIN FILE: ends with 1 where a pass ends the process by a signal.
gnn-opt "$2" --load-pass-plugin="$1" \
    --pass-pipeline='builtin.module(func.func(test-ends-process))' > /dev/null 2>&1
test $? -lt 128
