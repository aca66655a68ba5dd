"""Faults in codegen/rows and codegen/render: identities, and what a kernel's source says.

Those in the source are to be seen by running it: a change of any word fails codegen.render, which keeps texts.
"""
from fault import Fault

FAULTS = [
    Fault("identity-of-the-host", "codegen/rows/identity.cpp",
          "std::memcpy(&bits, loops.identity, size_of(type));",
          "std::memcpy(&bits, loops.identity, size_of(type) / 2);",
          ("language.reductions.emulated",)),
    Fault("register-of-another-input", "codegen/render/kernel_class.cpp",
          "if (other.loop == group_level || other.input != self.input) continue;",
          "if (other.loop == group_level) continue;",
          ("codegen.kernel_class",)),
    Fault("key-without-the-identity", "codegen/render/key.cpp",
          "for (const char* text : {row->name, row->body, row->identity}) add(text);",
          "for (const char* text : {row->name, row->body}) add(text);",
          ("codegen.kernel_class",)),
    Fault("multiplier-one-too-small", "codegen/render/launch_value.cpp",
          "return static_cast<std::uint64_t>((more << bits) / divisor + 1);",
          "return static_cast<std::uint64_t>((more << bits) / divisor);",
          ("codegen.render:*Multipliers*",)),
    Fault("workspace-of-one-turn", "codegen/render/grid_barrier.cpp",
          "2 * reductions * slots * static_cast<std::size_t>(partial_bytes(k));",
          "reductions * slots * static_cast<std::size_t>(partial_bytes(k));",
          ("emulate.schedules:*grid_barriers*",)),
    Fault("barrier-without-a-fence", "codegen/render/grid_barrier.cpp",
          'w.line("__threadfence();  // what the block has written is visible before its arrival");',
          "",
          ("emulate.schedules:*grid_barriers*",)),
    Fault("warps-that-do-not-wait", "codegen/render/rows.cpp",
          'c.out.line("__syncthreads();");\n        // a warp\'s own lanes',
          "// a warp's own lanes",
          ("codegen.render_run:*RowsOf*",)),
    Fault("carry-of-another-lane", "codegen/render/running.cpp",
          'fold(carry, fmt::format("__shfl_sync(0xffffffffu, {}, {}{})", up, lanes - 1, width))',
          'fold(carry, fmt::format("__shfl_sync(0xffffffffu, {}, {}{})", up, lanes - 2, width))',
          ("language.scans.emulated",)),
    Fault("threads-past-the-last-column", "codegen/render/columns.cpp",
          'c.out.line("const {0} column = place < {1} ? place : {1} - {2};", index, c.groups(), c.s.vector);',
          'c.out.line("const {} column = place;", index);',
          ("codegen.render_run:*ColumnsOf*",)),
]
