"""The optimisers."""

import torch


class LARS(torch.optim.Optimizer):
    """Published with SimCLR: tensors of fewer than two axes neither decay nor are scaled."""

    def __init__(self, parameters, lr, trust, momentum, decay):
        super().__init__(parameters, dict(lr=lr, trust=trust, momentum=momentum, decay=decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                d = p.grad
                if p.ndim > 1:
                    d = d.add(p, alpha=group["decay"])
                    weight, update = p.norm(), d.norm()
                    d = d * torch.where((weight > 0) & (update > 0), group["trust"] * weight / update, torch.ones_like(weight))
                state = self.state[p]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(p)
                state["momentum"].mul_(group["momentum"]).add_(d)
                p.add_(state["momentum"], alpha=-group["lr"])


def optimiser(told, model, rate):
    a, lars = told["adamw"], told["lars"]
    if lars["Trust"] > 0:
        return LARS(model.parameters(), rate, lars["Trust"], lars["Momentum"], lars["WeightDecay"])
    groups = {True: [], False: []}
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        decays = p.ndim > 1 or name.endswith("class_embedding") or p.ndim == 0 and not a.get("SpareScalars", False)
        groups[decays].append(p)
    return torch.optim.AdamW(
        [{"params": groups[True], "weight_decay": a["WeightDecay"]}, {"params": groups[False], "weight_decay": 0.0}],
        lr=rate, betas=(a["Beta1"], a["Beta2"]), eps=a["Epsilon"], **({"fused": True} if told["device"] == "cuda" else {}),
    )
