// The distribution has no static fmt: these are its out-of-line functions, for the static supervisor.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template char decimal_point_impl(locale_ref);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
