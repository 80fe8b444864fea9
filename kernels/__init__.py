"""numba kernels: flat arrays in, numbers out. Imports nothing from solver: kernels know arrays, not games."""
