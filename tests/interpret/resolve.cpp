// Resolves a program for execution: memory for its variables and arrays, and its statements.
#include <tests/interpret/resolver.hpp>

#include <codegen/cuda/statements.hpp>

#include <utility>

namespace sinter::interpret {

using namespace device_ir;

void resolver::resolve() {
    place_variables();
    place_arrays();
    for (const function& f : p.functions) {
        function_code made;
        made.parameters = f.parameters;
        made.body = steps(f.body);
        if (f.has_value) made.value = converted(expression(f.value), f.type);
        c.functions.push_back(std::move(made));
    }
    c.body = steps(p.body);
    for (node& n : c.nodes) {
        n.scratch = c.scratch_bytes;
        c.scratch_bytes += (n.size * warp_lanes * static_cast<std::size_t>(n.count) + 63) / 64 * 64;
    }
}

// ---- memory ----

place resolver::take(std::size_t size, int elements) {
    const place at{c.warp_bytes, c.warp_flags};
    c.warp_bytes += size * warp_lanes * static_cast<std::size_t>(elements);
    c.warp_flags += static_cast<std::size_t>(elements);
    return at;
}

void resolver::place_variables() {
    const auto size_of_variable = [&](int v) { return size_of(p.variable_at(v).type); };
    c.variables.resize(p.variables.size() + 3);
    c.variable_bytes.assign(p.variables.size() + 3, 4);
    std::vector<char> placed(c.variables.size(), 0);
    for (const kernel_parameter& one : p.parameters) {
        parameter_code made;
        using kind = codegen::parameter::kind;
        const kind what = one.what.what;
        made.is_output = what == kind::output;
        made.is_pointer = made.is_output || what == kind::input || what == kind::workspace;
        made.of = one.of;
        made.bytes = made.is_pointer ? sizeof(void*) : size_of_variable(one.of);
        if (!made.is_pointer) {
            c.variables[static_cast<std::size_t>(one.of)] = take(made.bytes, 1);
            placed[static_cast<std::size_t>(one.of)] = 1;
        }
        c.parameters.push_back(made);
    }
    c.grid = static_cast<int>(p.variables.size());
    c.block = c.grid + 1;
    c.thread = c.grid + 2;
    for (int v : {c.grid, c.block, c.thread}) c.variables[static_cast<std::size_t>(v)] = take(4, 1);
    c.uniform_bytes = c.warp_bytes;
    c.uniform_flags = c.warp_flags;
    for (std::size_t v = 0; v < p.variables.size(); ++v) {
        c.variable_bytes[v] = size_of(p.variables[v].type);
        if (placed[v] == 0) c.variables[v] = take(c.variable_bytes[v], 1);
    }
}

void resolver::place_arrays() {
    for (const array& a : p.arrays) {
        array_code made;
        made.name = a.name;
        made.where = a.where;
        made.type = a.type;
        made.size = size_of(a.type);
        made.extents = a.extents;
        made.packed = a.packed;
        made.elements = a.packed;
        made.read_only = a.read_only;
        made.swizzled = a.swizzled;
        for (int extent : a.extents) made.elements *= extent;
        if (a.where == space::registers) made.registers = take(made.size, made.elements);
        if (a.where == space::shared) {
            c.shared_bytes = (c.shared_bytes + 63) / 64 * 64;
            made.shared_bytes = c.shared_bytes;
            made.shared_units = c.shared_units;
            c.shared_bytes += made.size * static_cast<std::size_t>(made.elements);
            c.shared_units += static_cast<std::size_t>(made.elements);
        }
        c.arrays.push_back(std::move(made));
    }
}

// ---- statements ----

std::vector<step> resolver::steps(const std::vector<statement>& all) {
    std::vector<step> made;
    for (const statement& s : all)
        if (s.kind != statement_kind::comment && s.kind != statement_kind::blank && s.kind != statement_kind::opaque)
            made.push_back(one(s));
    return made;
}

step resolver::one(const statement& s) {
    step made;
    made.kind = s.kind;
    made.from = &s;
    made.of = s.of;
    made.cleared = s.cleared;
    made.count = s.count;
    made.scope = s.scope;
    if (s.kind == statement_kind::carve)
        made.target = s.target;  // an array
    else
        made.target = s.kind == statement_kind::tensor_map ? -1 : expression(s.target);
    made.value = s.kind == statement_kind::copy_box ? -1 : expression(s.value);
    made.limit = expression(s.limit);
    made.advance = expression(s.step);
    convert(s, made);
    made.body = steps(s.body);
    made.otherwise = steps(s.otherwise);
    c.waits_blocks =
        c.waits_blocks || s.kind == statement_kind::await ||
        (s.kind == statement_kind::barrier && s.scope != barrier_scope::block && s.scope != barrier_scope::threads);
    c.waits = c.waits || c.waits_blocks || s.kind == statement_kind::barrier || s.kind == statement_kind::wait_phase;
    return made;
}

/// The terms of a map's elements are numbers of their own, not an address.
void resolver::resolve_boxes(const statement& s, step& made) {
    const bool makes_map = s.kind == statement_kind::tensor_map;
    const codegen::device_ir::expression &map = p.at(makes_map ? s.target : s.value), &from = p.at(s.value);
    made.of = map.of;
    for (const term& t : map.terms) made.places.push_back(expression(t.index));
    for (std::size_t i = 1; makes_map && i < from.terms.size(); ++i)
        made.strides.push_back(expression(from.terms[i].stride));
}

/// To the types that the statement's parts have in C++.
void resolver::convert(const statement& s, step& made) {
    const auto type_of = [&](id v) { return p.variable_at(v).type; };
    switch (s.kind) {
        case statement_kind::let: made.value = converted(made.value, type_of(s.of)); break;
        case statement_kind::branch:
        case statement_kind::leave: made.value = converted(made.value, dtype::bool_); break;
        case statement_kind::assign:
        case statement_kind::ticket: made.value = converted(made.value, at(made.target).type); break;
        case statement_kind::publish: made.limit = converted(made.limit, dtype::uint32); break;
        case statement_kind::await:
            made.limit = converted(made.limit, dtype::uint32);
            if (made.value < 0) made.value = variable(s.of, type_of(s.of));
            break;
        case statement_kind::barrier:
            made.value = converted(made.value, dtype::int32);
            made.limit = converted(made.limit, dtype::int32);
            break;
        case statement_kind::loop: convert_loop(s, made, type_of(s.of)); break;
        case statement_kind::async_copy: made.limit = converted(made.limit, dtype::bool_); break;
        case statement_kind::tensor_map:
        case statement_kind::copy_box: resolve_boxes(s, made); break;
        case statement_kind::set_registers:
        case statement_kind::init_barriers:
        case statement_kind::arrive:
        case statement_kind::wait_phase:
        case statement_kind::realign:
        case statement_kind::widen:
        case statement_kind::multiply_accumulate:
        case statement_kind::load_matrix:
        case statement_kind::fence_shared:
        case statement_kind::begin_products:
        case statement_kind::commit_products:
        case statement_kind::wait_products:
        case statement_kind::commit_copies:
        case statement_kind::wait_copies: break;
        case statement_kind::multiply_warpgroup:
            if (s.step != none) made.advance = converted(made.advance, dtype::bool_);
            break;
        case statement_kind::comment:
        case statement_kind::blank:
        case statement_kind::opaque:
        case statement_kind::declare:
        case statement_kind::view:
        case statement_kind::carve:
        case statement_kind::call:
        case statement_kind::scope:
        case statement_kind::fence: break;
    }
}

void resolver::convert_loop(const statement& s, step& made, dtype type) {
    made.value = converted(made.value, type);
    made.limit = converted(made.limit, dtype::bool_);
    const int counter = variable(s.of, type);
    int by = made.advance;
    const int factor = s.factor > 0 ? s.factor : -s.factor;
    if (factor != 0) by = constant(dtype::int32, &factor);
    const arithmetic_kind how = s.factor == 0  ? arithmetic_kind::add
                                : s.factor > 0 ? arithmetic_kind::divide
                                               : arithmetic_kind::multiply;
    made.advance = converted(index(how, counter, by), type);
}

std::shared_ptr<const code> code::of(std::shared_ptr<const device_ir::program> program, std::string heading) {
    auto made = std::make_shared<code>();
    made->program = std::move(program);
    made->heading = std::move(heading);
    try {
        resolver(*made).resolve();
    } catch (const resolver::unknown_row&) {
        return nullptr;
    }
    return made;
}

std::string code::words(const statement& s) const {
    statement head = s;
    head.body.clear();
    head.otherwise.clear();
    codegen::cuda_source::expressions spelled(*program);
    codegen::writer lines;
    codegen::cuda_source::statements(*program, spelled, lines).write(std::vector<statement>{head});
    std::string text = lines.take();
    if (const std::size_t pragma = text.rfind("#pragma", 0); pragma == 0) text = text.substr(text.find('\n') + 1);
    return text.substr(0, text.find('\n'));
}

}  // namespace sinter::interpret
