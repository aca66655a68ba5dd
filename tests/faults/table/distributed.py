"""Faults in runtime/distributed: which elements a member reads, sends and folds."""
from fault import Fault

FAULTS = [
    Fault("halo-of-a-row-less", "runtime/distributed/ranges.cpp",
          "return {std::min(first, last), std::max(first, last) + 1};",
          "return {std::min(first, last), std::max(first, last) + (range.size() > 1 ? 0 : 1)};",
          ("language.halo.host",)),
    Fault("view-of-a-window-from-its-begin", "runtime/distributed/piece_graph.cpp",
          "m.start = range.empty() && m.from >= 0 ? 0 : m.start - source.begin;",
          "m.start = 0;",
          ("language.halo.host",)),
    Fault("index-that-keeps-its-base", "runtime/distributed/piece_graph.cpp",
          "made.in[1] = index_from(made.in[1], source.begin);",
          "made.in[1] = index_from(made.in[1], 0);",
          ("language.halo.host",)),
    Fault("scan-of-a-member-too-many", "runtime/distributed/join.cpp",
          "end = what.reverse ? last : std::min(member, last);",
          "end = what.reverse ? last : std::min(member + 1, last);",
          ("language.halo.host",)),
    Fault("blocks-that-follow-the-members", "runtime/distributed/stages.cpp",
          "const int blocks = static_cast<int>(std::min(max_blocks, extent));",
          "const int blocks = static_cast<int>(std::min(max_blocks / mesh_.size() * mesh_.size(), extent));",
          ("language.reproducible.host",)),
]
