// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles libs/checksum for the target. On x86-64 these are the dispatchers and, under names of their own, the forms that
//! they call, as in libs/checksum/meson.build; elsewhere, the portable forms.

use std::path::Path;

const AVX512: [&str; 5] = ["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mbmi2"];

/// Compiles a file that defines `function`, under the name `function_FORM`.
fn form(library: &Path, function: &str, file: &str, flags: &[&str]) {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).expect("a file has a name");
    let mut build = cc::Build::new();
    build.file(library.join(function).join(file)).include(library).opt_level(2).warnings(false);
    for flag in flags {
        build.flag(flag);
    }
    for flag in ["-fno-unroll-loops", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-vectorize"] {
        build.flag_if_supported(flag);
    }
    build.define(function, format!("{function}_{stem}").as_str()).compile(&format!("{function}_{stem}"));
}

fn main() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/checksum");
    println!("cargo::rerun-if-changed={}", library.display());
    // tests/gates/run has only the Rust code checked: nothing is linked.
    println!("cargo::rerun-if-env-changed=ASSAY_CHECK_ONLY");
    if std::env::var_os("ASSAY_CHECK_ONLY").is_some() {
        return;
    }
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    let mut plain = vec![
        "csum_fold/generic/rotate.c",
        "csum_replace2/generic/fold_once.c",
        "csum_replace4/generic/fold_once.c",
    ];
    let vnni: Vec<&str> = AVX512.into_iter().chain(["-mavx512vnni"]).collect();
    if target == "x86_64" {
        // The dispatchers' library comes before those of the forms: the linker resolves its references in later ones.
        plain.extend(["csum_partial/x86_64/dispatch.c", "csum_partial_copy/x86_64/dispatch.c"]);
        plain.extend(["ip_fast_csum/x86_64/adc.S", "csum_ipv6_magic/x86_64/adc.S"]);
    } else {
        plain.extend(["csum_partial/generic/apart4.c", "csum_partial_copy/generic/apart.c"]);
        plain.extend(["ip_fast_csum/generic/words.c", "csum_ipv6_magic/generic/words.c"]);
    }
    let mut build = cc::Build::new();
    build.include(&library).opt_level(2).warnings(false);
    for file in plain {
        build.file(library.join(file));
    }
    build.compile("checksum");
    if target == "x86_64" {
        let avx2 = ["-mavx2", "-mbmi", "-mbmi2"];
        form(&library, "csum_partial", "x86_64/adc.c", &[]);
        form(&library, "csum_partial", "x86_64/avx2.c", &avx2);
        form(&library, "csum_partial", "x86_64/avx_vnni.c", &["-mavx2", "-mbmi2", "-mavxvnni"]);
        form(&library, "csum_partial", "x86_64/avx512.c", &AVX512);
        form(&library, "csum_partial", "x86_64/avx512_carry_save.c", &AVX512);
        form(&library, "csum_partial", "x86_64/avx512_vnni_words.c", &vnni);
        form(&library, "csum_partial_copy", "x86_64/avx2.c", &avx2);
        form(&library, "csum_partial_copy", "x86_64/avx512.c", &AVX512);
        form(&library, "csum_partial_copy", "x86_64/avx512_vnni.c", &vnni);
    }
}
