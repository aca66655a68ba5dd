// Statements of a device program as CUDA C++, one or a few lines each.
#pragma once

#include <codegen/cuda/expressions.hpp>
#include <codegen/cuda/writer.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::cuda_source {

class statements {
public:
    statements(const device_ir::program& of, expressions& spelled, writer& to) : p(of), x(spelled), out(to) {}

    void write(const std::vector<device_ir::statement>& all);

private:
    void write(const device_ir::statement& s);
    void let(const device_ir::statement& s);
    void declare(const device_ir::statement& s);
    void view(const device_ir::statement& s);
    void carve(const device_ir::statement& s);
    void assign(const device_ir::statement& s);
    void loop(const device_ir::statement& s);
    void branch(const device_ir::statement& s);
    void barrier(const device_ir::statement& s);
    void ticket(const device_ir::statement& s);
    void publish(const device_ir::statement& s);
    void await(const device_ir::statement& s);
    void multiply_accumulate(const device_ir::statement& s);
    void load_matrix(const device_ir::statement& s);
    void widen(const device_ir::statement& s);
    void async_copy(const device_ir::statement& s);
    void set_registers(const device_ir::statement& s);
    void init_barriers(const device_ir::statement& s);
    void arrive(const device_ir::statement& s);
    void tensor_map(const device_ir::statement& s);
    void copy_box(const device_ir::statement& s);
    void begin_products(const device_ir::statement& s);
    void multiply_warpgroup(const device_ir::statement& s);
    void wait_products(const device_ir::statement& s);
    std::string first_of(device_ir::id element);
    std::string descriptor(device_ir::id first, bool transposed);
    std::string line_address(device_ir::id first);

    std::string type_of(const device_ir::variable& v);
    std::string pointer_to(const device_ir::array& a);

    const device_ir::program& p;
    expressions& x;
    writer& out;
};

}  // namespace sinter::codegen::cuda_source
