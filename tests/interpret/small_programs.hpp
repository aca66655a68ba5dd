// Programs written by hand, and their launches.
#pragma once

#include <codegen/device/builder.hpp>
#include <codegen/device/program.hpp>
#include <tests/interpret/interpreter.hpp>
#include <tests/interpret/plain_memory.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinter::interpret {

namespace device_ir = codegen::device_ir;
using device_ir::scalar;
using kind = codegen::parameter::kind;

/// A program under construction, whose parameters are arrays.
struct small_program {
    codegen::device_ir::builder b;

    codegen::device_ir::id parameter(const std::string& name, dtype type, kind what) {
        codegen::device_ir::array a;
        a.name = name;
        a.where = codegen::device_ir::space::global;
        a.type = type;
        a.read_only = what == kind::input;
        const codegen::device_ir::id of = b.add(a);
        b.made.parameters.push_back({{what, 0, 0}, of});
        return of;
    }
    codegen::device_ir::id shared(const std::string& name, dtype type, std::vector<int> extents) {
        codegen::device_ir::array a;
        a.name = name;
        a.where = codegen::device_ir::space::shared;
        a.type = type;
        a.extents = std::move(extents);
        return b.declare(a);
    }
    scalar at(codegen::device_ir::id array, const scalar& index) {
        return b.memory(array, {{-1, index.at, codegen::device_ir::none}});
    }
};

/// Returns an error, or an empty string.
inline std::string run(plain_memory& memory, codegen::device_ir::program program, std::int64_t grid, int block,
                       std::vector<void*> pointers, unsigned seed = 0, std::int64_t max_resident = 8) {
    program.block_threads = block;
    const auto shared = std::make_shared<const codegen::device_ir::program>(std::move(program));
    const auto k = kernel::of(shared, "by hand");
    std::vector<void*> arguments;
    for (void*& p : pointers) arguments.push_back(&p);
    return runner(memory).run(*k, {grid, block, max_resident, arguments.data(), seed});
}

}  // namespace sinter::interpret
