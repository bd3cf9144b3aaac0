# Cuts programs of layers: super-partition.sh FILE.mlir GRAPH.npz BYTES, which 0 leaves to the memory
shards=true
[ "$3" = 0 ] && shards=false
gnn-opt "$1" --mlir-print-local-scope --gnn-overlay-partition="graph=$2 n1=16 shard-edges=$shards" --gnn-overlay-map-kernels \
    --gnn-overlay-annotate-mutexes --gnn-overlay-super-partition="super-bytes=$3" \
    --remarks-filter=gnn-overlay-super-partition 2>&1
