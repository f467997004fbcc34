// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles the reader, the writer and the discipline of libs/vdso: C code that all languages share.

fn main() {
    let library = "../../libs/vdso";
    println!("cargo:rerun-if-changed={library}");
    // tests/gates/run has only the Rust code checked: nothing is linked.
    println!("cargo::rerun-if-env-changed=ASSAY_CHECK_ONLY");
    if std::env::var_os("ASSAY_CHECK_ONLY").is_some() {
        return;
    }
    cc::Build::new()
        .file(format!("{library}/vdso_clock.c"))
        .file(format!("{library}/vdso_writer.c"))
        .file(format!("{library}/vdso_discipline.c"))
        .file("src/shim.c")
        .include(library)
        .opt_level(2)
        .std("gnu11")
        .warnings(true)
        .compile("vdso_clock");
}
