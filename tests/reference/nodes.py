"""What a node of a tree shows, one node at a time from its mask: the obvious version of `segjt.trees.nodes`."""

import numpy as np

from segjt.region_graph.evidence import STRIP


def masks(tree):
    """Return the mask of every node: small segments, then what each merge makes."""
    found = [tree.initial == k + 1 for k in range(len(tree))]
    for one, other in tree.merges:
        found.append(found[one] | found[other])
    return found


def sides(mask, valid):
    """Yield the STRIP pixels inside and outside of every pixel side between the mask and other valid pixels."""
    height, width = mask.shape
    for y in range(height):
        for x in range(width):
            for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                v, u = y + dy, x + dx
                if mask[y, x] and 0 <= v < height and 0 <= u < width and not mask[v, u] and valid[v, u]:
                    inner = [inside(mask, y - k * dy, x - k * dx) for k in range(STRIP)]
                    outer = [inside(mask, v + k * dy, u + k * dx) for k in range(STRIP)]
                    yield inner, outer


def inside(mask, y, x):
    """Return the pixel of the image that is nearest to a place, which may be beyond the frame."""
    return min(max(y, 0), mask.shape[0] - 1), min(max(x, 0), mask.shape[1] - 1)


def node_facts(mask, valid, values):
    """Return size, frame, outline, fill, mean colour, spread, mean step, mean distance and evenness of a node.

    `values` are the colours (H, W, C) in Lab units.
    """
    y, x = np.nonzero(mask)
    frame = sum(int(edge.sum()) for edge in (mask[0], mask[-1], mask[:, 0], mask[:, -1]))
    moments = np.cov(np.stack([x, y]), bias=True) + np.eye(2) / 12
    colours = values[mask]
    steps = [
        np.mean([values[at] for at in inner], 0) - np.mean([values[at] for at in outer], 0)
        for inner, outer in sides(mask, valid)
    ]
    apart = np.array([np.sqrt((step**2).sum()) for step in steps])
    even = np.sqrt(apart).mean() ** 2 / apart.mean() if len(steps) and apart.mean() > 0 else 1.0
    return {
        "sizes": len(x),
        "frames": frame,
        "outlines": len(steps),
        "fills": len(x) / (4 * np.pi * np.sqrt(np.linalg.det(moments))),
        "colours": colours.mean(0),
        "spreads": np.sqrt(colours.var(0).sum()),
        "steps": np.mean(steps, 0) if steps else np.zeros(values.shape[2]),
        "unlike": apart.mean() if len(steps) else 0.0,
        "evenness": even,
    }
