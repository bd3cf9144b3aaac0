# Cuts programs of layers: super-partition.sh FILE.mlir GRAPH.npz BYTES
gnn-opt "$1" --gnn-overlay-partition="graph=$2 n1=16 super-bytes=$3" --gnn-overlay-map-kernels \
    --gnn-overlay-annotate-mutexes --gnn-overlay-super-partition="super-bytes=$3" \
    --remarks-filter=gnn-overlay-super-partition 2>&1
