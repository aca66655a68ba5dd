// The process's compiled loops: each source is compiled or read from disk once.
#pragma once

#include <runtime/host/loop_compiler.hpp>

#include <string>

namespace sinter::codegen {

enum class loops_state {
    unknown,    ///< not compiled yet
    compiling,  ///< ask again later
    ready,
    failed
};

struct loops_answer {
    loops_state state = loops_state::unknown;
    const loaded_loops* loops = nullptr;  ///< if ready: valid until the process ends
};

/// What may be done to get the loops.
enum class loops_effort { look_up, compile, wait };

/// The loops of a source: from memory, from disk, or, if allowed, from the compiler, which runs in the background, one
/// compilation at a time. The first failure is reported by a warning.
loops_answer find_loops(const std::string& source, loops_effort effort);

}  // namespace sinter::codegen
