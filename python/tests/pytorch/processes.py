# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests in several processes of torch.distributed that are ended where they do not end."""

import datetime
import multiprocessing
import os
import pickle
import time
import unittest.mock

import torch
import torch.multiprocessing

WORLD = 2
PRELOADED = ["torch", "torch.distributed", "torch._dynamo", "torch_geometric.nn"]


def _process(rank, folder, seconds, work, arguments):
    dist = torch.distributed
    dist.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=WORLD,
                            timeout=datetime.timedelta(seconds=seconds))
    (folder / f"{rank}").write_bytes(pickle.dumps(work(rank, *arguments)))
    dist.barrier()
    dist.destroy_process_group()


def in_processes(work, folder, *arguments, seconds=240):
    """The result of `work(rank, *arguments)` in each of two processes of one group, which meet
    in the empty `folder`. After `seconds` they are killed, and the test fails. They are forked
    from one that has imported what takes long, as this one's threads do not survive a fork, nor
    does CUDA: they have no GPU. The first call here starts it."""
    multiprocessing.set_forkserver_preload(PRELOADED)
    with unittest.mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=""):
        ranks = torch.multiprocessing.start_processes(
            _process, (folder, seconds, work, arguments), nprocs=WORLD, join=False, daemon=True,
            start_method="forkserver")
    last = time.monotonic() + seconds
    try:
        while not ranks.join(timeout=max(0, last - time.monotonic())):
            assert time.monotonic() < last, f"expected processes that end in {seconds} s"
    finally:
        for process in ranks.processes:
            process.kill()
    return [pickle.loads((folder / f"{rank}").read_bytes()) for rank in range(WORLD)]
