// A member that most objects leave at its default, and that is large where they do not.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>

namespace sinter::codegen {

/// A T that has memory of its own only if it was changed. Copies of an object share it until one of them changes it, so
/// that copying and comparing objects that never set it costs nothing.
template <class T>
class rarely_set {
public:
    rarely_set() = default;

    /// A template, so that `= {}` is the assignment of an object that is not set.
    template <std::same_as<T> U>
    rarely_set& operator=(const U& all) {
        set_ = std::make_shared<T>(all);
        return *this;
    }

    operator const T&() const { return set_ ? *set_ : unset(); }  // NOLINT: it stands for a T

    decltype(auto) operator[](std::size_t i) const { return static_cast<const T&>(*this)[i]; }
    decltype(auto) operator[](std::size_t i) { return changed()[i]; }
    auto begin() const { return static_cast<const T&>(*this).begin(); }
    auto begin() { return changed().begin(); }

    bool operator==(const rarely_set& other) const {
        return set_ == other.set_ || *this == static_cast<const T&>(other);
    }
    bool operator==(const T& other) const { return static_cast<const T&>(*this) == other; }

private:
    static const T& unset() {
        static constexpr T none{};
        return none;
    }
    /// What this object alone has.
    T& changed() {
        if (!set_ || set_.use_count() > 1) set_ = std::make_shared<T>(static_cast<const T&>(*this));
        return *set_;
    }

    std::shared_ptr<T> set_;
};

}  // namespace sinter::codegen
