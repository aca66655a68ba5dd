// Prints statements as CUDA C++.
#include <codegen/cuda/statements.hpp>

#include <codegen/device/shared_memory.hpp>

namespace sinter::codegen::cuda_source {

using namespace device_ir;

namespace {

std::string trailing(const std::string& note) { return note.empty() ? "" : "  // " + note; }

}  // namespace

std::string statements::type_of(const variable& v) { return x.names.name(v.type, v.is_index); }

std::string statements::pointer_to(const array& a) {
    if (a.is_result) {
        x.use(library_function::results);
        return "result_word*";
    }
    return fmt::format("{}{}*", a.read_only ? "const " : "", x.names.name(a.type, a.is_index));
}

void statements::write(const std::vector<statement>& all) {
    for (const statement& s : all) write(s);
}

void statements::write(const statement& s) {
    switch (s.kind) {
        case statement_kind::comment: return out.comment(s.text);
        case statement_kind::blank: return out.blank();
        case statement_kind::let: return let(s);
        case statement_kind::declare: return declare(s);
        case statement_kind::view: return view(s);
        case statement_kind::carve: return carve(s);
        case statement_kind::assign: return assign(s);
        case statement_kind::call: return out.line("{};", x.text(s.value));
        case statement_kind::branch: return branch(s);
        case statement_kind::loop: return loop(s);
        case statement_kind::scope:
            out.open("{}", "");
            write(s.body);
            return out.close();
        case statement_kind::barrier: return barrier(s);
        case statement_kind::fence: return out.line("__threadfence();{}", trailing(s.text));
        case statement_kind::leave: return out.line("if ({}) return;", x.text(s.value));
        case statement_kind::ticket: return ticket(s);
        case statement_kind::opaque:
            return out.line("asm volatile(\"\" : \"+{}\"({}));{}", size_of(p.variable_at(s.of).type) == 8 ? "l" : "r",
                            x.variable_name(s.of), trailing(s.text));
        case statement_kind::publish: return publish(s);
        case statement_kind::await: return await(s);
        case statement_kind::multiply_accumulate: return multiply_accumulate(s);
        case statement_kind::realign:
            x.use(library_function::realign);
            return out.line("{} = realigned<{}>(&{}, {});", x.text(s.target), size_of(p.at(s.target).type),
                            x.text(s.value), x.text(s.limit));
        case statement_kind::widen: return widen(s);
        case statement_kind::load_matrix: return load_matrix(s);
        case statement_kind::async_copy: return async_copy(s);
        case statement_kind::commit_copies: return out.line("asm volatile(\"cp.async.commit_group;\");");
        case statement_kind::wait_copies:
            return out.line("asm volatile(\"cp.async.wait_group {};\" ::: \"memory\");", s.count);
        case statement_kind::fence_shared:
            return out.line("asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");");
        case statement_kind::set_registers: return set_registers(s);
        case statement_kind::init_barriers: return init_barriers(s);
        case statement_kind::arrive: return arrive(s);
        case statement_kind::wait_phase:
            x.use(library_function::phase_barriers);
            return out.line("wait_phase({}, {});", x.shared_address(p.at(s.target)), x.text(s.value));
        case statement_kind::tensor_map: return tensor_map(s);
        case statement_kind::copy_box: return copy_box(s);
        case statement_kind::begin_products: return begin_products(s);
        case statement_kind::multiply_warpgroup: return multiply_warpgroup(s);
        case statement_kind::commit_products:
            return out.line("asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");");
        case statement_kind::wait_products: return wait_products(s);
    }
}

void statements::let(const statement& s) {
    const variable& v = p.variable_at(s.of);
    const std::string declared = fmt::format("{}{} {}", v.is_constant ? "const " : "", type_of(v), v.name);
    if (s.value == none)
        out.line("{};{}", declared, trailing(s.text));
    else
        out.line("{} = {};{}", declared, x.text(s.value), trailing(s.text));
}

void statements::declare(const statement& s) {
    const array& a = p.array_at(s.of);
    std::string extents;
    for (int extent : a.extents) extents += fmt::format("[{}]", extent);
    const std::string element = a.words        ? x.names.words_name(a.type, a.packed)
                                : a.packed > 1 ? x.names.vector_name(a.type, a.packed)
                                               : x.names.name(a.type, a.is_index);
    if (a.where == space::shared) {
        const shared_layout all = shared_layout_of(p);
        if (all.is_dynamic())
            return out.line("auto& {} = *reinterpret_cast<{}{}>(shared_memory + {});", a.name, element,
                            extents.empty() ? "*" : " (*)" + extents, all.offsets.at(s.of));
    }
    const std::string alignment = a.alignment > 0 ? fmt::format("__align__({}) ", a.alignment) : "";
    out.line("{}{}{} {}{}{};", a.where == space::shared ? "__shared__ " : "", alignment, element, a.name, extents,
             s.cleared ? " = {}" : "");
}

void statements::view(const statement& s) {
    const array& a = p.array_at(s.of);
    out.line("{} {} = {};", pointer_to(a), a.name, x.address(p.at(s.target)));
}

void statements::carve(const statement& s) {
    const array& a = p.array_at(s.of);
    std::string bytes = x.array_name(s.target);
    if (s.value != none) bytes += " + " + x.text(s.value, binding::sum);
    const std::string offset = s.limit == none ? "" : " + " + x.text(s.limit, binding::sum);
    out.line("{0} {1} = reinterpret_cast<{0}>({2}){3};", pointer_to(a), a.name, bytes, offset);
}

void statements::assign(const statement& s) {
    if (const std::string byte = x.set_in_words(s.target, s.value); !byte.empty()) return out.line("{};", byte);
    out.line("{} = {};{}", x.target(s.target), x.assigned(s.target, s.value), trailing(s.text));
}

void statements::branch(const statement& s) {
    out.open("if ({})", x.text(s.value));
    write(s.body);
    if (!s.otherwise.empty()) {
        out.outdent();
        out.open("}} else");
        write(s.otherwise);
    }
    out.close();
}

void statements::loop(const statement& s) {
    const variable& v = p.variable_at(s.of);
    if (s.unroll == 0) out.line("#pragma unroll");
    if (s.unroll > 0) out.line("#pragma unroll {}", s.unroll);
    std::string step;
    if (s.factor != 0)
        step = fmt::format("{} {} {}", v.name, s.factor > 0 ? "/=" : "*=", s.factor > 0 ? s.factor : -s.factor);
    else if (const auto by = static_cast<std::int64_t>(p.at(s.step).value);
             p.at(s.step).kind == expression_kind::integer && (by == 1 || by == -1))
        step = (by == 1 ? "++" : "--") + v.name;
    else
        step = fmt::format("{} += {}", v.name, x.text(s.step));
    out.open("for ({} {} = {}; {}; {})", type_of(v), v.name, x.text(s.value), x.text(s.limit), step);
    write(s.body);
    out.close();
}

void statements::barrier(const statement& s) {
    switch (s.scope) {
        case barrier_scope::block: return out.line("__syncthreads();{}", trailing(s.text));
        case barrier_scope::threads:
            return out.line("asm volatile(\"bar.sync 1, {};\" ::: \"memory\");{}", s.count, trailing(s.text));
        case barrier_scope::cluster:
            x.use(library_function::cluster);
            return out.line("cluster_sync();{}", trailing(s.text));
        case barrier_scope::blocks: break;
    }
    x.use(library_function::blocks_barrier);
    out.line("grid_sync({}, {}, {});{}", x.address(p.at(s.target)), x.text(s.value), x.text(s.limit), trailing(s.text));
}

void statements::ticket(const statement& s) {
    const std::string drawn = fmt::format("atomicAdd({}, {});", x.address(p.at(s.target)), x.text(s.value));
    if (s.of == none) return out.line("{}", drawn);
    const variable& v = p.variable_at(s.of);
    out.line("const {} {} = {}", type_of(v), v.name, drawn);
}

void statements::publish(const statement& s) {
    x.use(library_function::results);
    out.line("publish_result({}, {}, {});", x.address(p.at(s.target)), x.text(s.limit), x.text(s.value));
}

void statements::await(const statement& s) {
    x.use(library_function::results);
    const expression& into = p.at(s.value);
    const bool is_array = into.kind == expression_kind::element && !p.array_at(into.of).extents.empty();
    const char* reference = is_array ? "" : "&";
    out.line("wait_for_results<{}>({}, {}, {}, {}{});", s.count, x.address(p.at(s.target)), x.text(s.step),
             x.text(s.limit), reference, x.text(s.value));
}

void statements::multiply_accumulate(const statement& s) {
    x.use(p.at(s.value).type == dtype::float16 ? library_function::multiply_float16
                                               : library_function::multiply_bfloat16);
    out.line("multiply_accumulate({}, {}, {});", x.text(s.target), x.text(s.value), x.text(s.limit));
}

void statements::load_matrix(const statement& s) {
    x.use(s.transposed ? library_function::load_matrix_transposed : library_function::load_matrix);
    out.line("load_matrix{}({}, {});", s.transposed ? "_transposed" : "", x.text(s.target),
             x.shared_address(p.at(s.value)));
}

void statements::widen(const statement& s) {
    const bool to_halves = p.at(s.target).type == dtype::float16;
    x.use(to_halves ? library_function::widen_to_halves : library_function::widen);
    out.line("widen<{}>({}, {}{});", p.at(s.value).type == dtype::int8 ? "0x80u" : "0u", x.text(s.target),
             x.text(s.value), s.limit == none ? "" : ", " + x.text(s.limit));
}

void statements::async_copy(const statement& s) {
    x.use(library_function::async_copy);
    const expression& to = p.at(s.target);
    out.line("async_copy<{}>({}, {}, {});", size_of(to.type) * static_cast<std::size_t>(to.count),
             x.shared_address(p.at(s.target)), x.address(p.at(s.value)), x.text(s.limit));
}

namespace {

/// Fragments of an array of registers.
int fragments_of(const array& a) {
    int all = 1;
    for (int extent : a.extents) all *= extent;
    return all;
}

}  // namespace

std::string statements::first_of(id element) { return "&" + x.text(element); }

void statements::begin_products(const statement& s) {
    x.use(library_function::begin_products);
    for (id registers : {s.target, s.value})
        if (registers != none)
            out.line("keep_in_order<{}>({});", fragments_of(p.array_at(p.at(registers).of)), first_of(registers));
    out.line("asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");");
}

void statements::set_registers(const statement& s) {
    const int at_first = 65536 / p.block_threads / 8 * 8;  // of one block that has the multiprocessor to itself
    out.line("asm volatile(\"setmaxnreg.{}.sync.aligned.u32 {};\");", s.count < at_first ? "dec" : "inc", s.count);
}

void statements::init_barriers(const statement& s) {
    x.use(library_function::phase_barriers);
    const expression& first = p.at(s.target);
    out.line("init_barriers<{}>({}, {});", p.array_at(first.of).extents.back(), x.shared_address(first), s.count);
}

void statements::arrive(const statement& s) {
    x.use(library_function::phase_barriers);
    const std::string barrier = x.shared_address(p.at(s.target));
    if (s.count > 0) return out.line("arrive_expecting({}, {});", barrier, s.count);
    out.line("arrive({});", barrier);
}

void statements::tensor_map(const statement& s) {
    x.use(library_function::boxes);
    const expression &from = p.at(s.value), &map = p.at(s.target);
    x.box_axes.insert(static_cast<int>(from.terms.size()));
    std::vector<std::string> extents, strides;
    const auto number = [&](id index) { return fmt::format("static_cast<long long>({})", x.text(index)); };
    for (const term& t : map.terms) extents.push_back(number(t.index));
    for (std::size_t i = 1; i < from.terms.size(); ++i) strides.push_back(number(from.terms[i].stride));
    out.line("map_boxes<{}, {}>({}, {}, {{{}}}, {{{}}});", swizzled_elements_of(from.type), s.count,
             x.array_name(map.of), x.address(from), fmt::join(extents, ", "), fmt::join(strides, ", "));
}

void statements::copy_box(const statement& s) {
    x.use(library_function::boxes);
    x.use(library_function::phase_barriers);
    const expression& box = p.at(s.value);
    std::vector<std::string> first;
    for (const term& t : box.terms) first.push_back(x.text(t.index));
    out.line("copy_box({}, {}, {}, {});", line_address(s.target), x.array_name(box.of), fmt::join(first, ", "),
             x.shared_address(p.at(s.limit)));
}

/// Of an element as it lies before swizzling: hardware swizzles what it reads or writes from there on.
std::string statements::line_address(id first) {
    const expression& e = p.at(first);
    std::string address = "&" + x.array_name(e.of);
    for (id i : e.indices) address += fmt::format("[{}]", x.text(i));
    return address;
}

/// Of lines along the steps, the next 64 columns begin after all lines.
std::string statements::descriptor(id first, bool transposed) {
    x.use(library_function::matrix_descriptor);
    const std::vector<int>& extents = p.array_at(p.at(first).of).extents;
    const int lines = extents[extents.size() - 2];
    return fmt::format("matrix_descriptor({}, {})", line_address(first), transposed ? lines * 128 : 0);
}

void statements::multiply_warpgroup(const statement& s) {
    const expression &left = p.at(s.value), &right = p.at(s.limit);
    const bool in_shared = p.array_at(left.of).where == space::shared;
    x.products.insert({right.type, left.type, s.count, in_shared});
    const std::string adds = s.step == none ? "true" : x.text(s.step);
    const int columns = s.count * fragment_rows;
    if (is_float8(right.type))
        return out.line("multiply_shared_64x{}({}, {}, {}, {});", columns, first_of(s.target),
                        descriptor(s.value, false), descriptor(s.limit, false), adds);
    if (in_shared)
        return out.line("multiply_shared_64x{}<{}, {}>({}, {}, {}, {});", columns, s.transposed_left ? 1 : 0,
                        s.transposed ? 1 : 0, first_of(s.target), descriptor(s.value, s.transposed_left),
                        descriptor(s.limit, s.transposed), adds);
    out.line("multiply_64x{}<{}>({}, {}, {}, {});", columns, s.transposed ? 1 : 0, first_of(s.target), x.text(s.value),
             descriptor(s.limit, s.transposed), adds);
}

void statements::wait_products(const statement& s) {
    x.use(library_function::wait_products);
    out.line("asm volatile(\"wgmma.wait_group.sync.aligned {};\" ::: \"memory\");", s.count);
    if (s.count > 0) return;
    out.line("keep_in_order<{}>({});", fragments_of(p.array_at(p.at(s.target).of)), first_of(s.target));
}

}  // namespace sinter::codegen::cuda_source
