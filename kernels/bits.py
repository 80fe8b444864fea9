"""Bit counting on 64-bit card sets, as single machine instructions.

Card sets are non-negative int64 (40 bits are used), so signed arithmetic never meets the sign bit.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

if config.DISABLE_JIT:

    def popcount(mask: int) -> int:
        """Number of cards in a set."""
        return int(mask).bit_count()

    def lowest(mask: int) -> int:
        """Lowest card of a non-empty set."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def highest(mask: int) -> int:
        """Highest card of a non-empty set."""
        return int(mask).bit_length() - 1

else:

    def _unary(name: str, *flags: int) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word] + [ir.IntType(1)] * len(flags))
            function = builder.module.declare_intrinsic(name, [word], kind)
            return builder.call(function, [args[0], *(ir.Constant(ir.IntType(1), flag) for flag in flags)])

        return emit

    @intrinsic
    def popcount(typingctx: Any, mask: Any) -> Any:
        """Number of cards in a set."""
        return types.int64(types.int64), _unary("llvm.ctpop")

    @intrinsic
    def lowest(typingctx: Any, mask: Any) -> Any:
        """Lowest card of a non-empty set (cttz leaves the empty set undefined)."""
        return types.int64(types.int64), _unary("llvm.cttz", 1)

    @intrinsic
    def _leading_zeros(typingctx: Any, mask: Any) -> Any:
        return types.int64(types.int64), _unary("llvm.ctlz", 1)

    from numba import njit

    @njit(inline="always")
    def highest(mask: int) -> int:
        """Highest card of a non-empty set (ctlz leaves the empty set undefined)."""
        return 63 - _leading_zeros(mask)
