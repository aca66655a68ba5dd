// Statements of a device program as CUDA C++, one or a few lines each.
#pragma once

#include <codegen/cuda/expressions.hpp>
#include <codegen/cuda/writer.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::cuda {

class statements {
public:
    statements(const device::program& of, expressions& spelled, writer& to) : p(of), x(spelled), out(to) {}

    void write(const std::vector<device::statement>& all);

private:
    void write(const device::statement& s);
    void let(const device::statement& s);
    void declare(const device::statement& s);
    void view(const device::statement& s);
    void carve(const device::statement& s);
    void assign(const device::statement& s);
    void loop(const device::statement& s);
    void branch(const device::statement& s);
    void barrier(const device::statement& s);
    void ticket(const device::statement& s);
    void publish(const device::statement& s);
    void await(const device::statement& s);

    std::string type_of(const device::variable& v);
    std::string pointer_to(const device::array& a);

    const device::program& p;
    expressions& x;
    writer& out;
};

}  // namespace sinter::codegen::cuda
