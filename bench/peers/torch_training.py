"""A training step in the fastest form for PyTorch: fused Adam, all of it captured in a CUDA graph."""
import torch
import torch.nn.functional as functional


class Step:
    """step() trains on one batch from the state after the last call; again() restarts from the initial state."""

    def __init__(self, case):
        self.case, self.graph = case, None

    def __call__(self, images, w1, w2):
        if self.graph is None:
            self.begin(images, w1, w2)
        self.graph()
        return self.result

    def again(self, *operands):
        with torch.no_grad():
            for p, first in zip(self.parameters, self.first):
                p.copy_(first)
                for state in self.adam.state[p].values():
                    state.zero_()
        self(*operands)
        means = [self.adam.state[p]["exp_avg"] for p in self.parameters[:2]]
        return torch.cat([means[0].T, means[1][None]])

    def begin(self, images, w1, w2):
        classes = torch.arange(len(images), device=images.device) * 7 % self.case.extents[2]
        self.first = [w1[:-1].T.clone(), w1[-1].clone(), w2[:-1].T.clone(), w2[-1].clone()]
        self.parameters = [p.clone().requires_grad_() for p in self.first]
        on_cuda = images.is_cuda
        self.adam = torch.optim.Adam(self.parameters, lr=0.001, fused=True, capturable=on_cuda)
        self.result = self.parameters[0]

        def step():
            with torch.enable_grad():
                self.adam.zero_grad(set_to_none=True)
                w, b, v, c = self.parameters
                z = functional.linear(functional.relu(functional.linear(images, w, b)), v, c)
                functional.cross_entropy(z, classes).backward()
                self.adam.step()

        self.graph = step
        if not on_cuda:
            return
        side = torch.cuda.Stream()  # torch.cuda.CUDAGraph requires a few warm-up steps on a side stream
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            step()
        self.graph = captured.replay
