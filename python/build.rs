//! Tells the compiler for which interpreter it builds: `Py_GIL_DISABLED` where there is no lock.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    pyo3_build_config::add_extension_module_link_args();
}
