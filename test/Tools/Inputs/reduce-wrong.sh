# reduce-wrong.sh PLUGIN GRAPH FILE: ends with 1 where a pass changes what is computed.
out=$(mktemp -d) || exit 0
trap 'rm -r "$out"' EXIT
run="gnn-run $3 --function=hgt --graph=$2 --target=emulator --weights=random:1"
$run --output="$out/right" > /dev/null 2>&1 || exit 0
$run --output="$out/wrong" --load-plugin="$1" \
    --stage-passes='graph-begin=func.func(test-computes-wrong)' > /dev/null 2>&1 || exit 0
diff -r "$out/right" "$out/wrong" > /dev/null
