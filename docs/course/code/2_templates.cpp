// Expression templates from nothing: the type of e is the computation, and a single loop runs it.
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

// [expression]
struct expression {};  // operands of the operators below

template <class E>
concept is_expression = std::derived_from<E, expression>;
// [expression]

// [vec]
class vec : public expression {
public:
    static inline int made = 0;  // arrays that have been allocated

    vec(std::vector<float> v) : values(std::make_shared<std::vector<float>>(std::move(v))) { ++made; }

    // The only loop: one pass over the result, with e's intermediate values in registers.
    template <is_expression E>
    vec(const E& e) : vec(std::vector<float>(e.size())) {
        for (std::size_t i = 0; i < e.size(); ++i) (*values)[i] = e[i];
    }

    std::size_t size() const { return values->size(); }
    float operator[](std::size_t i) const { return (*values)[i]; }

private:
    std::shared_ptr<std::vector<float>> values;  // copies of a vec share its elements
};
// [vec]

// [binary]
template <class Op, is_expression L, is_expression R>
struct binary : expression {
    L left;
    R right;

    binary(const L& l, const R& r) : left(l), right(r) {}
    std::size_t size() const { return left.size(); }
    float operator[](std::size_t i) const { return Op::of(left[i], right[i]); }
};
// [binary]

// [operators]
struct plus {
    static float of(float x, float y) { return x + y; }
};
struct times {
    static float of(float x, float y) { return x * y; }
};

template <is_expression L, is_expression R>
auto operator+(const L& l, const R& r) {
    return binary<plus, L, R>(l, r);
}

template <is_expression L, is_expression R>
auto operator*(const L& l, const R& r) {
    return binary<times, L, R>(l, r);
}
// [operators]

int main() {
    // [use]
    const vec a(std::vector<float>{1, 2, 3}), b(std::vector<float>{10, 20, 30}), c(std::vector<float>{2, 2, 2});
    const auto e = a + b * c;  // computes nothing: e is a description
    static_assert(std::same_as<decltype(e), const binary<plus, vec, binary<times, vec, vec>>>);
    vec::made = 0;
    const vec y = e;  // computes it, in one loop
    std::printf("y = {%g, %g, %g}; arrays made: %d\n", y[0], y[1], y[2], vec::made);
    // [use]
    return y[2] == 63 && vec::made == 1 ? 0 : 1;
}
