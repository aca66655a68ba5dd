"""Faults in codegen/rows, codegen/lower and codegen/cuda: identities, device programs, and their source.

Those in the source are to be seen by running it: a change of any word fails codegen.render, which keeps texts.
"""
from fault import Fault

FAULTS = [
    Fault("identity-of-the-host", "codegen/rows/identity.cpp",
          "std::memcpy(&bits, loops.identity, size_of(type));",
          "std::memcpy(&bits, loops.identity, size_of(type) / 2);",
          ("language.reductions.emulated",)),
    Fault("register-of-another-input", "codegen/lower/kernel_class.cpp",
          "if (other.loop == group_level || other.input != self.input) continue;",
          "if (other.loop == group_level) continue;",
          ("codegen.kernel_class",)),
    Fault("key-without-the-identity", "codegen/lower/key.cpp",
          "for (const char* text : {row->name, row->body, row->identity}) add(text);",
          "for (const char* text : {row->name, row->body}) add(text);",
          ("codegen.kernel_class",)),
    Fault("multiplier-one-too-small", "codegen/lower/launch_value.cpp",
          "return static_cast<std::uint64_t>((more << bits) / divisor + 1);",
          "return static_cast<std::uint64_t>((more << bits) / divisor);",
          ("codegen.render:*Multipliers*",)),
    Fault("workspace-of-one-turn", "codegen/lower/grid_barrier.cpp",
          "2 * reductions * slots * static_cast<std::size_t>(partial_bytes(k));",
          "reductions * slots * static_cast<std::size_t>(partial_bytes(k));",
          ("emulate.schedules:*grid_barriers*",)),
    Fault("barrier-without-a-fence", "codegen/cuda/library.cpp",
          'w.line("__threadfence();  // what the block has written is visible before its arrival");',
          "",
          ("interpret.agreement", "codegen.render")),
    Fault("warps-that-do-not-wait", "codegen/lower/row_fold.cpp",
          "    c.b.barrier(barrier_scope::block);\n    // a warp's own lanes",
          "    // a warp's own lanes",
          ("codegen.render_run:*RowsOf*",)),
    Fault("carry-of-another-lane", "codegen/lower/row_scan.cpp",
          "from_lane(exchange_pattern::broadcast, own_up(), lanes - 1)",
          "from_lane(exchange_pattern::broadcast, own_up(), lanes - 2)",
          ("language.scans.emulated",)),
    Fault("threads-past-the-last-column", "codegen/lower/columns.cpp",
          "c.b.select(place < all, place, all - c.s.vector)",
          "place",
          ("codegen.render_run:*ColumnsOf*",)),
]
