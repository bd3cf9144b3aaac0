# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures that the cost model weighs with, measured on this machine: its entry for
include/GNN/Analysis/Targets.def, and that of this compiler's kernels for Kernels.def.

    python benchmarks/ceilings.py [--target=cuda|cpu] [--hubs mutag.npz debian.npz]
        [--no-kernels] [--verbose] [--output FILE]

Needs torch, on a GPU one with CUDA, whose NVRTC compiles the kernels that measure
(ceilings_gpu.py). Each figure is the median of some runs, and its spread the middle 80%
of them beside it. Behind the entries are tables of what was measured: rows gathered in
random order from tables of 1 MiB to 4 GiB, and kernels of this compiler on made graphs
(ceilings_walks.py), each beside what docs/Cost.md's formulas give with the figures of
the entry. A figure of a machine that the files know stands beside what they say; * is one
that differs by more than 5%. Figures of kernels are fitted to all cases of their table, that
of an edge of a long row to those of the graphs that --hubs names (as cases.py names
them), else to made ones. A launch is what a short kernel of this compiler takes; with
--no-kernels, which leaves these kernels out, one that adds 1 to numbers. --output writes
FILE.json and FILE.md.
"""

import argparse
import datetime
import math
import pathlib
import re
import statistics

from tables import markdown, number, write

DEFINITIONS = pathlib.Path(__file__).parents[1] / "include/GNN/Analysis"
MIB = 2**20
TABLES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096)
NARROW, WIDE = (16, 32, 64, 128), (128, 256, 512, 1024, 2048)
SECTOR = 32
FIGURES = ("memoryBandwidth", "l2Bytes", "l2Gather", "memoryGather", "l2RowBytes",
           "memoryRowBytes", "fp32Flops", "processors", "launchSeconds")
KERNELS = ("productFlops", "rowSeconds", "warpSeconds", "edgeSeconds", "walkGather",
           "roundSeconds", "waitSeconds", "memoryWaitSeconds")
# Comments of Targets.def and Kernels.def.
NOTES = {
    "memoryBandwidth": "copy, read + written",
    "l2Bytes": "what the driver reports",
    "l2Gather": "rows of 128 B to 2 KB, a table of half of it",
    "memoryGather": "the same from {large}",
    "l2RowBytes": "{near_rows} rows a ns below",
    "memoryRowBytes": "{far_rows} rows a ns below",
    "fp32Flops": "fused multiply-adds",
    "processors": "what the driver reports",
    "launchSeconds": "short kernels in a CUDA graph",
    "productFlops": "64 to 64 up to 512 to 512",
    "rowSeconds": "fitted: sums of 64 features, 1 to 50 edges",
    "warpSeconds": "fitted: the same and sums of one, 1 to 32 lanes, 1 to 4 in flight",
    "edgeSeconds": "{longest}",
    "walkGather": "fitted: sums of 64 features, tables in and out of the L2",
    "roundSeconds": "as warpSeconds",
    "waitSeconds": "one long row of 64 features, from a table in the L2",
    "memoryWaitSeconds": "the same from three times the L2, cold",
}
NOTES_OF_CPU = {
    "l2Bytes": "the last cache",
    "fp32Flops": "a product of 4096 by torch",
    "processors": "threads",
    "launchSeconds": "short kernels of this compiler",
    "waitSeconds": "an edge of a long row of 64 features, in that cache",
    "warpSeconds": "fitted: as rowSeconds, a row being one of 32 lanes",
}


def summarize(times):
    """Their median, and the middle 80% of them beside it."""
    times = sorted(times)
    middle = statistics.median(times)
    last = len(times) - 1
    return middle, (times[round(0.9 * last)] - times[round(0.1 * last)]) / middle


# The model, as lib/Analysis/CostModel.cpp and Walks.cpp have it.

def gather_seconds(figures, rows, row_bytes, table_rows, again=False):
    """`CostModel::gatherSeconds`; with `again` the first reads have been before."""
    memory = max(row_bytes, figures["memoryRowBytes"]) / figures["memoryGather"]
    l2 = max(row_bytes, figures["l2RowBytes"]) / figures["l2Gather"]
    hit = min(1.0, figures["l2Bytes"] / max(table_rows * row_bytes, 1))
    firsts = 0 if again else min(rows, table_rows)
    return firsts * memory + (rows - firsts) * (hit * l2 + (1 - hit) * memory)


def product_seconds(figures, case):
    """A product of rows with a weight, by tiles of 32 columns and 48 inputs at least."""
    rows, inputs, outputs = case["nodes"], case["inputs"], case["outputs"]
    flops = 2 * rows * max(inputs, 48) * 32 * math.ceil(outputs / 32)
    moved = 4 * (rows * (inputs + outputs) + inputs * outputs)
    return figures["launchSeconds"] + max(flops / figures["productFlops"],
                                          moved / figures["memoryBandwidth"])


def _of_sum(figures, case):
    """Gathers of a sum over neighbours, and what else it takes whatever its schedule:
    sums, ids of edges and of rows in order. Its rows have been read before."""
    row_bytes = 4 * case["features"]
    gathers = gather_seconds(figures, case["edges"], row_bytes, case["nodes"], again=True)
    stream = (row_bytes + 4) * case["nodes"] + 4 * case["edges"]
    return gathers, figures["launchSeconds"] + stream / figures["memoryBandwidth"]


def sum_seconds(figures, case):
    """A sum whose schedule is not known: by rows."""
    gathers, others = _of_sum(figures, case)
    gathered = max(4 * case["features"], figures["l2RowBytes"]) * case["edges"]
    return (others + max(gathers, gathered / figures["walkGather"]) +
            case["nodes"] * figures["rowSeconds"])


def walk_seconds(figures, case):
    """One whose schedule is known: by warps and rounds."""
    gathers, others = _of_sum(figures, case)
    warps = case["lanes"] * case["element_lanes"] / 32
    rounds = case["nodes"] + case["edges"] / (case["element_lanes"] * case["in_flight"])
    return others + gathers + warps * (case["nodes"] * figures["warpSeconds"] +
                                       rounds * figures["roundSeconds"])


# Fits.

def error_of(predict, figures, cases):
    """The root of the mean square of the logarithms of predicted by measured."""
    return math.sqrt(statistics.fmean(
        math.log(predict(figures, case) / case["seconds"]) ** 2 for case in cases))


def fit(predict, figures, names, cases):
    """The figures `names`, from those that are given, for which `predict` is the least
    wrong: one after another larger or smaller, by smaller and smaller factors. One that
    does not matter ends at a 10,000th of what it was, or that many times as much."""
    best, factor = dict(figures), 4.0
    bound = {name: (figures[name] / 1e4, figures[name] * 1e4) for name in names}
    least = error_of(predict, best, cases)
    while factor > 1.001:
        before = least
        for name in names:
            for by in (factor, 1 / factor):
                least_value, most = bound[name]
                trial = {**best, name: min(max(best[name] * by, least_value), most)}
                if (error := error_of(predict, trial, cases)) < least:
                    best, least = trial, error
        if least == before:
            factor = math.sqrt(factor)
    for name in names:  # A figure smaller than can be seen is nothing.
        if name.endswith("Seconds") and best[name] == bound[name][0]:
            best[name] = 0.0
    return {name: best[name] for name in names}


def least_row_bytes(rates, gather):
    """The least that a row counts as, in whole sectors, by bytes a second of narrow rows {bytes:
    rate} and of wide ones."""
    def error(least):
        return sum(math.log(max(size, least) / gather / (size / rate)) ** 2
                   for size, rate in rates.items())
    return min(range(SECTOR, 16 * SECTOR, SECTOR), key=error)


def slope(cases, length="edges"):
    """Seconds of one more of `length`, by the first and the last case."""
    first, last = cases[0], cases[-1]
    return (last["seconds"] - first["seconds"]) / (last[length] - first[length])


def edge_seconds(figures, cases):
    """Seconds of an edge of the longest row, and the cases that say it: graphs where it
    takes most of the time, or where there are none, rows alone."""
    alone = [case for case in cases if case["graph"] == "alone"]
    long = [case for case in cases if case not in alone and
            case["seconds"] > 1.5 * sum_seconds(figures, case)] or alone
    return statistics.geometric_mean(case["seconds"] / case["longest"] for case in long), long


# Measurements.

class Found:
    """Figures with their spread, and tables of what they were made of."""

    def __init__(self):
        self.figures, self.spreads, self.tables, self.words = {}, {}, {}, {}

    def set(self, name, value, spread=None):
        self.figures[name], self.spreads[name] = value, spread


def measure_machine(machine, found, say):
    """The figures of Targets.def but the launch, and the table of gathers."""
    def rate(result):
        work, times = result
        middle, spread = summarize(times)
        return work / middle, spread

    machine.warm()
    machine.check()
    found.set("memoryBandwidth", *rate(machine.copy()))
    found.set("l2Bytes", machine.l2_bytes)
    sizes = []
    for mib in TABLES:
        if mib * MIB <= machine.largest_table:
            work, times = machine.gather(mib * MIB, 256)
            middle, spread = summarize(times)
            sizes.append({"mib": mib, "rate": work / middle, "spread": spread,
                          "work": work})
            say(f"{mib} MiB: {work / middle / 1e12:.3f} TB/s")
    widths, half = [], machine.l2_bytes // 2 // max(WIDE) * max(WIDE)
    for place, name, size in (("near", "l2", half), ("far", "memory", machine.largest_table)):
        rates = {}
        for width in sorted({*NARROW, *WIDE}):
            rates[width], spread = rate(machine.gather(size, width))
            widths.append({"table": size, "width": width, "rate": rates[width],
                           "spread": spread})
            say(f"{width} B of {size / MIB:.0f} MiB: {rates[width] / 1e12:.3f} TB/s")
        wide = [rates[width] for width in WIDE]
        found.set(f"{name}Gather", statistics.median(wide),
                  (max(wide) - min(wide)) / statistics.median(wide))
        narrow = {width: rates[width] for width in NARROW}
        found.set(f"{name}RowBytes", least_row_bytes(narrow, found.figures[f"{name}Gather"]))
        below = [f"{rates[width] / width / 1e9:.3g}" for width in NARROW[:-1]]
        found.words[f"{place}_rows"] = " to ".join(
            dict.fromkeys((min(below, key=float), max(below, key=float))))
    found.words["large"] = f"{machine.largest_table / MIB:.0f} MiB"
    for row in sizes:
        row["model"] = row["work"] / gather_seconds(
            found.figures, row["work"] / 256, 256, row["mib"] * MIB / 256)
    found.tables.update(sizes=sizes, widths=widths)
    found.set("fp32Flops", *rate(machine.flops()))
    found.words["product"], _ = rate(machine.product_flops())
    found.set("processors", machine.processors)


def measure_launches(machine, found):
    """The figures of a GPU, from kernels of its own."""
    launches = {name: summarize(times) for name, times in machine.launches().items()}
    found.tables["launches"] = [{"how": name, "seconds": middle, "spread": spread}
                                for name, (middle, spread) in launches.items()]
    found.set("launchSeconds", *launches["all of it, graph"])


def figures_of_kernels(figures, cases):
    """The launch and the figures of Kernels.def by the cases of ceilings_walks.Bench, and
    how far the model is off with them, by table."""
    found = {**figures, "launchSeconds": slope(cases["chains"], "kernels")}

    def fitted(predict, measured, **start):
        found.update(fit(predict, {**found, **start}, list(start), measured))

    # Narrow products wait for memory.
    fitted(product_seconds, [case for case in cases["products"] if case["inputs"] >= 64],
           productFlops=figures["fp32Flops"] / 2)
    fitted(sum_seconds, cases["sums"], walkGather=figures["l2Gather"] / 2, rowSeconds=1e-9)
    found["walkGather"] = min(found["walkGather"], figures["l2Gather"])
    walks = [*cases["sums"], *cases["schedules"]]
    fitted(walk_seconds, walks, warpSeconds=1e-9, roundSeconds=1e-10)
    found["edgeSeconds"], _ = edge_seconds(found, cases["long rows"])
    for name, place in (("waitSeconds", "near"), ("memoryWaitSeconds", "far")):
        once = cases[place][0]
        found[name] = slope(cases[place]) * once["element_lanes"] * once["in_flight"]
    errors = {name: error_of(predict, found, measured) for name, predict, measured in (
        ("products", product_seconds, cases["products"]),
        ("sums", sum_seconds, cases["sums"]), ("schedules", walk_seconds, walks))}
    return {name: found[name] for name in ("launchSeconds", *KERNELS)}, errors


def measure_kernels(machine, found, hubs, say):
    from ceilings_walks import Bench  # needs the compiler
    add_kernels(found, Bench(machine, hubs, say=say).all())


def add_kernels(found, cases):
    kernels, errors = figures_of_kernels(found.figures, cases)
    for name, value in kernels.items():
        if value >= 0:  # Else what it is the slope of is noise.
            found.set(name, value)
    _, long = edge_seconds(found.figures, cases["long rows"])
    found.words["longest"] = "rows of " + " and ".join(
        f"{case['longest']:,}" for case in long) + " edges"
    found.tables.update(cases, errors=errors)


# Figures in the files, and the printed ones.

def standing(name, folder=DEFINITIONS):
    """The figures of the GPU `name` in Targets.def and Kernels.def."""
    found, current = {}, None
    for file in ("Targets.def", "Kernels.def"):
        for line in (folder / file).read_text().splitlines():
            if match := re.match(r"GNN_(?:TARGET|KERNELS)\((\w+)", line):
                current = match[1]
            match = re.match(r"GNN_FIGURE\((\w+), ([^,]+), (\w+)\)", line)
            if match and current == name:
                found[match[1]] = float(match[2]), match[3]
    return found


def name_of(title):
    """"h100" of "NVIDIA H100 80GB HBM3", "rtx3090" of "NVIDIA GeForce RTX 3090"."""
    name = ""
    for word in re.findall(r"\w+", title):
        if word.lower() in ("nvidia", "geforce", "tesla"):
            continue
        name += word.lower()
        if re.search(r"\d", word):
            break
    return name


def value_of(value):
    """At three digits, as the files have it."""
    return re.sub(r"e([+-])0*(\d+)", lambda m: "e" + m[1].replace("+", "") + m[2],
                  f"{value:.3g}")


def entry(found, title, chip, name):
    """The lines of both files."""
    notes = {**NOTES, **(NOTES_OF_CPU if chip == "cpu" else {})}

    def lines(names):
        for figure in names:
            if figure in found.figures:
                note = notes[figure].format(**found.words)
                yield (f"GNN_FIGURE({figure}, {value_of(found.figures[figure])}, Measured)"
                       f" // {note}\n")

    text = f'GNN_TARGET({name}, "{title}", "{title}", "{chip}")\n' + "".join(lines(FIGURES))
    text += "GNN_TARGET_END\n"
    if kernels := "".join(lines(KERNELS)):
        text += f"\nGNN_KERNELS({name})\n{kernels}GNN_KERNELS_END\n"
    return text


def percent(share):
    return "-" if share is None else f"{100 * share:.1f}%"


def signed(share):
    return f"{100 * share:+.0f}%"


def tera(rate):
    return f"{rate / 1e12:.3g}" if rate >= 1e11 else f"{rate / 1e12:.4f}"


def comparison(found, name):
    """The measured figures beside those in the files."""
    known, rows = standing(name), []
    for figure in (*FIGURES, *KERNELS):
        if figure not in found.figures:
            continue
        value = found.figures[figure]
        old, source = known.get(figure, (None, ""))
        change = value / old - 1 if old else None
        rows.append([figure, value_of(value), percent(found.spreads[figure]),
                     f"{value_of(old)}, {source}" if old else "-",
                     "-" if change is None else
                     signed(change) + (" *" if abs(change) > 0.05 else "")])
    return markdown(["figure", "measured", "spread", "stands", "difference"], rows)


def _us(seconds):
    return f"{1e6 * seconds:.1f}"


def _cases(title, cases, columns, predict, figures):
    """A table of kernels, each with its time by the model."""
    rows = []
    for case in cases:
        model = predict(figures, case)
        rows.append([*(str(case.get(column, "-")) for column in columns),
                     _us(case["seconds"]), percent(case["spread"]), _us(model),
                     signed(model / case["seconds"] - 1)])
    return f"\n{title}\n\n" + markdown([*columns, "us", "spread", "model", "error"], rows)


def kernel_tables(found):
    """The data that figures of kernels were fitted to."""
    tables, figures = found.tables, found.figures
    text = "\n## Kernels of this compiler\n\nErrors of the model, root mean square: " + \
        ", ".join(f"{name} {percent(error)}" for name, error in tables["errors"].items())
    text += ".\n"
    text += _cases("Products:", tables["products"], ("nodes", "inputs", "outputs"),
                   product_seconds, figures)
    walks = ("nodes", "edges", "features", "lanes", "element_lanes", "in_flight")
    text += _cases("Sums over neighbours, by rows:", tables["sums"], walks, sum_seconds,
                   figures)
    text += _cases("The same by warps and rounds, and with other schedules:",
                   [*tables["sums"], *tables["schedules"]], walks, walk_seconds, figures)
    text += "\nThe longest row of a graph, or one alone, not in pieces:\n\n" + markdown(
        ["graph", "nodes", "edges", "longest", "us", "spread", "ns an edge of it"],
        [[case["graph"], str(case["nodes"]), str(case["edges"]), str(case["longest"]),
          _us(case["seconds"]), percent(case["spread"]),
          f"{1e9 * case['seconds'] / case['longest']:.1f}"]
         for case in tables["long rows"]])
    text += "\nOne row, walked by one team:\n\n" + markdown(
        ["nodes", "edges", "us", "spread"],
        [[str(case["nodes"]), str(case["edges"]), _us(case["seconds"]),
          percent(case["spread"])] for case in [*tables["near"], *tables["far"]]])
    text += "\nShort sums, each of which waits for the last:\n\n" + markdown(
        ["kernels", "us", "spread"],
        [[str(case["kernels"]), _us(case["seconds"]), percent(case["spread"])]
         for case in tables["chains"]])
    return text


def report(result):
    """All as Markdown."""
    found = Found()
    found.__dict__.update(result["found"])
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    tables = found.tables
    text = (f"# Figures of {result['title']}\n\n{result['date']}, {about}.\n\n```cpp\n"
            + entry(found, result["title"], result["chip"], result["name"]) + "```\n\n"
            + comparison(found, result["name"])
            + f"\nA large product by torch: {tera(found.words['product'])} Tflop/s.\n")
    if "launches" in tables:
        text += "\nFrom kernel to kernel, each of which reads what the last one wrote:\n\n"
        text += markdown(["kernels", "us", "spread"],
                         [[row["how"], number(1e6 * row["seconds"], 2),
                           percent(row["spread"])] for row in tables["launches"]])
    text += "\n## Gathers\n\nRows of 256 bytes in random order, TB/s:\n\n" + markdown(
        ["table, MiB", "measured", "spread", "model", "error"],
        [[str(row["mib"]), tera(row["rate"]), percent(row["spread"]), tera(row["model"]),
          signed(row["model"] / row["rate"] - 1)] for row in tables["sizes"]])
    text += "\nRows of other widths:\n\n" + markdown(
        ["table, MiB", "bytes a row", "TB/s", "rows a ns", "spread"],
        [[number(row["table"] / MIB, 0), str(row["width"]), tera(row["rate"]),
          f"{row['rate'] / row['width'] / 1e9:.3g}", percent(row["spread"])]
         for row in tables["widths"]])
    return text + (kernel_tables(found) if "errors" in tables else "")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--no-kernels", action="store_true")
    parser.add_argument("--hubs", nargs="+", default=[], metavar="GRAPH")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    say = (lambda text: print(text, flush=True)) if options.verbose else lambda text: None
    if options.target == "cuda":
        from ceilings_gpu import GPU
        machine = GPU()
        name = name_of(machine.title)
    else:
        from ceilings_cpu import CPU
        machine, name = CPU(), "cpu"
    found = Found()
    result = {"date": datetime.date.today().isoformat(), "about": machine.about(),
              "title": machine.title, "chip": machine.chip, "name": name,
              "found": found.__dict__}
    measure_machine(machine, found, say)
    if options.target == "cuda":
        measure_launches(machine, found)
    write(options.output, result, report)
    if not options.no_kernels:
        from cases import load
        measure_kernels(machine, found, [load(path) for path in options.hubs], say)
        write(options.output, result, report)
    print(report(result))


if __name__ == "__main__":
    main()
