# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the overlay of GraphAGILE (Zhang et al., 2023; docs/Overlay.md): its
instructions, functional runs, and simulated times.

    program = overlay.compile(models.gcn((1433, 16, 7)), graph=graph)
    out = program.run(graph, {"x": x, ...})
    report = program.simulate(graph, memory="shared", network="banks")
    program.save("gcn.ga")

`gnn_mlir.compile(model, target="overlay")` runs models functionally as any other target
does; this package has what only programs of the overlay have. `LayerIR` and `ModelIR` are
the paper's own front end (listings 2 and 3). Nothing here is timed on hardware.
"""

from .layer_ir import LayerIR, ModelIR
from .partitions import Partition
from .programs import Program, assemble, compile
from .reports import Report, roofline

__all__ = ["LayerIR", "ModelIR", "Partition", "Program", "Report", "assemble", "compile",
           "roofline"]
