// The class of a kernel as bytes: everything that rendering reads, and no extent or general stride.
#include <codegen/render/context.hpp>

namespace sinter::codegen {

namespace {

class key_writer {
public:
    void small(int n) {
        bytes_ += static_cast<char>(n & 0xff);
        bytes_ += static_cast<char>((n >> 8) & 0xff);
    }
    void bits(std::uint64_t n) {
        for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>((n >> (8 * i)) & 0xff);
    }
    void text(const char* t) {
        bytes_ += t;
        bytes_ += '\0';
    }
    void list(const std::vector<int>& items) {
        small(static_cast<int>(items.size()));
        for (int i : items) small(i);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

void write_tile(key_writer& key, const product_tile& t) {
    for (int n : {t.row_axis, t.column_axis, t.rows, t.columns, t.thread_rows, t.thread_columns, t.depth,
                  t.whole ? 1 : 0, t.wide_stores ? 1 : 0})
        key.small(n);
    key.bits(t.wide_loads);
}

void write_stencil(key_writer& key, const stencil_shape& t) {
    for (int n : {t.row_axis, t.column_axis, t.rows}) key.small(n);
    for (const stencil_window& w : t.windows)
        for (int n : {w.input, w.at, w.rows, w.first, w.last}) key.small(n);
    for (const stencil_read& r : t.reads)
        for (int n : {r.load, r.window, r.down, r.along}) key.small(n);
}

void write_value(key_writer& key, const kernel& k, const schedule& s, int v) {
    const value& self = k.values[static_cast<std::size_t>(v)];
    for (int n : {static_cast<int>(self.what), static_cast<int>(self.type), self.loop, self.stage, self.over})
        key.small(n);
    switch (self.what) {
        case value_kind::load:
            key.small(self.input);
            key.small(self.at);
            key.small(self.in[0]);
            if (s.resident) key.small(load_twin(k, v));
            break;
        case value_kind::index: key.small(self.at); break;
        case value_kind::scalar: key.small(self.scalar); break;
        case value_kind::constant: key.bits(self.bits); break;
        default:
            for (int in : self.in) key.small(in);
            key.small(self.exclusive ? 1 : 0);
            if (self.op != nullptr) {
                // the row's text rather than its address, which an unloaded library may leave to another row
                key.text(self.op->name);
                key.text(self.op->body);
                if (self.op->identity != nullptr) key.text(self.op->identity);
                key.small(static_cast<int>(self.op->rule));
            }
    }
}

}  // namespace

std::string render_key(const kernel& k, const schedule& s) {
    key_writer key;
    for (int n : {static_cast<int>(s.form), s.block, s.group, s.vector, s.unroll, s.split > 1 ? 2 : 1, s.cluster,
                  s.grid_barrier ? 1 : 0, s.blocks_per_multiprocessor, s.resident ? 1 : 0, s.streamed ? 1 : 0,
                  s.wide_index ? 1 : 0})
        key.small(n);
    for (int n : {s.tile.row_axis, s.tile.column_axis, s.tile.row_length, s.tile.column_length}) key.small(n);
    key.small(static_cast<int>(k.precision));
    key.list(s.tile.turned);
    if (s.form == schedule_form::product) write_tile(key, s.product);
    if (s.form == schedule_form::stencil) write_stencil(key, s.stencil);
    key.small(static_cast<int>(k.extents.size()));
    key.list(k.outer);
    key.small(k.nest_axis);
    key.small(static_cast<int>(k.loops.size()));
    for (const inner_loop& l : k.loops) {
        key.list(l.axes);
        key.list(l.reductions);
        key.small(l.backwards ? 1 : 0);
    }
    key.small(static_cast<int>(k.values.size()));
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) write_value(key, k, s, v);
    key.small(static_cast<int>(k.stores.size()));
    for (const kernel_store& store : k.stores)
        for (int n : {store.output, store.value, store.loop, store.at}) key.small(n);
    key.small(static_cast<int>(k.layouts.size()));
    for (int l = 0; l < static_cast<int>(k.layouts.size()); ++l) {
        key.small(outer_twin(k, l));
        for (int a = 0; a < static_cast<int>(k.extents.size()); ++a) key.small(static_cast<int>(step_of(k, l, a)));
    }
    key.small(static_cast<int>(k.inputs.size()));
    for (const kernel_input& i : k.inputs) key.small(2 * static_cast<int>(i.type) + (i.may_alias_output ? 1 : 0));
    key.small(static_cast<int>(k.outputs.size()));
    for (dtype d : k.outputs) key.small(static_cast<int>(d));
    key.small(static_cast<int>(k.scalar_types.size()));
    for (dtype d : k.scalar_types) key.small(static_cast<int>(d));
    return key.take();
}

}  // namespace sinter::codegen
