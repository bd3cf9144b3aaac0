# Runs a model as a whole and in parts, and compares the bits of the results:
# super-partition.sh MODEL.mlir GRAPH.npz BYTES PREFIX [OPTION...]
set -e
model=$1 graph=$2 bytes=$3 prefix=$4
shift 4
run() { # NAME OPTION...
  name=$1
  shift
  gnn-opt "$model" --gnn-overlay-pipeline="graph=$graph add-self-loops=true n1=16 $*" \
      --remarks-filter='gnn-overlay-super.*' 2> "$name.txt" \
      | gnn-translate --gnn-to-overlay -o "$name.ga"
  grep -o '[0-9]* parts in' "$name.txt" || true
  gnn-overlay-sim "$name.ga" --graph "$graph" --add-self-loops --weights random:1 \
      --input x=random:2 --memory=ideal --report --output "$name.npz" > "$name.report"
  grep '^part' "$name.report" || true
}
run "$prefix.whole" "$@"
run "$prefix.parts" "super-bytes=$bytes" "$@"
cmp "$prefix.whole.npz" "$prefix.parts.npz"
gnn-translate --overlay-to-mlir "$prefix.parts.ga" | gnn-translate --gnn-to-overlay -o "$prefix.again.ga"
cmp "$prefix.parts.ga" "$prefix.again.ga"
