// This machine's C++ compiler, which compiles the host's fused loops.
#pragma once

#include <optional>
#include <string>

namespace sinter::codegen {

/// The compiler that SINTER_HOST_COMPILER and the machine provide. Read once per process.
struct loop_compiler {
    std::string path;      ///< empty: loops are not compiled
    std::string identity;  ///< what besides the source decides the code: the compiler's file and the flags
    bool waits = false;    ///< evaluations wait for their loops; for tests
};

/// SINTER_HOST_COMPILER: a name or a path, `off`, or `wait`; by default c++, g++ or clang++ on PATH. A file that
/// another user owns or can write is not run. None is used in a program that runs with more rights than its user.
/// Throws sinter::error if the variable names a compiler that cannot be used.
const loop_compiler& host_loop_compiler();

/// A source being compiled to a shared object: a child process, with a folder of its own for its files.
class compilation {
public:
    explicit compilation(const std::string& source);  ///< starts it
    ~compilation();                                   ///< ends it
    compilation(const compilation&) = delete;
    compilation& operator=(const compilation&) = delete;

    /// Whether it has finished; `wait`: waits until it has.
    bool is_over(bool wait);
    /// The bytes of the shared object; empty if the compiler failed.
    std::string image() const;
    /// Why it failed: one line.
    std::string failure() const;

private:
    std::string file(const char* name) const { return folder_ + '/' + name; }
    void start();

    std::string folder_, why_;
    int child_ = -1;
    int owner_ = -1;  ///< the process that started it; a forked child leaves it alone
    bool succeeded_ = false;
    double deadline_ = 0;
};

/// The functions of a shared object, which is never unloaded.
class loaded_loops {
public:
    /// Throws sinter::error if it cannot be loaded.
    explicit loaded_loops(const std::string& image);
    void* find(const std::string& function) const;

private:
    void* handle_ = nullptr;
};

}  // namespace sinter::codegen
